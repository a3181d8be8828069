import { loginAfterAllChecks } from '../../src/check/check-options.ts'
import { kindOf } from '../../src/check/expect.ts'
import { unlessUndecided } from '../../src/check/obstacle.ts'
import type { RequirementId } from '../../src/check/requirement.ts'
import { type ReceivedTokens, receivedTokens } from '../../src/check/tokens/received-tokens.ts'
import { inconclusive, inconclusiveBecauseReported } from '../../src/check/verdict.ts'
import type { Application } from '../../src/target/target.ts'
import {
  expiresInProblem,
  type MemberProblem,
  scopeProblem,
  separatorProblem,
  tokenTypeProblem,
} from './members.ts'
import { check } from './requirements.ts'

/** A rule on members of token responses, and the requirements that apply it to the first exchange and refresh. */
interface Rule {
  readonly problemOf: MemberProblem
  readonly ofExchange: RequirementId
  /** `none` if no requirement judges the first refresh by this rule; undefined if the rule is not for refreshes. */
  readonly ofRefresh?: RequirementId | 'none'
  /** Set if the rule does not apply to the second application, which may lack the refresh grant. */
  readonly onlyFirstApplication?: true
}

/** The problem with a token that is absent, empty or not a string. */
const tokenProblem =
  (name: 'id_token' | 'refresh_token'): MemberProblem =>
  ({ [name]: token }) =>
    typeof token === 'string' && token !== '' ? undefined : `${name}: ${kindOf(token)}`

const rules = (requestedScope: string): readonly Rule[] => [
  { problemOf: scopeProblem, ofExchange: 'TOKEN-SCOPE', ofRefresh: 'TOKEN-REFRESH-SCOPE' },
  {
    problemOf: (fields) => separatorProblem(fields, requestedScope),
    ofExchange: 'TOKEN-SCOPE-SEPARATOR',
    ofRefresh: 'none',
  },
  { problemOf: tokenTypeProblem, ofExchange: 'TOKEN-TYPE-BEARER', ofRefresh: 'TOKEN-REFRESH-TYPE' },
  { problemOf: expiresInProblem, ofExchange: 'TOKEN-EXPIRES-IN', ofRefresh: 'TOKEN-REFRESH-EXPIRES-IN' },
  { problemOf: tokenProblem('id_token'), ofExchange: 'TOKEN-ID-TOKEN-ISSUED' },
  {
    // A refresh may omit the ID token.
    problemOf: (fields) => (fields.id_token === undefined ? undefined : tokenProblem('id_token')(fields)),
    ofExchange: 'TOKEN-ID-TOKEN-ISSUED',
    ofRefresh: 'SUBJECT-REFRESHED-ID-TOKEN',
  },
  {
    problemOf: tokenProblem('refresh_token'),
    ofExchange: 'TOKEN-REFRESH-TOKEN-ISSUED',
    onlyFirstApplication: true,
  },
  {
    // A refresh may omit the refresh token. The rule above judges a code exchange without a refresh token.
    problemOf: (fields) =>
      fields.refresh_token === undefined ? undefined : tokenProblem('refresh_token')(fields),
    ofExchange: 'TOKEN-REFRESH-TOKEN-ISSUED',
    ofRefresh: 'TOKEN-REFRESH-TOKEN-FORM',
  },
]

check(
  'TOKEN-LATER',
  'every later token response has the members of the first one',
  loginAfterAllChecks,
  async ({ run, tokens, target, application, expect, basis }) => {
    const { response: exchange } = await tokens.first()
    // Sends a second code exchange if no check has sent one, so that there is a later response.
    await unlessUndecided(tokens.refreshable())
    // Undefined if the first refresh has no response. The check then judges the other token responses.
    const { response: refresh } = (await unlessUndecided(tokens.firstRefresh())) ?? {}
    const all = receivedTokens(run)
    if (all.length < 2) return inconclusive('the target issued no second tokens')
    basis({ 'token responses': all.length })
    const reportedElsewhere: RequirementId[] = []
    const problems: string[] = []
    const violating = new Set<ReceivedTokens>()
    for (const rule of rules(target.scope)) {
      const violations = all.flatMap((received) =>
        problemsOf(received, rule, application).map((problem) => ({ received, problem })),
      )
      const isViolatedBy = (response: typeof exchange | undefined) =>
        violations.some(({ received }) => received.response === response)
      // If an exchange violates the rule as well, the requirement on the first refresh may be inconclusive.
      const onlyByRefreshes = violations.every(({ received }) => received.grant === 'refresh')
      // The requirements on the first exchange and the first refresh that already report this rule.
      const reportsOfRule = [
        ...(isViolatedBy(exchange) ? [rule.ofExchange] : []),
        ...(onlyByRefreshes && isViolatedBy(refresh) ? [rule.ofRefresh ?? 'none'] : []),
      ].filter((id) => id !== 'none')
      if (violations.some(({ received }) => received.response !== exchange))
        reportedElsewhere.push(...reportsOfRule)
      if (reportsOfRule.length > 0) continue
      for (const { received, problem } of violations) {
        violating.add(received)
        problems.push(problem)
      }
    }
    if (problems.length === 0 && reportedElsewhere.length > 0)
      return inconclusiveBecauseReported('the second and later token responses', reportedElsewhere)
    expect.that(
      problems.length === 0,
      'every token response with the members of the first one',
      `a different value in ${violating.size} of ${all.length} responses (${[...new Set(problems)].join('; ')})`,
    )
  },
)

/** How a response violates a rule, if the rule applies to the response. */
function problemsOf(
  { response, grant, request }: ReceivedTokens,
  { problemOf, ofRefresh, onlyFirstApplication }: Rule,
  application: Application,
): readonly string[] {
  if (grant === 'refresh' && ofRefresh === undefined) return []
  if (onlyFirstApplication && request.application.id !== application.id) return []
  const problem = problemOf(response.object ?? {})
  return problem === undefined ? [] : [problem]
}
