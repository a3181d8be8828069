import type { ReceivedRedirect } from '../../src/check/authorization/authorization-log.ts'
import {
  codeOf,
  errorOf,
  lostParameters,
  repeatsValue,
  stateProblem,
  tokenMembersIn,
  valuesOf,
} from '../../src/check/authorization/landing-content.ts'
import { expectRedirect } from '../../src/check/authorization/landing-expectations.ts'
import { landingPhrase } from '../../src/check/authorization/landing-text.ts'
import { loginAfterAllChecks } from '../../src/check/check-options.ts'
import { quotedOrMasked } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import type { RequirementId } from '../../src/check/requirement.ts'
import type { RunContext } from '../../src/check/run-context.ts'
import { inconclusive, notApplicable } from '../../src/check/verdict.ts'
import { decodeJwt } from '../../src/oauth/jwt.ts'
import { sameAddress } from '../../src/oauth/redirect-uri.ts'
import { check } from './requirements.ts'

check(
  'AUTHZ-STATE-ECHO',
  'every redirect with a code has the state of its request, byte for byte',
  loginAfterAllChecks,
  async (context) => {
    const { authorization, expect, basis, note } = context
    expect.describeRequest('the valid request with reserved characters in its state')
    const { request, landing } = await authorization.unusual('reserved characters in its state')
    const { state } = request
    expectRedirect(expect, landing)
    expect.that(codeOf(landing) !== undefined, 'a redirect with a code', landingPhrase(landing))
    const problem = stateProblem(landing, state)
    const lengths = valuesOf(landing, 'state').map(({ length }) => length)
    expect.that(
      problem === undefined,
      `the state of the request (${state.length} characters)`,
      lengths.length === 0 ? 'no state' : `${problem} (${lengths.join(' and ')} characters)`,
    )
    if (lengths.length > 1) note('the redirect has more than one state')
    const judged = (await redirectsWithCode(context)).filter(({ request }) =>
      /^[\x20-\x7e]+$/.test(request.state),
    )
    basis({ redirects: judged.length })
    expectEach(context, judged, 'the state of the request, with its code', ({ request, landing }) =>
      stateProblem(landing, request.state),
    )
  },
)

check(
  'AUTHZ-CODE-ADDRESS',
  'every code is sent to the redirect URI of its request',
  loginAfterAllChecks,
  async (context) => {
    const judged = await redirectsWithCode(context)
    context.basis({ redirects: judged.length })
    const expected = 'the redirect URI of the request, with parameters added to its query'
    expectEach(context, judged, expected, ({ request, landing }) =>
      sameAddress(landing.location, request.redirectUri)
        ? undefined
        : 'an address with a different scheme, host, port or path',
    )
    expectEach(
      context,
      judged,
      'every parameter of the redirect URI of the request',
      ({ request, landing }) => {
        const lost = lostParameters(landing, request.redirectUri)
        return lost === 0 ? undefined : `${lost} of its parameters missing`
      },
    )
  },
)

check(
  'AUTHZ-RESPONSE-QUERY',
  'every code is in the query of its redirect, and no redirect has two different codes',
  loginAfterAllChecks,
  async (context) => {
    const judged = await redirectsWithCode(context)
    context.basis({ redirects: judged.length })
    expectEach(context, judged, 'a single code, in the query', ({ landing }) => {
      if (landing.fragment.has('code')) return 'a fragment with the code'
      if (!landing.query.has('code')) return 'code in a form post'
      const { size } = new Set(valuesOf(landing, 'code'))
      return size === 1 ? undefined : `${size} different codes`
    })
    if (judged.some(({ landing }) => repeatsValue(landing, 'code')))
      context.note('a redirect has its code more than once, which RFC 6749, 3.1 forbids')
  },
)

check(
  'AUTHZ-CODE-FRESH',
  'no two redirects of the run have the same code',
  loginAfterAllChecks,
  async (context) => {
    const judged = await redirectsWithCode(context)
    context.basis({ redirects: judged.length })
    const isFirst = ({ landing }: ReceivedRedirect) =>
      judged.find((other) => codeOf(other.landing) === codeOf(landing))?.landing === landing
    expectEach(context, judged, 'a different code in each redirect', (redirect) =>
      isFirst(redirect) ? undefined : 'the code of an earlier redirect',
    )
  },
)

check('AUTHZ-NO-TOKEN', 'no redirect with a code has a token', loginAfterAllChecks, async (context) => {
  const { run, authorization, basis, note } = context
  const { landing: first } = await authorization.first()
  const judged = successes(run)
  if (first.kind !== 'redirect' || judged.length === 0) return inconclusive(...whyNone(run))
  basis({ redirects: judged.length })
  expectEach(context, judged, 'a redirect without tokens', ({ landing }) => {
    const tokens = tokenMembersIn(landing)
    return tokens.length === 0 ? undefined : `a redirect with ${tokens.join(', ')}`
  })
  const others = [...first.query, ...first.fragment].filter(
    ([name, value]) => name !== 'code' && name !== 'state' && decodeJwt(value),
  )
  if (others.length > 0) note('a parameter other than code and state is a JWT')
})

check('AUTHZ-ISS', '`iss` returned with every code is the issuer', loginAfterAllChecks, async (context) => {
  const { discovery, basis, target } = context
  const all = await redirectsWithCode(context)
  const judged = all.filter(({ landing }) => issuers(landing).length > 0)
  if (judged.length === 0)
    return notApplicable('no redirect with a code has iss, which is optional', 'target')
  basis({ redirects: judged.length })
  const problems = new Map<string, string | undefined>()
  let advice: string | undefined
  for (const iss of new Set(judged.flatMap(({ landing }) => issuers(landing)))) {
    problems.set(iss, await discovery.issuerProblem(iss))
    advice ??= await discovery.issuerAdvice(iss)
  }
  const problemOf = ({ landing }: ReceivedRedirect) =>
    issuers(landing)
      .map((iss) => problems.get(iss))
      .find((problem) => problem !== undefined)
  expectEach(context, judged, `iss=${quotedOrMasked(target.issuer)}`, problemOf, advice)
})

/** Why a run has no redirect to judge. */
function whyNone({ authorizationLog }: RunContext): readonly [string, readonly RequirementId[]] {
  const hasErrors = authorizationLog.redirects.some(({ landing }) => codeOf(landing) !== undefined)
  return hasErrors
    ? ['every redirect with a code has an error, too', ['AUTHZ-ERROR-WITHOUT-CODE']]
    : ['the valid request did not reach the redirect URI', ['AUTHZ-CODE-FLOW']]
}

/** All redirects of the run with a code. @throws {Inconclusive} if there is none */
async function redirectsWithCode({
  run,
  authorization,
}: Pick<CheckContext, 'run' | 'authorization'>): Promise<readonly ReceivedRedirect[]> {
  await authorization.first()
  const judged = successes(run).filter(({ landing }) => codeOf(landing) !== undefined)
  return judged.length > 0 ? judged : inconclusive(...whyNone(run))
}

/** Redirects of the code flow without an error. Other checks judge errors and other response types. */
function successes({ authorizationLog }: RunContext): readonly ReceivedRedirect[] {
  return authorizationLog.redirects.filter(
    ({ request, landing }) =>
      request.url.searchParams.get('response_type') === 'code' && errorOf(landing) === undefined,
  )
}

function issuers({ query, fragment }: ReceivedRedirect['landing']): readonly string[] {
  return [...query.getAll('iss'), ...fragment.getAll('iss')]
}

/**
 * Judges redirects in one finding that counts the violations.
 * @param actual describes a violation; undefined if there is none
 * @param advice what to check first after a violation
 */
function expectEach(
  { run, expect }: Pick<CheckContext, 'run' | 'expect'>,
  judged: readonly ReceivedRedirect[],
  expected: string,
  actual: (redirect: ReceivedRedirect) => string | undefined,
  advice?: string,
): void {
  const violations = judged.filter((redirect) => actual(redirect) !== undefined)
  for (const { exchanges } of violations.length > 0 ? violations : judged)
    run.recorder.useAsEvidence(exchanges)
  expect.describeRequest('valid requests')
  const violationsByText = [...Map.groupBy(violations, actual)]
  expect.that(
    violationsByText.length === 0,
    expected,
    violationsByText
      .map(([text, group]) => `${text} (${group.length} of ${judged.length} redirects)`)
      .join('; '),
    advice,
  )
}
