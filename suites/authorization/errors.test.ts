import type { RefusedAuthorization } from '../../src/check/authorization/authorization-log.ts'
import {
  type CompletedLanding,
  codeOf,
  errorOf,
  isBareRedirect,
  lostParameters,
  repeatsValue,
  stateProblem,
  tokenMembersIn,
  valuesOf,
} from '../../src/check/authorization/landing-content.ts'
import { landingPhrase } from '../../src/check/authorization/landing-text.ts'
import { isReservedState } from '../../src/check/authorization/long-state.ts'
import { loginAfterAllChecks } from '../../src/check/check-options.ts'
import type { RunContext } from '../../src/check/run-context.ts'
import { inconclusive } from '../../src/check/verdict.ts'
import { sameAddress } from '../../src/oauth/redirect-uri.ts'
import { type AuthorizationContext, check } from './requirements.ts'

type Redirected = RefusedAuthorization & { readonly landing: Extract<CompletedLanding, { kind: 'redirect' }> }

check(
  'AUTHZ-ERROR-REDIRECT',
  'every refused request ends at the redirect URI with an error',
  loginAfterAllChecks,
  async (context) => {
    const { refusals, basis } = context
    const judged = (await refusals.all()).filter((refusal) => refusal.isRequired || isRedirected(refusal))
    if (judged.length === 0) return inconclusive('no request was refused', ['AUTHZ-NONCE-REQUIRED'])
    basis({ refusals: judged.length })
    expectEach(context, judged, 'a redirect to the redirect URI with an error', (refusal) => {
      const { landing, request } = refusal
      // AUTHZ-PROMPT-NONE and AUTHZ-PROMPT-NONE-CONSENT judge pages despite prompt=none.
      const isSilent = request.url.searchParams.get('prompt') === 'none'
      if (!isRedirected(refusal)) return isSilent ? undefined : landingPhrase(landing)
      if (isBareRedirect(landing)) return landingPhrase(landing)
      const { redirectUri } = request
      if (!sameAddress(refusal.landing.location, redirectUri))
        return `${landingPhrase(landing)} to an address other than the redirect URI`
      const lost = lostParameters(refusal.landing, redirectUri)
      return lost === 0
        ? undefined
        : `${landingPhrase(landing)} without ${lost} of the parameters of the redirect URI`
    })
  },
)

for (const { id, name, expected, applies = () => true, actual, ruleOut, remark } of [
  {
    id: 'AUTHZ-REDIRECT-302',
    name: 'every redirect with an error has status 302',
    expected: 'a redirect with status 302',
    applies: ({ landing }: Redirected) => !landing.form,
    actual: ({ landing: { status } }: Redirected) => {
      if (status === 302) return undefined
      return status >= 300 ? `a redirect with status ${status}` : 'a redirect by a page'
    },
  },
  {
    id: 'AUTHZ-ERROR-QUERY',
    name: 'every error is in the query',
    expected: 'error in the query of the redirect URI, and not in its fragment',
    applies: (refusal: Redirected) => !isOfOtherResponseType(refusal),
    actual: ({ landing }: Redirected) => {
      const place = placeOf(landing)
      return place === 'query' ? undefined : `error in the ${place}`
    },
  },
  {
    id: 'AUTHZ-ERROR-STATE',
    name: 'every error has the state of its request',
    expected: 'the state of the request with the error, and no state if the request has none',
    // A state consists of visible ASCII characters and spaces (RFC 6749, appendix A.5).
    applies: ({ request }: Redirected) => /^[\x20-\x7e]*$/.test(request.state),
    actual: ({ request, landing }: Redirected) => {
      if (request.state === '')
        return valuesOf(landing, 'state').some(Boolean) ? 'a state, although the request has none' : undefined
      const problem = stateProblem(landing, request.state)
      const kind = isReservedState(request.state) ? ' for a long state with reserved characters' : ''
      return problem && `${problem}${kind}`
    },
    ruleOut: requireStateBesideCode,
  },
  {
    id: 'AUTHZ-ERROR-SINGLE',
    name: 'no redirect has two different errors',
    expected: 'a single error',
    actual: ({ landing }: Redirected) => {
      const errors = new Set(valuesOf(landing, 'error'))
      return errors.size > 1 ? `${errors.size} different errors` : undefined
    },
    remark: (judged: readonly Redirected[]) =>
      judged.some(({ landing }) => repeatsValue(landing, 'error'))
        ? 'a redirect has its error more than once, which RFC 6749, 3.1 forbids'
        : undefined,
  },
  {
    id: 'AUTHZ-ERROR-WITHOUT-CODE',
    name: 'no redirect with an error has a code or token',
    expected: 'an error without a code or token',
    actual: ({ landing }: Redirected) => {
      const issued = [...(codeOf(landing) === undefined ? [] : ['a code']), ...tokenMembersIn(landing)]
      return issued.length === 0 ? undefined : `an error and ${issued.join(', ')}`
    },
  },
] as const) {
  check(id, name, loginAfterAllChecks, async (context) => {
    const { run, basis, note } = context
    const all = [...(await errors(context)), ...acceptedWithError(run)]
    const judged = all.filter((refusal) => applies(refusal))
    if (judged.length === 0) return inconclusive('no request of this kind was refused with an error')
    basis({ errors: judged.length })
    const violations = judged.filter((refusal) => actual(refusal) !== undefined)
    if (violations.length > 0) await ruleOut?.(context, violations)
    expectEach(context, judged, expected, actual)
    const remarked = remark?.(judged)
    if (remarked !== undefined) note(remarked)
  })
}

check(
  'AUTHZ-ERROR-FRAGMENT',
  'the place of errors of other response types is recorded',
  loginAfterAllChecks,
  async (context) => {
    const { refusals, observe, basis } = context
    const judged = (await errors(context)).filter(isOfOtherResponseType)
    if (judged.length === 0)
      return inconclusive('no request with a response type other than `code` was refused with an error', [
        'AUTHZ-ERROR-REDIRECT',
      ])
    basis({ errors: judged.length })
    refusals.show(judged)
    const places = new Set(judged.map(({ landing }) => placeOf(landing)))
    observe('authorization.error-place-of-other-response-types', [...places].sort())
  },
)

check(
  'AUTHZ-ERROR-PARAMETERS',
  'other parameters of redirects with an error are recorded',
  loginAfterAllChecks,
  async (context) => {
    const { refusals, discovery, observe, note, target } = context
    const judged = await errors(context)
    refusals.show(judged)
    const others = judged
      .flatMap(({ landing }) => valuesOf(landing, 'iss'))
      .filter((iss) => iss !== target.issuer)
    const advices = await Promise.all([...new Set(others)].map((iss) => discovery.issuerAdvice(iss)))
    // No note if discovery has the same iss: then the iss may be right, and IDP_BASE_URL wrong.
    if (advices.includes(undefined))
      note(
        'the iss returned with an error is not the issuer; RFC 9207, 2.4 requires clients to reject such a response',
      )
    const names = new Set<string>(
      judged.flatMap(({ landing: { query, fragment, form } }) =>
        [query, fragment, form].flatMap((part) => [...(part?.keys() ?? [])]),
      ),
    )
    observe('authorization.error-parameters', [...names].sort())
  },
)

/**
 * If all violations concern a state with reserved characters, requires that a redirect with a code returns such a
 * state.
 * @throws {Inconclusive} if such a redirect alters the state, too: AUTHZ-STATE-ECHO has the finding
 */
async function requireStateBesideCode(
  { authorization }: AuthorizationContext,
  violations: readonly Redirected[],
): Promise<void> {
  if (violations.some(({ request }) => !isReservedState(request.state))) return
  const { request, landing } = await authorization.unusual('reserved characters in its state')
  if (stateProblem(landing, request.state) !== undefined)
    return inconclusive('reserved characters of the state are altered in redirects with a code as well', [
      'AUTHZ-STATE-ECHO',
    ])
}

function isRedirected(refusal: RefusedAuthorization): refusal is Redirected {
  return refusal.landing.kind === 'redirect'
}

/** OAuth puts the errors of response types other than code in the fragment (OAuth 2.0 Multiple Response Types, 5). */
function isOfOtherResponseType({ request }: RefusedAuthorization): boolean {
  return (request.url.searchParams.get('response_type') ?? 'code') !== 'code'
}

function placeOf({ query, fragment, form }: Redirected['landing']): string {
  const places = Object.entries({ query, fragment, 'form post': form })
  return places.flatMap(([place, members]) => (members?.has('error') ? [place] : [])).join(' and ')
}

/** The redirects of valid requests that have both a code and an error. */
function acceptedWithError({ authorizationLog: { redirects, refusals } }: RunContext): Redirected[] {
  return redirects
    .filter(
      ({ request, landing }) =>
        codeOf(landing) !== undefined &&
        errorOf(landing) !== undefined &&
        !refusals.some((refusal) => refusal.request === request),
    )
    .map((redirect) => ({ ...redirect, difference: 'without a flaw', isRequired: false }))
}

/** All redirects of refused requests with an error. */
async function errors({ refusals }: AuthorizationContext): Promise<Redirected[]> {
  const judged = (await refusals.all()).filter(isRedirected).filter(({ landing }) => errorOf(landing))
  if (judged.length > 0) return judged
  return inconclusive('no request was refused with an error', ['AUTHZ-ERROR-REDIRECT'])
}

/**
 * Judges refusals in one finding that lists the requests.
 * @param actual describes a violation; undefined if there is none
 */
function expectEach<One extends RefusedAuthorization>(
  { refusals, expect }: AuthorizationContext,
  judged: readonly One[],
  expected: string,
  actual: (refusal: One) => string | undefined,
): void {
  const violations = judged.filter((refusal) => actual(refusal) !== undefined)
  refusals.show(violations.length > 0 ? violations : judged)
  expect.describeRequest(requests(violations))
  const violationsByText = [...Map.groupBy(violations, (refusal) => actual(refusal))]
  expect.that(
    violationsByText.length === 0,
    expected,
    violationsByText
      .map(([text, group]) => (violationsByText.length === 1 ? text : `${text} (${differences(group)})`))
      .join('; '),
  )
}

/** Maximum number of requests that a finding lists. The evidence contains all requests. */
const maxListed = 3

function requests(refusals: readonly RefusedAuthorization[]): string {
  const all = distinct(refusals)
  return all.length > maxListed
    ? `${all.length} refused requests, for example the valid request ${all[0]}`
    : `the valid request ${all.join(', or ')}`
}

function differences(refusals: readonly RefusedAuthorization[]): string {
  const all = distinct(refusals)
  return all.length > maxListed ? `${all.length} requests, for example ${all[0]}` : all.join(', or ')
}

function distinct(refusals: readonly RefusedAuthorization[]): string[] {
  return [...new Set(refusals.map(({ difference }) => difference))]
}
