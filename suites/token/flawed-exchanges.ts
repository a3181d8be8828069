import { randomBytes } from 'node:crypto'
import { loginAndSpendCode, loginWithSecond, turns } from '../../src/check/check-options.ts'
import type { Changes } from '../../src/oauth/authorization-request.ts'
import {
  type ClientAuthentication,
  clientAuthentication,
  otherMethod,
} from '../../src/oauth/client-authentication.ts'
import { type Application, defaultAuthMethod } from '../../src/target/target.ts'
import type { InvalidTokenRequest } from './refusal-checks.ts'
import type { SendRefused } from './token-errors.ts'

/**
 * Options of checks with a failed authentication. They run after other token checks: a target may lock the client.
 */
export const failedAuthentication = { ...loginAndSpendCode, turn: turns.failingAuthentication } as const

/** Options of checks that send wrong credentials of the application. */
export const wrongCredentials = {
  ...failedAuthentication,
  effects: ['login', 'burns-codes', 'credential-probes'],
} as const

/** Options of checks that send code exchanges of the second application that must be refused. */
export const exchangeOfSecond = { ...loginWithSecond, effects: ['login', 'burns-codes'] } as const

/** Options of checks that send wrong credentials of the second application. */
export const wrongCredentialsOfSecond = {
  ...loginWithSecond,
  effects: wrongCredentials.effects,
} as const

/** The request in findings about a wrong secret of the second application. */
export const secondExchangeWithOtherSecret =
  'an otherwise valid code exchange of the second application with another secret'

/** For example `client_secret_post, while CLIENT_AUTH_METHOD is client_secret_basic`. */
export function withOtherMethod(application: Application): string {
  return `${otherMethod(application)}, while CLIENT_AUTH_METHOD is ${application.authMethod}`
}

export function methodAdvice({ authMethod }: Application): string {
  const isDefault = authMethod === defaultAuthMethod
  return `check CLIENT_AUTH_METHOD first (now ${authMethod}${isDefault ? ', the default' : ''}): Plumbline cannot see which method is registered`
}

/** The client credentials of a request. */
type CredentialsOf = (application: Application) => ClientAuthentication | Application

export const noCredentials: CredentialsOf = () => ({ headers: [], form: [] })

export const idInForm: CredentialsOf = ({ id }) => ({ headers: [], form: [['client_id', id]] })

export const byOtherMethod: CredentialsOf = (application) =>
  clientAuthentication(application, otherMethod(application))

export const withWrongSecret: CredentialsOf = (application) => ({
  ...application,
  secret: randomBytes(24).toString('hex'),
})

/** Sends a code exchange that is valid except for its client credentials. */
export function exchangeBy(credentialsOf: CredentialsOf): SendRefused {
  return ({ sharedRequests, application, tokens }, errors) => {
    const credentials = credentialsOf(application)
    return sharedRequests.invalidExchange(errors, (code) => tokens.sendCodeExchange(code, {}, credentials))
  }
}

/** Sends a code exchange that is valid except for these changes of its form. */
export function exchangeWith(changes: Changes): SendRefused {
  return ({ sharedRequests, tokens }, errors) =>
    sharedRequests.invalidExchange(errors, (code) => tokens.sendCodeExchange(code, changes))
}

/** Sends a refresh that is valid except for its client credentials. */
export function refreshBy(credentialsOf: CredentialsOf): SendRefused {
  return ({ sharedRequests, application, tokens }, errors) => {
    const credentials = credentialsOf(application)
    return sharedRequests.invalidRefresh(errors, (token) => tokens.refresh(token, credentials))
  }
}

// Code exchanges with a flaw that a refresh can have as well.

export const exchangeWithOtherMethod: InvalidTokenRequest = {
  options: failedAuthentication,
  requestText: (application) => `an otherwise valid code exchange with ${withOtherMethod(application)}`,
  advice: methodAdvice,
  send: exchangeBy(byOtherMethod),
}

export const exchangeWithWrongSecret: InvalidTokenRequest = {
  options: wrongCredentials,
  requestText: 'an otherwise valid code exchange with a random secret',
  send: exchangeBy(withWrongSecret),
}
