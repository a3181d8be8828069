import type { Landing as AnyLanding } from '../browser/index.ts'
import { errorName } from '../evidence/allow-list.ts'
import type { Expect } from './expect.ts'
import { Inconclusive } from './verdict.ts'

/** Where an authorization request ended, unless the journey broke off. */
export type Landing = Exclude<AnyLanding, { kind: 'failed' }>

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
  return expect.violated({ expected: 'a redirect to the redirect URI', actual: describeLanding(landing) })
}

/** The code of a redirect, wherever it was put. */
export function codeOf(landing: Landing): string | undefined {
  return anywhere(landing, 'code')
}

/** The error name of a redirect, wherever it was put. An empty one names nothing. */
export function errorOf(landing: Landing): string | undefined {
  return anywhere(landing, 'error') || undefined
}

/** A redirect that is neither a success nor a failure: it carries no code, no token and no error. */
export function isBareRedirect(landing: Landing): boolean {
  return (
    landing.kind === 'redirect' &&
    codeOf(landing) === undefined &&
    errorOf(landing) === undefined &&
    tokensOf(landing).length === 0
  )
}

/** @throws {Inconclusive} for a redirect without code and error, which is one finding for all requests */
export function refuseBareRedirect(landing: Landing): void {
  if (isBareRedirect(landing))
    throw new Inconclusive(`${describeLanding(landing)}`, { dependsOn: ['AUTHZ-ERROR-REDIRECT'] })
}

function anywhere(landing: Landing, name: string): string | undefined {
  if (landing.kind !== 'redirect') return undefined
  const { query, fragment, form } = landing
  return query.get(name) ?? fragment.get(name) ?? form?.get(name) ?? undefined
}

/** Where an authorization request ended, in one word or two that can be compared between runs. */
export function outcomeOf(landing: Landing): string {
  if (landing.kind === 'page') return `page ${landing.status}`
  if (landing.kind !== 'redirect') return landing.kind
  const error = errorOf(landing)
  if (error !== undefined) return `error ${errorName(error)}`
  return codeOf(landing) === undefined ? 'neither code nor error' : 'code'
}

/** Members that would be tokens, wherever a redirect carries them. */
export function tokensOf(landing: Landing): readonly string[] {
  return ['access_token', 'id_token', 'refresh_token'].filter((name) => anywhere(landing, name) !== undefined)
}

/**
 * A request that has to be refused, wherever (a page, or a redirect): no code and no token came back.
 * @throws {Inconclusive} where it was not decided, or an error came with a code, which is judged elsewhere
 */
export function expectNothingIssued(expect: Expect, landing: Landing): void {
  if (landing.kind === 'login-page' || landing.kind === 'consent-page') {
    throw new Inconclusive(`${describeLanding(landing)} although a user is signed in, so it was not decided`)
  }
  if (errorOf(landing) !== undefined && codeOf(landing) !== undefined) {
    throw new Inconclusive('an error came together with a code', { dependsOn: ['AUTHZ-ERROR-WITHOUT-CODE'] })
  }
  const token = tokensOf(landing).length > 0
  expect.that(
    codeOf(landing) === undefined && !token,
    'a refusal: neither a code nor a token',
    token ? 'it was redirected with a token' : describeLanding(landing),
  )
}

/** A refused request whose error, if one was named, is one of the acceptable ones. */
export function expectRefused(expect: Expect, landing: Landing, ...expected: readonly string[]): void {
  refuseBareRedirect(landing)
  expectNothingIssued(expect, landing)
  expect.errorNamed(errorOf(landing), ...expected)
}

/** The same for a request that cannot be sent back to an application: a page is all that is asked. */
export function expectRefusedAnywhere(
  expect: Expect,
  landing: Landing,
  ...expected: readonly string[]
): void {
  expectNothingIssued(expect, landing)
  if (errorOf(landing) !== undefined) expect.errorNamed(errorOf(landing), ...expected)
}

/** An error came back to the application, and its name is one of the acceptable ones. */
export function expectErrorNamed(expect: Expect, landing: Landing, ...expected: readonly string[]): void {
  const error = errorOf(landing)
  expect.that(
    error !== undefined,
    `a redirect with the error ${expected.join(' or ')}`,
    describeLanding(landing),
  )
  expect.errorNamed(error, ...expected)
}
