import type { Redirect } from '../../browser/index.ts'
import { errorName } from '../../evidence/allow-list.ts'
import type { Expect } from '../expect.ts'
import type { RequirementId } from '../requirement.ts'
import { Inconclusive } from '../verdict.ts'
import { type CompletedLanding, errorOf, isBareRedirect, isIssued, isWaitingPage } from './landing-content.ts'
import { landingPhrase } from './landing-text.ts'

/** @throws {Violation} if the request did not end at a redirect to the application */
export function expectRedirect(expect: Expect, landing: CompletedLanding): Redirect {
  if (landing.kind === 'redirect') return landing
  return expect.violated({ expected: 'a redirect to the redirect URI', actual: landingPhrase(landing) })
}

/** @throws {Inconclusive} for a redirect with neither code nor error, which AUTHZ-ERROR-REDIRECT judges */
export function requireContent(landing: CompletedLanding): void {
  if (isBareRedirect(landing))
    throw new Inconclusive(`the request ended at ${landingPhrase(landing)}`, ['AUTHZ-ERROR-REDIRECT'])
}

/**
 * Expects a request to be refused, with neither code nor token; any page is a refusal.
 * @throws {Inconclusive} at the login or consent page
 */
export function expectNothingIssued(expect: Expect, landing: CompletedLanding): void {
  if (landing.kind === 'login-page' || landing.kind === 'consent-page') throw waitsForUser(landing)
  expect.that(!isIssued(landing), 'a refusal: neither a code nor a token', landingPhrase(landing))
}

/**
 * Expects a request with a valid redirect URI to be refused.
 * @throws {Inconclusive} at a page that waits for the user
 * @throws {Inconclusive} at a redirect with an error that also has a code or token; AUTHZ-ERROR-WITHOUT-CODE judges it
 */
export function expectRefused(expect: Expect, landing: CompletedLanding): void {
  if (isWaitingPage(landing)) throw waitsForUser(landing)
  if (errorOf(landing) !== undefined && isIssued(landing)) {
    throw new Inconclusive('a redirect with an error has a code or token', ['AUTHZ-ERROR-WITHOUT-CODE'])
  }
  expectNothingIssued(expect, landing)
}

function waitsForUser(landing: CompletedLanding): Inconclusive {
  if (!('afterCancel' in landing))
    return new Inconclusive(`the request ended at ${landingPhrase(landing)}, which waits for the user`)
  // A page that asks to confirm the cancellation has the same form as a consent page.
  const shown = landing.kind === 'consent-page' ? 'a page that asks for a decision' : landingPhrase(landing)
  return new Inconclusive(`after the user cancelled, the target showed ${shown}, and waits for the user`, {
    variables: ['LOGIN_RECIPE'],
    advice: 'if that page asks to confirm the cancellation, add that step to `cancel` in LOGIN_RECIPE',
  })
}

/** Expects a redirect with one of the documented error names. AUTHZ-REDIRECT-302 judges the status of the redirect. */
export function expectErrorNamed(
  expect: Expect,
  landing: CompletedLanding,
  ...documented: readonly string[]
): void {
  const error = errorOf(landing)
  expect.that(
    documented.some((name) => name === error),
    documented.map((name) => `error=${name}`).join(' or '),
    error === undefined ? landingPhrase(landing) : `error=${errorName(error)}`,
  )
}

/**
 * Requires a refused request to have an error.
 * @param requirement the requirement that the request is refused, with any error
 * @throws {Inconclusive} if there is no error
 */
export function requireError(landing: CompletedLanding, requirement: RequirementId): void {
  if (errorOf(landing) !== undefined) return
  if (isWaitingPage(landing)) throw waitsForUser(landing)
  throw new Inconclusive(`no error to judge: the request ended at ${landingPhrase(landing)}`, [
    isIssued(landing) ? requirement : 'AUTHZ-ERROR-REDIRECT',
  ])
}
