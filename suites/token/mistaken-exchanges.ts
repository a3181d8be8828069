import { randomBytes } from 'node:crypto'
import { burning } from '../../src/check/options.ts'
import { turns } from '../../src/check/turns.ts'
import { clientAuthentication, otherMethod } from '../../src/oauth/client-authentication.ts'
import type { RefusedRequest } from './refusal-checks.ts'

/** Fails to authenticate the application. */
export const authenticating = { ...burning, turn: turns.failingAuthentication } as const

export const probing = {
  ...authenticating,
  effects: ['login', 'burns-codes', 'credential-probes'],
} as const

export const probingSecond = {
  effects: ['login', 'burns-codes', 'credential-probes'],
  needs: ['user', 'secondApplication'],
} as const
export const ofSecondSending =
  'the valid code exchange of the second application with the secret of the first one'

// Code exchanges with a mistake that a refresh can have as well.

export const exchangeWithOtherMethod: RefusedRequest = {
  options: authenticating,
  sending: (application) =>
    `the valid code exchange with ${otherMethod(application)} in place of ${application.authMethod}`,
  send: ({ sharedRequests, application, tokens }, errors) => {
    const other = clientAuthentication(application, otherMethod(application))
    return sharedRequests.refusedExchange(errors, (code) => tokens.alteredExchange(code, {}, other))
  },
}

export const exchangeWithWrongSecret: RefusedRequest = {
  options: probing,
  sending: 'the valid code exchange with a random secret',
  send: ({ sharedRequests, application, tokens }, errors) => {
    const wrong = { ...application, secret: randomBytes(24).toString('hex') }
    return sharedRequests.refusedExchange(errors, (code) => tokens.alteredExchange(code, {}, wrong))
  },
}
