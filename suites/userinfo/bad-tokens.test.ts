import type { BadTokenKind } from '../../src/check/bad-tokens.ts'
import { loginAndBadCredentials } from '../../src/check/check-options.ts'
import { disclosesClaims, expectNoClaims } from '../../src/check/disclosure.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { inconclusive } from '../../src/check/verdict.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import {
  bearerChallenge,
  expectBearerChallenge,
  expectInvalidToken,
  expectInvalidTokenStatus,
} from './bearer.ts'
import { check } from './requirements.ts'

interface BadTokens {
  /** The token in the names of the checks. */
  readonly name: string
  /**
   * Each kind of bad token, and how its request differs from the valid request. The simplest kind is first, since
   * only the first kind that the target accepts is in the finding.
   */
  readonly kinds: readonly (readonly [kind: BadTokenKind, difference: string])[]
}

const badTokens = {
  'USERINFO-MALFORMED-TOKEN': {
    name: 'a malformed token',
    kinds: [['malformed', 'a bearer credential that is not a token']],
  },
  'USERINFO-TAMPERED-TOKEN': {
    name: 'a tampered token',
    kinds: [['tampered', 'one character of the signature altered']],
  },
  'USERINFO-ALTERED-CLAIMS': {
    name: 'a token with altered claims',
    kinds: [
      ['altered claims', 'a claim added to the token and its signature kept'],
      [
        'signed with the public key',
        'a claim added to the token, and signed HS256 with the public key as the secret',
      ],
      ['signed with a key in its header', 'a claim added to the token, and signed with a key in its header'],
    ],
  },
  'USERINFO-UNSIGNED-TOKEN': {
    name: 'an unsigned token',
    kinds: [
      ['unsigned', 'alg none in the token and its signature removed'],
      ['without signature', 'the signature of the token removed'],
    ],
  },
} as const satisfies Record<string, BadTokens>
const requestWith = (difference: string) => `a GET of UserInfo with ${difference}`

for (const [id, { name, kinds }] of Object.entries(badTokens) as [keyof typeof badTokens, BadTokens][]) {
  check(id, `${name} is refused`, loginAndBadCredentials, async ({ resources, expect }) => {
    for (const [kind, difference] of kinds) {
      expect.describeRequest(requestWith(difference))
      const response = await resources.userinfoWithBad(kind)
      // Without a published key, the token signed with the public key cannot be made.
      if (response === undefined) continue
      if (response.status < 300 && kind === 'without signature') await requireTamperedRefused(resources)
      expect.that(response.status >= 300, 'a refusal', response)
    }
  })

  check(`${id}-ERROR`, `${name} is refused with status 401`, loginAndBadCredentials, async (context) => {
    const { resources, expect } = context
    for (const [kind, difference] of kinds) {
      expect.describeRequest(requestWith(difference))
      const response = await resources.userinfoWithBad(kind)
      if (response) await expectInvalidTokenStatus(context, response, id)
    }
  })
}

/** @throws {Inconclusive} if an altered signature is accepted, too: only USERINFO-TAMPERED-TOKEN is then violated */
async function requireTamperedRefused(resources: CheckContext['resources']): Promise<void> {
  if ((await resources.userinfoWithBad('tampered')).status < 300)
    return inconclusive('a wrong signature is accepted', ['USERINFO-TAMPERED-TOKEN'])
}

for (const [id, kind, name] of [
  ['USERINFO-ID-TOKEN', 'idToken', 'an ID token'],
  ['USERINFO-REFRESH-TOKEN', 'refreshToken', 'a refresh token'],
] as const) {
  check(
    id,
    `${name} is refused as a bearer credential`,
    loginAndBadCredentials,
    async ({ resources, identityProvider, expect }) => {
      expect.describeRequest(requestWith(name))
      const response = await resources.userinfoWithOther(kind)
      if (response.status < 300 && (await resources.userinfoWithBad('malformed')).status < 300)
        return inconclusive('a credential that is not a token is accepted as well', [
          'USERINFO-MALFORMED-TOKEN',
        ])
      expect.that(response.status >= 300, 'a refusal', response)
      const validResponse = await resources.userinfo()
      const bearer = identityProvider.log.bearerOf(response)
      // If the refusal seems to contain claims, it is compared with the refusal of a credential that belongs to no
      // user.
      const anonymousRefusal = disclosesClaims({ refusal: response, validResponse, bearer })
        ? await resources.userinfoWithBad('malformed')
        : undefined
      if (
        anonymousRefusal &&
        disclosesClaims({ refusal: response, validResponse, anonymousRefusal, bearer }) &&
        disclosesClaims({ refusal: anonymousRefusal, validResponse, anonymousRefusal })
      )
        return inconclusive('the refusal of a credential that is not a token has claims as well', [
          'USERINFO-REFUSED-CLAIMS',
        ])
      expectNoClaims(expect, { refusal: response, validResponse, anonymousRefusal, bearer })
    },
  )
}

check(
  'USERINFO-CHALLENGE',
  'refused tokens receive a Bearer challenge',
  loginAndBadCredentials,
  async ({ resources, expect, basis }) => {
    const refused = await unauthorized(resources)
    for (const { request, response } of refused) {
      expect.describeRequest(request)
      expectBearerChallenge(expect, response)
    }
    basis({ 'refused tokens': refused.length })
  },
)

check(
  'USERINFO-REFUSED-CLAIMS',
  'refusals of tokens contain no claims',
  loginAndBadCredentials,
  async ({ resources, identityProvider, expect, basis }) => {
    const refused = await refusals(resources)
    if (refused.length === 0) return inconclusive('no bad token was refused', ['USERINFO-MALFORMED-TOKEN'])
    const anonymousRefusal = await resources.userinfoWithBad('malformed')
    for (const { request, response } of refused) {
      expect.describeRequest(request)
      const bearer = identityProvider.log.bearerOf(response)
      expectNoClaims(expect, {
        refusal: response,
        validResponse: await resources.userinfo(),
        anonymousRefusal,
        bearer,
      })
    }
    basis({ 'refused tokens': refused.length })
  },
)

check(
  'USERINFO-CHALLENGE-ERROR',
  'challenges to refused tokens have the error `invalid_token`',
  loginAndBadCredentials,
  async ({ resources, expect, basis }) => {
    const challenged = (await unauthorized(resources)).flatMap(({ request, response }) => {
      const challenge = bearerChallenge(response)
      return challenge ? { request, challenge } : []
    })
    if (challenged.length === 0) return inconclusive('there is no Bearer challenge', ['USERINFO-CHALLENGE'])
    for (const { request, challenge } of challenged) {
      expect.describeRequest(request)
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

/** Responses that refuse a bad token. Other checks judge responses that accept a bad token. */
async function refusals(resources: CheckContext['resources']): Promise<Refusal[]> {
  const all: Refusal[] = []
  for (const [kind, difference] of Object.values<BadTokens>(badTokens).flatMap(({ kinds }) => kinds)) {
    const response = await resources.userinfoWithBad(kind)
    if (response) all.push({ request: requestWith(difference), response })
  }
  return all.filter(({ response }) => response.status >= 300)
}

/** Refusals with status 401. @throws {Inconclusive} if there is none */
async function unauthorized(resources: CheckContext['resources']): Promise<Refusal[]> {
  const refused = (await refusals(resources)).filter(({ response }) => response.status === 401)
  if (refused.length > 0) return refused
  return inconclusive('no bad token was refused with 401', [
    'USERINFO-MALFORMED-TOKEN',
    'USERINFO-MALFORMED-TOKEN-ERROR',
  ])
}
