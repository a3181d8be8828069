import { expectNoClaims } from '../../src/check/disclosure.ts'
import { describe } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import type { BadToken } from '../../src/check/shared-requests.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import { bearerChallenge, expectBearerChallenge } from './bearer.ts'
import { check } from './requirements.ts'

const login = { effects: ['login'], needs: ['user'] } as const

const badTokens = {
  'USERINFO-MALFORMED-TOKEN': ['malformed', 'a bearer credential that is no token'],
  'USERINFO-TAMPERED-TOKEN': ['tampered', 'one character of the signature altered'],
  'USERINFO-ALTERED-CLAIMS': ['altered claims', 'a claim added to the token and its signature kept'],
  'USERINFO-UNSIGNED-TOKEN': ['unsigned', 'alg none in the token and its signature cut off'],
} as const satisfies Record<string, readonly [BadToken, string]>
const kinds = Object.values(badTokens).map(([kind]) => kind)

for (const [id, [kind, sent]] of Object.entries(badTokens) as [
  keyof typeof badTokens,
  readonly [BadToken, string],
][]) {
  check(id, `a token is refused: ${kind}`, login, async ({ sharedRequests, expect }) => {
    expect.sending(`the same GET with ${sent}`)
    const response = await sharedRequests.userinfoWith(kind)
    expect.that(response.status === 401, 'status 401', `it was answered ${describe(response)}`)
  })
}

check(
  'USERINFO-CHALLENGE',
  'refused tokens are answered with a Bearer challenge',
  login,
  async ({ sharedRequests, expect, inconclusive, basis }) => {
    const refused = await refusals(sharedRequests)
    if (refused.length === 0)
      return inconclusive('no bad token was refused', { dependsOn: ['USERINFO-MALFORMED-TOKEN'] })
    for (const response of refused) expectBearerChallenge(expect, response)
    basis({ 'refused tokens': refused.length })
  },
)

check(
  'USERINFO-REFUSED-CLAIMS',
  'refused tokens bring no claims',
  login,
  async ({ resources, sharedRequests, expect, inconclusive, basis }) => {
    const refused = await refusals(sharedRequests)
    if (refused.length === 0)
      return inconclusive('no bad token was refused', { dependsOn: ['USERINFO-MALFORMED-TOKEN'] })
    for (const response of refused) expectNoClaims(expect, response, await resources.userinfo())
    basis({ 'refused tokens': refused.length })
  },
)

check(
  'USERINFO-CHALLENGE-ERROR',
  'the challenges name invalid_token',
  login,
  async ({ sharedRequests, expect, inconclusive, basis }) => {
    const challenged = (await refusals(sharedRequests)).map((response) => bearerChallenge(response))
    const found = challenged.filter((challenge) => challenge !== undefined)
    if (found.length === 0)
      return inconclusive('there is no Bearer challenge', { dependsOn: ['USERINFO-CHALLENGE'] })
    for (const { parameters } of found) {
      expect.that(
        parameters.error !== undefined,
        'error="invalid_token" in the challenge',
        'the challenge named no error',
      )
      expect.errorNamed(parameters.error, 'invalid_token')
    }
    basis({ challenges: found.length })
  },
)

check(
  'USERINFO-EXPIRED-TOKEN',
  'an expired token is refused',
  { effects: ['login', 'slow'], needs: ['user'] },
  async ({ resources, provider, sharedRequests, expect }) => {
    await resources.userinfoControl()
    expect.sending('the same GET with an access token that has expired')
    const response = await sharedRequests.answerAfterExpiry(
      (accessToken) => provider.userinfo(accessToken),
      ({ status }) => status === 401,
    )
    expect.that(response.status === 401, 'status 401', `it was answered ${describe(response)}`)
  },
)

/** Answers that refuse a bad token; one that is accepted is found elsewhere. */
async function refusals(sharedRequests: CheckContext['sharedRequests']): Promise<HttpResponse[]> {
  const answers: HttpResponse[] = []
  for (const kind of kinds) answers.push(await sharedRequests.userinfoWith(kind))
  return answers.filter(({ status }) => status >= 400)
}
