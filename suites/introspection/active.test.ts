import { login } from '../../src/check/check-options.ts'
import { kindOf, quotedOrMasked } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { inconclusive, notApplicable } from '../../src/check/verdict.ts'
import { check } from './requirements.ts'

check('INTROSPECTION-ACTIVE', 'a valid token is active', login, async ({ tokens, resources, expect }) => {
  const response = await resources.availableIntrospection()
  const { active } = expect.object(response)
  const { receivedAt, response: issued } = await tokens.refreshable()
  const age = (response.exchange.sentAt - receivedAt) / 1000
  if (active === false && age >= Number(issued.object?.expires_in))
    return inconclusive('the access token had expired before the request')
  expect.that(active === true, 'active true', `active: ${active === false ? 'false' : kindOf(active)}`)
})

/** Maximum difference between the provider's clock and Plumbline's clock, in seconds. */
const tolerance = 60
const now = () => Date.now() / 1000
const isSeconds = (value: unknown): value is number => Number.isInteger(value)

/** A member of the response for an active token, with its expected value. */
interface Member {
  readonly id: Parameters<typeof check>[0]
  readonly member: string
  readonly expected: string
  /** Whether responses for refresh tokens have the member, too. */
  readonly ofEveryToken?: true
  readonly holds: (value: unknown, context: CheckContext) => boolean | Promise<boolean>
}

const members: readonly Member[] = [
  {
    id: 'INTROSPECTION-SCOPE',
    member: 'scope',
    expected: 'scope as a string',
    ofEveryToken: true,
    holds: (value) => typeof value === 'string',
  },
  {
    id: 'INTROSPECTION-CLIENT-ID',
    member: 'client_id',
    expected: 'client_id equal to CLIENT_ID',
    ofEveryToken: true,
    holds: (value, { application }) => value === application.id,
  },
  {
    id: 'INTROSPECTION-USERNAME',
    member: 'username',
    expected: 'username as an e-mail address',
    ofEveryToken: true,
    holds: (value) => typeof value === 'string' && /^\S+@\S+$/.test(value),
  },
  {
    id: 'INTROSPECTION-TOKEN-TYPE',
    member: 'token_type',
    expected: 'token_type Bearer, in any letter case',
    holds: (value) => typeof value === 'string' && value.toLowerCase() === 'bearer',
  },
  {
    id: 'INTROSPECTION-EXP',
    member: 'exp',
    expected: 'exp as a whole number of seconds, within the next ten years',
    holds: (value) => isSeconds(value) && value > now() - tolerance && value < now() + 10 * 366 * 86_400,
  },
  ...(['iat', 'nbf'] as const).map(
    (member): Member => ({
      id: member === 'iat' ? 'INTROSPECTION-IAT' : 'INTROSPECTION-NBF',
      member,
      expected: `${member} as a whole number of seconds, within the last ten years`,
      holds: (value) => isSeconds(value) && value < now() + tolerance && value > now() - 10 * 366 * 86_400,
    }),
  ),
  {
    id: 'INTROSPECTION-SUB',
    member: 'sub',
    expected: 'sub equal to that of the access token',
    ofEveryToken: true,
    holds: async (value, { tokens }) => value === (await tokens.jwt('accessToken')).claims.sub,
  },
  {
    id: 'INTROSPECTION-AUD',
    member: 'aud',
    expected: 'aud as a string, or a non-empty array of strings',
    holds: (value) => {
      const audiences = Array.isArray(value) ? value : [value]
      return audiences.length > 0 && audiences.every((one) => typeof one === 'string' && one !== '')
    },
  },
  {
    id: 'INTROSPECTION-ISS',
    member: 'iss',
    expected: 'iss equal to IDP_BASE_URL',
    ofEveryToken: true,
    holds: async (value, { discovery }) => (await discovery.issuerProblem(value)) === undefined,
  },
]

for (const { id, member, expected, ofEveryToken, holds } of members) {
  const tokens = ofEveryToken ? (['access token', 'refresh token'] as const) : (['access token'] as const)
  for (const token of tokens)
    check(id, `the \`${member}\` of an active ${token} is as documented`, login, async (context) => {
      const { resources, expect } = context
      expect.describeRequest(`an introspection request for a valid ${token}`)
      const value = await memberOf(resources, member, token)
      const described = member === 'iss' || member === 'token_type' ? quotedOrMasked(value) : kindOf(value)
      expect.that(await holds(value, context), expected, `${member}: ${described}`)
    })
}

check(
  'INTROSPECTION-JTI',
  '`jti` identifies one token',
  login,
  async ({ authorization, tokens, resources, expect }) => {
    const first = expect.text(await memberOf(resources, 'jti'), 'jti')
    await tokens.control()
    const { accessToken } = await tokens.tokensFor(await authorization.code())
    expect.describeRequest('an introspection request for another access token')
    const response = await resources.introspect({ token: accessToken })
    if (response.object?.active !== true)
      return inconclusive('the second token is not active', ['INTROSPECTION-ACTIVE'])
    const second = expect.text(response.object.jti, 'jti of a second token')
    expect.that(second !== first, 'a different jti for each token', 'the same jti')
  },
)

/**
 * The value of a member in the response for the access or refresh token of the run.
 * @throws {Inconclusive} if the token is not active
 * @throws {NotApplicable} if the response lacks the member
 */
async function memberOf(
  resources: CheckContext['resources'],
  member: string,
  token: 'access token' | 'refresh token' = 'access token',
): Promise<unknown> {
  let { object } = await resources.availableIntrospection()
  if (object?.active !== true)
    return inconclusive('the response for a valid access token does not have `active: true`', [
      'INTROSPECTION-ACTIVE',
    ])
  if (token === 'refresh token') object = (await resources.refreshTokenIntrospection()).object
  if (object?.active !== true)
    return inconclusive('the response for a valid refresh token does not have `active: true`', [
      'INTROSPECTION-REFRESH-TOKEN',
    ])
  const value = object[member]
  return value === undefined
    ? notApplicable(`the response has no ${member}, which is optional`, 'target')
    : value
}
