import { login } from '../../src/check/check-options.ts'
import { requireSimilarClocks } from '../../src/check/clock.ts'
import { kindOf } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import type { RequirementId } from '../../src/check/requirement.ts'
import type { TokenKind } from '../../src/check/tokens/issued-tokens.ts'
import { inconclusive } from '../../src/check/verdict.ts'
import { halfCenturySeconds } from '../../src/oauth/id-token.ts'
import { type DecodedJwt, decodeJwt } from '../../src/oauth/jwt.ts'
import { actualExpiry, agrees, expiryAfter, hasExpired, notValidFor } from './lifetimes.ts'
import { check } from './requirements.ts'
import { codeExchange, refresh, returnedBy, tokenKinds } from './sources.ts'

for (const { kind, prefix } of tokenKinds) {
  check(`${prefix}-EXPIRY-SECONDS`, '`exp` is a number of seconds', login, async ({ tokens, expect }) => {
    expect.describeRequest(returnedBy(codeExchange, kind))
    const { claims } = await tokens.jwt(kind)
    const { receivedAt } = await tokens.first()
    expect.that(typeof claims.exp === 'number', 'exp as a number', `exp: ${kindOf(claims.exp)}`)
    // A clock is never wrong by half a century: such a difference means another unit, such as milliseconds.
    const remainingSeconds = Math.round(Number(claims.exp) - receivedAt / 1000)
    expect.that(
      Math.abs(remainingSeconds) < halfCenturySeconds,
      'exp in seconds since the epoch',
      actualExpiry(remainingSeconds),
    )
  })

  check(`${prefix}-EXPIRY`, '`exp` of a new token is in the future', login, async (context) => {
    const { expect, note, tokens } = context
    const remainingSeconds = await secondsLeft(context, kind, `${prefix}-EXPIRY-SECONDS`)
    expect.describeRequest(returnedBy(codeExchange, kind))
    const { claims } = await tokens.jwt(kind)
    expect.that(!hasExpired(claims, remainingSeconds), 'exp in the future', actualExpiry(remainingSeconds))
    if (remainingSeconds <= 0) note(`${actualExpiry(remainingSeconds)}, within the clock skew of 60 s`)
    const wait = notValidFor(claims, remainingSeconds)
    if (wait !== undefined)
      note(
        `nbf is ${wait} s after the response; RFC 7519, 4.1.5 requires clients to reject the token until then`,
      )
  })
}

check(
  'ACCESSTOKEN-LIFETIME',
  '`exp` of the access token agrees with `expires_in`',
  login,
  async (context) => {
    const { tokens, expect } = context
    const remainingSeconds = await secondsLeft(context, 'accessToken', 'ACCESSTOKEN-EXPIRY-SECONDS')
    const lifetime = (await tokens.first()).response.object?.expires_in
    if (typeof lifetime !== 'number' || lifetime <= 0)
      return inconclusive('expires_in is not a lifetime', ['TOKEN-EXPIRES-IN'])
    if (hasExpired((await tokens.jwt('accessToken')).claims, remainingSeconds))
      return inconclusive('exp is in the past', ['ACCESSTOKEN-EXPIRY'])
    expect.describeRequest(returnedBy(codeExchange, 'accessToken'))
    expect.that(agrees(remainingSeconds, lifetime), expiryAfter(lifetime), actualExpiry(remainingSeconds))
  },
)

check(
  'ACCESSTOKEN-REFRESHED-LIFETIME',
  '`exp` of a refreshed access token agrees with `expires_in`',
  login,
  async (context) => {
    const { tokens, expect } = context
    const remainingSeconds = await secondsLeft(context, 'accessToken', 'ACCESSTOKEN-EXPIRY-SECONDS')
    if (!agrees(remainingSeconds, (await tokens.first()).response.object?.expires_in))
      return inconclusive('the access token of the code exchange already violates the same rule', [
        'ACCESSTOKEN-LIFETIME',
      ])
    const { response } = await tokens.firstRefresh()
    const refreshed = decodeJwt(tokens.refreshedTokens(response).accessToken)
    if (!refreshed) return inconclusive('the token is not a JWT', ['SUBJECT-AFTER-REFRESH'])
    const { receivedAt } = response
    const remainingAfterRefresh = secondsUntil(context, refreshed, receivedAt, 'ACCESSTOKEN-REFRESHED-EXPIRY')
    if (hasExpired(refreshed.claims, remainingAfterRefresh))
      return inconclusive('exp is in the past', ['ACCESSTOKEN-REFRESHED-EXPIRY'])
    const lifetime = response.object?.expires_in
    if (typeof lifetime !== 'number' || lifetime <= 0)
      return inconclusive('expires_in is not a lifetime', ['TOKEN-REFRESH-EXPIRES-IN'])
    expect.describeRequest(returnedBy(refresh, 'accessToken'))
    expect.that(
      agrees(remainingAfterRefresh, lifetime),
      expiryAfter(lifetime),
      actualExpiry(remainingAfterRefresh),
    )
  },
)

type Timing = Pick<CheckContext, 'tokens' | 'clockOffsetMs'>

/**
 * Seconds from the response of the code exchange to exp of its token, by the clock of the target.
 * @param expId the requirement that exp is a number of seconds
 */
async function secondsLeft(context: Timing, kind: TokenKind, expId: RequirementId): Promise<number> {
  const token = await context.tokens.jwt(kind)
  return secondsUntil(context, token, (await context.tokens.first()).receivedAt, expId)
}

/** Seconds from the receipt of a token to its exp, by the clock of the target. */
function secondsUntil(
  { clockOffsetMs }: Timing,
  { claims: { exp } }: DecodedJwt,
  receivedAt: number,
  expId: RequirementId,
): number {
  const offset = requireSimilarClocks(clockOffsetMs())
  const remainingSeconds = Number(exp) - (receivedAt + offset) / 1000
  if (typeof exp !== 'number' || Math.abs(remainingSeconds) >= halfCenturySeconds)
    return inconclusive('exp is not a number of seconds', [expId])
  return Math.round(remainingSeconds)
}
