import { errorName } from '../evidence/allow-list.ts'
import type { Expect } from './expect.ts'
import type { Authorization } from './identity-steps.ts'
import { Inconclusive } from './verdict.ts'

type Landing = Authorization['landing']

/** Where an authorization request ended, in words that hold no secret. */
export function describeLanding(landing: Landing): string {
  switch (landing.kind) {
    case 'redirect': {
      const error = errorOf(landing)
      if (error !== undefined) return `it was redirected with error=${errorName(error)}`
      return codeOf(landing) === undefined
        ? 'it was redirected with neither code nor error'
        : 'it was redirected with a code'
    }
    case 'login-page':
      return 'it ended at the login page'
    case 'consent-page':
      return 'it ended at the consent page'
    case 'page':
      return `it ended at a page with status ${landing.status}`
    default:
      return landing satisfies never
  }
}

/** The redirect an authorization request ended with; anything else is a violation. */
export function expectRedirect(expect: Expect, landing: Landing): Extract<Landing, { kind: 'redirect' }> {
  if (landing.kind === 'redirect') return landing
  return expect.violated({ acceptable: 'a redirect to the redirect URI', came: describeLanding(landing) })
}

/** The code of a redirect, wherever it was put. */
export function codeOf(landing: Landing): string | undefined {
  return anywhere(landing, 'code')
}

/** The error name of a redirect, wherever it was put. */
export function errorOf(landing: Landing): string | undefined {
  return anywhere(landing, 'error')
}

function anywhere(landing: Landing, name: string): string | undefined {
  if (landing.kind !== 'redirect') return undefined
  const { query, fragment, form } = landing
  return query.get(name) ?? fragment.get(name) ?? form?.get(name) ?? undefined
}

/**
 * A request that has to be refused: no code and no token came back, and the error, if one was named, is
 * one of the acceptable ones. Where it is refused (a page, or a redirect) is the provider's choice.
 */
export function expectRefused(expect: Expect, landing: Landing, ...acceptable: readonly string[]): void {
  if (landing.kind === 'login-page' || landing.kind === 'consent-page') {
    throw new Inconclusive(`${describeLanding(landing)} although a user is signed in, so it was not decided`)
  }
  const token = ['access_token', 'id_token'].some((name) => anywhere(landing, name) !== undefined)
  expect.that(
    codeOf(landing) === undefined && !token,
    `a refusal, with the error ${acceptable.join(' or ')}`,
    token ? 'it was redirected with a token' : describeLanding(landing),
  )
  expect.errorNamed(errorOf(landing), ...acceptable)
}
