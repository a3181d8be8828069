import { kindOf } from '../../src/check/expect.ts'
import { lookingBack } from '../../src/check/options.ts'
import { type ReceivedTokens, receivedTokens } from '../../src/check/received-tokens.ts'
import type { RequirementId } from '../../src/check/requirement.ts'
import { expiresInProblem, type MemberProblem, scopeProblem, tokenTypeProblem } from './members.ts'
import { check } from './requirements.ts'

/** A rule on members of token responses, and the requirements that judge it on the first exchange and refresh. */
interface Rule {
  readonly problemOf: MemberProblem
  readonly ofExchange: RequirementId
  /** Undefined for a member that a refresh may omit. */
  readonly ofRefresh?: RequirementId
}

const rules: readonly Rule[] = [
  { problemOf: scopeProblem, ofExchange: 'TOKEN-SCOPE', ofRefresh: 'TOKEN-REFRESH-SCOPE' },
  { problemOf: tokenTypeProblem, ofExchange: 'TOKEN-TYPE-BEARER', ofRefresh: 'TOKEN-REFRESH-TYPE' },
  { problemOf: expiresInProblem, ofExchange: 'TOKEN-EXPIRES-IN', ofRefresh: 'TOKEN-REFRESH-EXPIRES-IN' },
  {
    problemOf: ({ id_token: idToken }) =>
      typeof idToken === 'string' && idToken !== '' ? undefined : `id_token: ${kindOf(idToken)}`,
    ofExchange: 'TOKEN-ID-TOKEN-ISSUED',
  },
]

check(
  'TOKEN-LATER',
  'every later token response has the members of the first',
  lookingBack,
  async ({ run, tokens, expect, basis, inconclusive }) => {
    const { response: exchange } = await tokens.first()
    await tokens.kept().catch(() => undefined)
    const { response: refresh } = (await tokens.firstRefresh().catch(() => undefined)) ?? {}
    const all = receivedTokens(run)
    if (all.length < 2) return inconclusive('the target issued no second tokens')
    basis({ 'token responses': all.length })
    const explained: RequirementId[] = []
    const found: string[] = []
    const violating = new Set<ReceivedTokens>()
    for (const rule of rules) {
      const judged = all.flatMap((received) =>
        problemsOf(received, rule).map((problem) => ({ received, problem })),
      )
      const judgedBy = (one: typeof exchange | undefined, id: RequirementId | undefined) =>
        id && judged.some(({ received }) => received.response === one) ? [id] : []
      // If later exchanges violate the rule, it does not concern refreshes only.
      const ofRefreshes = judged.every(({ received }) => received.grant === 'refresh')
      const causes = [
        ...judgedBy(exchange, rule.ofExchange),
        ...(ofRefreshes ? judgedBy(refresh, rule.ofRefresh) : []),
      ]
      explained.push(...causes)
      if (causes.length > 0) continue
      for (const { received, problem } of judged) {
        violating.add(received)
        found.push(problem)
      }
    }
    if (found.length === 0 && explained.length > 0)
      return inconclusive('a response that another check judges violates the same rule', {
        dependsOn: [...new Set(explained)],
      })
    const expected = 'every token response with the members of the first'
    const problems = [...new Set(found)].join('; ')
    expect.that(
      found.length === 0,
      expected,
      `another value in ${violating.size} of ${all.length} responses (${problems})`,
    )
  },
)

/** The problem of a response with a rule, if the rule applies to it. */
function problemsOf({ response, grant }: ReceivedTokens, { problemOf, ofRefresh }: Rule): readonly string[] {
  if (grant === 'refresh' && ofRefresh === undefined) return []
  const problem = problemOf(response.object ?? {})
  return problem === undefined ? [] : [problem]
}
