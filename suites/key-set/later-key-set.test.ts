import { loginAfterAllChecks } from '../../src/check/check-options.ts'
import { describe } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import type { RequirementId } from '../../src/check/requirement.ts'
import { inconclusive } from '../../src/check/verdict.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import { decodeJwt } from '../../src/oauth/jwt.ts'
import { keysOf } from '../../src/oauth/key-set.ts'
import { privateProblem } from './private-keys.ts'
import { check } from './requirements.ts'
import {
  type KeysProblem,
  kidProblem,
  kidUniqueProblem,
  reusesKid,
  rs256Problem,
  shapeProblem,
  signerProblem,
} from './rules.ts'

/** A rule on responses with the key set, and the requirement that judges the first response by this rule. */
type Rule = readonly [RequirementId, (response: HttpResponse) => string | undefined]

const ofKeys =
  (problemOf: KeysProblem) =>
  (response: HttpResponse): string | undefined => {
    const keys = keysOf(response)
    return keys && problemOf(keys)
  }

const rules: readonly Rule[] = [
  ['KEYSET-PUBLIC', (response) => (response.status === 200 ? undefined : describe(response))],
  ['KEYSET-SHAPE', (response) => (response.status === 200 ? shapeProblem(response) : undefined)],
  ['KEYSET-RS256', ofKeys(rs256Problem)],
  ['KEYSET-NO-PRIVATE', privateProblem],
  ['KEYSET-KID', ofKeys(kidProblem)],
  ['KEYSET-KID-UNIQUE', ofKeys(kidUniqueProblem)],
]

check(
  'KEYSET-LATER',
  'every later key set follows the rules for the first one',
  loginAfterAllChecks,
  async ({ run, discovery, expect, basis }) => {
    const first = await discovery.keySet()
    await discovery.latestKeySet()
    const all = run.provider.log.keySets
    const violations = all
      .filter((response) => response !== first)
      .flatMap((response) =>
        rules.flatMap(([id, problemOf]) => {
          const problem = problemOf(response)
          return problem === undefined ? [] : [{ id, problem, response }]
        }),
      )
    const explained = rules.filter(([, problemOf]) => problemOf(first) !== undefined).map(([id]) => id)
    const unexplained = violations.filter(({ id }) => !explained.includes(id))
    run.recorder.useAsEvidence(unexplained.map(({ response }) => response.exchange))
    const problems = new Set(unexplained.map(({ problem }) => problem))
    if (!explained.includes('KEYSET-KID-UNIQUE') && reusesKid(all.map((response) => keysOf(response) ?? [])))
      problems.add('another key with the kid of an earlier one')
    if (problems.size === 0 && explained.length > 0)
      return inconclusive('the first response violates a rule', explained)
    expect.that(
      problems.size === 0,
      'every response valid by the rules for the first',
      [...problems].join('; '),
    )
    basis({ 'key sets': all.length })
  },
)

check(
  'KEYSET-HOLDS-SIGNER',
  'at the end of the run, the key set still contains the keys that signed the tokens',
  loginAfterAllChecks,
  async ({ discovery, tokens, authorization, expect, note, basis }) => {
    const kids = new Set<string>()
    for (const { header } of [await tokens.jwt('idToken'), await tokens.jwt('accessToken')])
      if (typeof header.kid === 'string' && (await discovery.publishedWith(header.kid)) > 0)
        kids.add(header.kid)
    if (kids.size === 0) return inconclusive('the key set never contained the key of a token')
    const missingIn = (keys: ReturnType<typeof keysOf>) => {
      if (!keys) return inconclusive('the key set is no longer available', ['KEYSET-LATER'])
      const published = new Set(keys.map(({ kid }) => kid))
      return [...kids].filter((kid) => !published.has(kid) || signerProblem(keys, kid) !== undefined)
    }
    const missing = missingIn(keysOf(await discovery.latestKeySet()))
    // Key rotation removes a key for good. A key that returns was missing by mistake.
    const returned = missing.length > 0 && missingIn(await discovery.keysNow()).length < missing.length
    expect.that(
      !returned,
      'the keys of the tokens in every response',
      'a key set without a usable key that earlier and later responses contain',
    )
    if (missing.length > 0) {
      const signer = await newSigner({ authorization, tokens })
      expect.that(
        signer === undefined || !missing.includes(signer),
        'the key of a new ID token',
        'a key set without a usable key that still signs ID tokens',
      )
      note(
        signer === undefined
          ? 'the key of a token left the key set during the run, and no ID token was issued afterwards'
          : 'the key of a token was replaced during the run',
      )
    }
    basis({ keys: kids.size })
  },
)

/** The kid of an ID token that is issued now; undefined if no ID token is issued. */
async function newSigner({
  authorization,
  tokens,
}: Pick<CheckContext, 'authorization' | 'tokens'>): Promise<string | undefined> {
  const { id_token: token } = (await tokens.exchange(await authorization.code())).object ?? {}
  const kid = typeof token === 'string' ? decodeJwt(token)?.header.kid : undefined
  return typeof kid === 'string' ? kid : undefined
}
