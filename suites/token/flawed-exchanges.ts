import { randomBytes } from 'node:crypto'
import { loginAndSpendCode, loginWithSecond, turns } from '../../src/check/check-options.ts'
import { clientAuthentication, otherMethod } from '../../src/oauth/client-authentication.ts'
import { type Application, defaultAuthMethod } from '../../src/target/target.ts'
import type { InvalidTokenRequest } from './refusal-checks.ts'

/** Fails to authenticate the application: a target may lock it, so these checks have a turn of their own. */
export const failedAuthentication = { ...loginAndSpendCode, turn: turns.failingAuthentication } as const

/** Sends wrong credentials of the application. */
export const wrongCredentials = {
  ...failedAuthentication,
  effects: ['login', 'burns-codes', 'credential-probes'],
} as const

/** Sends code exchanges of the second application that must be refused. */
export const exchangeOfSecond = { ...loginWithSecond, effects: ['login', 'burns-codes'] } as const

/** Sends wrong credentials of the second application. */
export const wrongCredentialsOfSecond = {
  ...loginWithSecond,
  effects: wrongCredentials.effects,
} as const

export const secondExchangeWithOtherSecret =
  'an otherwise valid code exchange of the second application with another secret'

/** The method of a request that differs from the configured one: only the operator knows which is registered. */
export function withOtherMethod(application: Application): string {
  return `${otherMethod(application)}, while CLIENT_AUTH_METHOD is ${application.authMethod}`
}

export function methodAdvice({ authMethod }: Application): string {
  const isDefault = authMethod === defaultAuthMethod
  return `check CLIENT_AUTH_METHOD first (now ${authMethod}${isDefault ? ', the default' : ''}): Plumbline cannot see which method is registered`
}

// Code exchanges with a flaw that a refresh can have as well.

export const exchangeWithOtherMethod: InvalidTokenRequest = {
  options: failedAuthentication,
  requestText: (application) => `an otherwise valid code exchange with ${withOtherMethod(application)}`,
  advice: methodAdvice,
  send: ({ sharedRequests, application, tokens }, errors) => {
    const other = clientAuthentication(application, otherMethod(application))
    return sharedRequests.invalidExchange(errors, (code) => tokens.sendCodeExchange(code, {}, other))
  },
}

export const exchangeWithWrongSecret: InvalidTokenRequest = {
  options: wrongCredentials,
  requestText: 'an otherwise valid code exchange with a random secret',
  send: ({ sharedRequests, application, tokens }, errors) => {
    const wrong = { ...application, secret: randomBytes(24).toString('hex') }
    return sharedRequests.invalidExchange(errors, (code) => tokens.sendCodeExchange(code, {}, wrong))
  },
}
