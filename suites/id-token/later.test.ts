import { loginAfterAllChecks } from '../../src/check/check-options.ts'
import { maxClockOffsetMs } from '../../src/check/clock.ts'
import { differentValue, kindOf } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { unlessUndecided } from '../../src/check/obstacle.ts'
import type { RequirementId } from '../../src/check/requirement.ts'
import type { TokenKind } from '../../src/check/tokens/issued-tokens.ts'
import { type ReceivedTokens, receivedTokens } from '../../src/check/tokens/received-tokens.ts'
import { Inconclusive, inconclusive, inconclusiveBecauseReported } from '../../src/check/verdict.ts'
import { halfCenturySeconds } from '../../src/oauth/id-token.ts'
import { type DecodedJwt, decodeJwt } from '../../src/oauth/jwt.ts'
import type { Target } from '../../src/target/target.ts'
import { actualExpiry, agrees } from './lifetimes.ts'
import { check } from './requirements.ts'
import { authorizedPartyProblem, levelProblem, rules } from './rules.ts'
import { tokenKinds } from './sources.ts'

type RuleName = (typeof rules)[number]['name'] | 'JWT' | 'SUBJECT' | 'LIFETIME' | 'AZP' | 'NONCE' | 'ACR'

/** A token of the run that violates a rule. */
interface TokenViolation {
  /** The token as received. */
  readonly compact: string
  readonly received: ReceivedTokens
  readonly rule: RuleName
  readonly actual: string
}

/** The fixtures that rules use. */
type RuleContext = Pick<CheckContext, 'target' | 'discovery' | 'clockOffsetMs'>

for (const tokenKind of tokenKinds) {
  const { kind, prefix, name } = tokenKind
  check(`${prefix}-LATER`, `every later ${name} is valid`, loginAfterAllChecks, async (context) => {
    const { run, target, tokens, expect, basis } = context
    const { claims } = await tokens.jwt(kind)
    // Sends a second code exchange if no check has sent one, so that there is a later token.
    await unlessUndecided(tokens.refreshable())
    const all = receivedTokens(run).flatMap((received) => {
      const token = tokenOf(received, kind)
      return token === undefined ? [] : [{ compact: token, received }]
    })
    if (all.length < 2) return inconclusive(`the target issued no second ${name}`)
    basis({ tokens: all.length })
    const violations: TokenViolation[] = []
    const doubts: Inconclusive[] = []
    for (const one of all) violations.push(...(await violationsOf(context, one, kind, claims.sub, doubts)))
    const judgedBy =
      violations.length > 0 ? await judgedElsewhere(violations, tokens, tokenKind, target) : () => undefined
    const { reported, unreported } = separateReported(violations, judgedBy, all[0]?.compact)
    for (const { received } of unreported) run.recorder.useAsEvidence([received.response.exchange])
    if (unreported.length === 0 && reported.length > 0)
      return inconclusiveBecauseReported(`the second and later ${name}s`, reported)
    if (unreported.length === 0 && doubts[0]) throw doubts[0]
    expect.describeRequest(`all code exchanges and refreshes of the run, which returned ${name}s`)
    const texts = new Set(unreported.map(({ rule, actual }) => `${rule.toLowerCase()}: ${actual}`))
    const count = new Set(unreported.map(({ compact }) => compact)).size
    expect.that(
      unreported.length === 0,
      `every ${name} valid by the rules for the first one`,
      `${count} of ${all.length} violate them (${[...texts].join('; ')})`,
    )
  })
}

/** The token of a response; undefined if it has none. */
function tokenOf({ response }: ReceivedTokens, kind: TokenKind): string | undefined {
  const token = response.object?.[kind === 'idToken' ? 'id_token' : 'access_token']
  return typeof token === 'string' ? token : undefined
}

/**
 * The rules that a token violates.
 * @param subject the sub of the first token of the application
 * @param doubts collects the reasons why rules cannot be judged; the other rules are judged nevertheless
 */
async function violationsOf(
  { target, discovery, clockOffsetMs }: RuleContext,
  { compact, received }: Pick<TokenViolation, 'compact' | 'received'>,
  kind: TokenKind,
  subject: unknown,
  doubts: Inconclusive[],
): Promise<readonly TokenViolation[]> {
  const token = decodeJwt(compact)
  if (!token) return [{ compact, received, rule: 'JWT', actual: 'not a JWT' }]
  const { response, request } = received
  const { application } = request
  // The clock of the target minus ours, in milliseconds.
  const offset = clockOffsetMs()
  // At the end of the run, a token with an unknown key is verified with the latest key set.
  const discoveryAtEnd = {
    issuerProblem: (issuer: unknown) => discovery.issuerProblem(issuer),
    verify: (one: DecodedJwt) => discovery.verifyAtEnd(one),
  }
  const violations = kind === 'idToken' ? idTokenViolations(token, received, target) : []
  const areClocksSimilar = offset !== undefined && Math.abs(offset) <= maxClockOffsetMs
  const receivedAt = response.receivedAt + (offset ?? 0)
  for (const { name, problemOf } of rules) {
    if (name === 'EXPIRY' && !areClocksSimilar) continue
    const problem = await problemUnlessInDoubt(doubts, () =>
      problemOf(token, kind, { discovery: discoveryAtEnd, application, target }, receivedAt),
    )
    if (problem !== undefined) violations.push([name, problem])
  }
  if (kind === 'accessToken' && areClocksSimilar) {
    const problem = lifetimeProblem(token, response.object?.expires_in, receivedAt)
    if (problem !== undefined) violations.push(['LIFETIME', problem])
  }
  const { sub } = token.claims
  // The sub of a user may differ between applications, if they are in different Spheres (docs/glossary.md). So only
  // tokens of the first application are compared.
  const isOfFirstApplication = application.id === target.application?.id
  if (typeof subject === 'string') {
    if (isOfFirstApplication && sub !== subject) violations.push(['SUBJECT', differentValue('sub', sub)])
    else if (sub === application.id) violations.push(['SUBJECT', 'the client id as sub'])
    else if (typeof sub !== 'string' || sub === '') violations.push(['SUBJECT', `sub: ${kindOf(sub)}`])
  }
  return violations.map(([rule, actual]) => ({ compact, received, rule, actual }))
}

/** The problem that a rule finds; undefined if there is no problem, or the rule is inconclusive. */
async function problemUnlessInDoubt(
  doubts: Inconclusive[],
  find: () => string | undefined | Promise<string | undefined>,
): Promise<string | undefined> {
  try {
    return await find()
  } catch (error) {
    if (!(error instanceof Inconclusive)) throw error
    doubts.push(error)
    return undefined
  }
}

/**
 * How exp of an access token differs from `expires_in`. Other rules judge the types of both, and an exp in the past.
 */
function lifetimeProblem(
  { claims: { exp } }: DecodedJwt,
  lifetime: unknown,
  receivedAt: number,
): string | undefined {
  if (typeof exp !== 'number' || typeof lifetime !== 'number' || lifetime <= 0) return undefined
  const remainingSeconds = Math.round(exp - receivedAt / 1000)
  if (remainingSeconds <= 0 || remainingSeconds >= halfCenturySeconds || agrees(remainingSeconds, lifetime))
    return undefined
  return `${actualExpiry(remainingSeconds)} with expires_in ${lifetime}`
}

/** Violations of the rules that apply only to ID tokens (section Authentication, 5). */
function idTokenViolations(
  token: DecodedJwt,
  { request, grant }: ReceivedTokens,
  target: Target,
): [RuleName, string][] {
  const { claims } = token
  const { requiredAcr } = target
  const requested = request.url.searchParams
  const requestsRequiredLevel = requiredAcr !== undefined && requested.get('acr_values') === requiredAcr
  // A refreshed ID token need not have an acr or a nonce.
  const mustHaveRequiredLevel =
    requestsRequiredLevel &&
    !requested.has('auth_level') &&
    !(grant === 'refresh' && claims.acr === undefined)
  const isNonceValid =
    !requested.get('nonce') ||
    claims.nonce === request.nonce ||
    (grant === 'refresh' && claims.nonce === undefined)
  const problems: readonly [RuleName, string | undefined][] = [
    ['AZP', authorizedPartyProblem(token, request.application)],
    ['NONCE', isNonceValid ? undefined : differentValue('nonce', claims.nonce)],
    ['ACR', mustHaveRequiredLevel ? levelProblem(token, target) : undefined],
  ]
  return problems.flatMap(([rule, problem]) => (problem === undefined ? [] : [[rule, problem]]))
}

/** The other requirement that judges a violation; undefined if only this check judges it. */
type JudgedBy = (violation: TokenViolation) => RequirementId | undefined

async function judgedElsewhere(
  violations: readonly TokenViolation[],
  tokens: CheckContext['tokens'],
  { kind, prefix }: (typeof tokenKinds)[number],
  target: Target,
): Promise<JudgedBy> {
  const first = (await tokens.first())[kind]
  const refreshable = (await unlessUndecided(tokens.refreshable()))?.[kind]
  const { before, response: refresh } = (await unlessUndecided(tokens.firstRefresh())) ?? {}
  const ofSecondLogin = (await unlessUndecided(tokens.secondLogin.jwt(kind)))?.compact
  return ({ compact, rule, received: { response, request } }) => {
    if (compact === first) return `${prefix}-${rule}` as RequirementId
    if (response === refresh) {
      // If the token before the refresh already violates the rule, no requirement on refreshes judges the refreshed
      // token.
      if (violations.some((one) => one.compact === before?.[kind] && one.rule === rule)) return undefined
      if (rule === 'NONCE') return undefined
      if (rule !== 'SUBJECT' && rule !== 'JWT') return `${prefix}-REFRESHED-${rule}` as RequirementId
      if (rule === 'SUBJECT' && subjectOf(before?.[kind]) === subjectOf(compact)) return undefined
      return kind === 'idToken' ? 'SUBJECT-REFRESHED-ID-TOKEN' : 'SUBJECT-AFTER-REFRESH'
    }
    if (compact === refreshable && rule === 'NONCE') return 'IDTOKEN-NONCE-OWN'
    if (compact === ofSecondLogin && rule === 'SUBJECT')
      return kind === 'idToken' ? 'SUBJECT-STABLE' : 'SUBJECT-STABLE-ACCESS-TOKEN'
    const isOfSecond = request.application.id === target.secondApplication?.id
    return isOfSecond && kind === 'idToken' && rule === 'AUDIENCE' ? 'IDTOKEN-SECOND-AUDIENCE' : undefined
  }
}

function subjectOf(compact: string | undefined): unknown {
  return compact === undefined ? undefined : decodeJwt(compact)?.claims.sub
}

/**
 * Separates the rules whose violation another requirement already reports. If it reports one violation of a rule, all
 * violations of that rule count as reported.
 * @returns `reported`: the requirements that report violations of later tokens; this check does not judge the first
 * token
 */
function separateReported(
  violations: readonly TokenViolation[],
  judgedBy: JudgedBy,
  first: string | undefined,
): { readonly reported: readonly RequirementId[]; readonly unreported: readonly TokenViolation[] } {
  const reportedBy = new Map(
    violations.flatMap((violation) => {
      const id = judgedBy(violation)
      return id === undefined ? [] : [[violation.rule, id] as const]
    }),
  )
  const later = violations.filter(({ compact }) => compact !== first)
  return {
    reported: [...reportedBy].flatMap(([rule, id]) => (later.some((one) => one.rule === rule) ? [id] : [])),
    unreported: violations.filter(({ rule }) => !reportedBy.has(rule)),
  }
}
