import { disclosesClaims, expectNoClaims } from '../../src/check/disclosure.ts'
import { describe } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { loginWithBadCredentials } from '../../src/check/options.ts'
import type { BadToken } from '../../src/check/shared-requests.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import {
  bearerChallenge,
  expectBearerChallenge,
  expectInvalidToken,
  expectInvalidTokenStatus,
} from './bearer.ts'
import { check } from './requirements.ts'

const badTokens = {
  'USERINFO-MALFORMED-TOKEN': ['malformed', 'a malformed token', 'a bearer credential that is not a token'],
  'USERINFO-TAMPERED-TOKEN': ['tampered', 'a tampered token', 'one character of the signature altered'],
  'USERINFO-ALTERED-CLAIMS': [
    'altered claims',
    'a token with altered claims',
    'a claim added to the token and its signature kept',
  ],
  'USERINFO-UNSIGNED-TOKEN': [
    'unsigned',
    'an unsigned token',
    'alg none in the token and its signature removed',
  ],
} as const satisfies Record<string, readonly [kind: BadToken, name: string, difference: string]>
const requestWith = (difference: string) => `the same GET with ${difference}`

for (const [id, [kind, name, difference]] of Object.entries(badTokens) as [
  keyof typeof badTokens,
  readonly [BadToken, string, string],
][]) {
  const sending = requestWith(difference)
  check(id, `${name} is refused`, loginWithBadCredentials, async ({ sharedRequests, expect }) => {
    expect.sending(sending)
    const response = await sharedRequests.userinfoWithBad(kind)
    expect.that(response.status >= 300, 'a refusal', describe(response))
  })

  check(
    `${id}-ERROR`,
    `${name} is refused with status 401`,
    loginWithBadCredentials,
    async ({ sharedRequests, expect, inconclusive, run }) => {
      expect.sending(sending)
      await expectInvalidTokenStatus(
        { expect, inconclusive, run },
        await sharedRequests.userinfoWithBad(kind),
        id,
      )
    },
  )
}

for (const [id, kind, name] of [
  ['USERINFO-ID-TOKEN', 'idToken', 'an ID token'],
  ['USERINFO-REFRESH-TOKEN', 'refreshToken', 'a refresh token'],
] as const) {
  check(
    id,
    `${name} is refused as a bearer credential`,
    loginWithBadCredentials,
    async ({ sharedRequests, resources, expect, inconclusive }) => {
      expect.sending(requestWith(name))
      const response = await sharedRequests.userinfoWithOther(kind)
      if (response.status < 300 && (await sharedRequests.userinfoWithBad('malformed')).status < 300)
        return inconclusive('a credential that is not a token is accepted as well', {
          dependsOn: ['USERINFO-MALFORMED-TOKEN'],
        })
      expect.that(response.status >= 300, 'a refusal', describe(response))
      const granted = await resources.userinfo()
      if (
        disclosesClaims(response, granted) &&
        disclosesClaims(await sharedRequests.userinfoWithBad('malformed'), granted)
      )
        return inconclusive('the refusal of a credential that is not a token has claims as well', {
          dependsOn: ['USERINFO-REFUSED-CLAIMS'],
        })
      expectNoClaims(expect, response, granted)
    },
  )
}

check(
  'USERINFO-CHALLENGE',
  'refused tokens receive a Bearer challenge',
  loginWithBadCredentials,
  async ({ sharedRequests, expect, inconclusive, basis }) => {
    const refused = await unauthorized({ sharedRequests, inconclusive })
    for (const { request, response } of refused) {
      expect.sending(request)
      expectBearerChallenge(expect, response)
    }
    basis({ 'refused tokens': refused.length })
  },
)

check(
  'USERINFO-REFUSED-CLAIMS',
  'refusals of tokens contain no claims',
  loginWithBadCredentials,
  async ({ resources, sharedRequests, expect, inconclusive, basis }) => {
    const refused = await refusals(sharedRequests)
    if (refused.length === 0)
      return inconclusive('no bad token was refused', { dependsOn: ['USERINFO-MALFORMED-TOKEN'] })
    for (const { request, response } of refused) {
      expect.sending(request)
      expectNoClaims(expect, response, await resources.userinfo())
    }
    basis({ 'refused tokens': refused.length })
  },
)

check(
  'USERINFO-CHALLENGE-ERROR',
  'challenges to refused tokens have the error `invalid_token`',
  loginWithBadCredentials,
  async ({ sharedRequests, expect, inconclusive, basis }) => {
    const challenged = (await unauthorized({ sharedRequests, inconclusive })).flatMap(
      ({ request, response }) => {
        const challenge = bearerChallenge(response)
        return challenge ? { request, challenge } : []
      },
    )
    if (challenged.length === 0)
      return inconclusive('there is no Bearer challenge', { dependsOn: ['USERINFO-CHALLENGE'] })
    for (const { request, challenge } of challenged) {
      expect.sending(request)
      expectInvalidToken(expect, challenge)
    }
    basis({ challenges: challenged.length })
  },
)

/** A refused request with a bad token. */
interface Refusal {
  readonly request: string
  readonly response: HttpResponse
}

/** Responses that refuse a bad token; other checks judge responses that accept one. */
async function refusals(sharedRequests: CheckContext['sharedRequests']): Promise<Refusal[]> {
  const all: Refusal[] = []
  for (const [kind, , difference] of Object.values(badTokens))
    all.push({ request: requestWith(difference), response: await sharedRequests.userinfoWithBad(kind) })
  return all.filter(({ response }) => response.status >= 400)
}

/** Refusals with status 401. @throws {Inconclusive} if there are none */
async function unauthorized({
  sharedRequests,
  inconclusive,
}: Pick<CheckContext, 'sharedRequests' | 'inconclusive'>): Promise<Refusal[]> {
  const refused = (await refusals(sharedRequests)).filter(({ response }) => response.status === 401)
  if (refused.length > 0) return refused
  return inconclusive('no bad token was refused with 401', {
    dependsOn: ['USERINFO-MALFORMED-TOKEN', 'USERINFO-MALFORMED-TOKEN-ERROR'],
  })
}
