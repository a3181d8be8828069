import { type CompletedLanding, codeOf } from '../../src/check/authorization/landing-content.ts'
import { landingSentence } from '../../src/check/authorization/landing-text.ts'
import type { Expect } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { requestWithRedirectUri, type UriAlteration } from '../../src/oauth/redirect-uri.ts'

type RefusedLanding = Extract<CompletedLanding, { kind: 'redirect' | 'page' }>

/** A refused request with an unregistered redirect URI. */
export interface Mismatch {
  readonly landing: RefusedLanding
  /** How the redirect URI differs, for texts such as "redirect URI with one more query parameter". */
  readonly how: string
}

type Altered = NonNullable<Awaited<ReturnType<CheckContext['authorization']['withAlteredRedirectUri']>>>

/** The refusal; undefined if the target shows a login or consent page or issues a code, which other checks judge. */
export function mismatchIn({ landing, how }: Altered): Mismatch | undefined {
  const isJudged = landing.kind === 'redirect' || landing.kind === 'page'
  return isJudged && codeOf(landing) === undefined ? { landing, how } : undefined
}

/** The refusals of redirect URIs with one of these alterations each. Each request is sent once per run. */
export async function mismatches(
  authorization: CheckContext['authorization'],
  alterations: readonly UriAlteration[],
): Promise<Mismatch[]> {
  const refused: Mismatch[] = []
  for (const alteration of alterations) {
    const altered = await authorization.withAlteredRedirectUri(alteration)
    const mismatch = altered && mismatchIn(altered)
    if (mismatch) refused.push(mismatch)
  }
  return refused
}

/** Expects a refusal to have a documented status. */
export function expectMismatchStatus(expect: Expect, { landing, how }: Mismatch): void {
  expect.describeRequest(requestWithRedirectUri(how))
  const statuses = [...landing.redirects, landing.status].join(', then ')
  expect.that(
    hasMismatchStatus(landing),
    'status 400, or a 302',
    `${landingSentence(landing)} (status ${statuses})`,
  )
}

/**
 * Whether a refusal has a documented status. Other redirects may precede it, such as a gateway's redirect to another
 * host. A 302 may also lead to an error page of the provider, whose own status is not specified.
 */
function hasMismatchStatus({ kind, status, redirects }: RefusedLanding): boolean {
  return status === 400 || redirects.includes(302) || (kind === 'redirect' && status === 302)
}

/** Expects the error of a redirect, if any, to be documented. */
export async function expectMismatchError(
  { expect, authorizationErrors }: Pick<CheckContext, 'expect' | 'authorizationErrors'>,
  { landing, how }: Mismatch,
): Promise<void> {
  expect.describeRequest(requestWithRedirectUri(how))
  const documented = ['redirect_uri_mismatch', 'invalid_request']
  await authorizationErrors.expectNamed('PLATFORM-REDIRECT-MISMATCH-ERROR', landing, documented)
}
