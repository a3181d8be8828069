import type { CheckContext } from '../../src/check/context.ts'
import { kindOf } from '../../src/check/expect.ts'
import { check } from './requirements.ts'

const login = { effects: ['login'], needs: ['user'] } as const

/** A year in seconds: an exp further away than this is not in seconds. */
const year = 366 * 24 * 3600
/** Allowed between exp and expires_in, which the provider may compute at different moments. */
const toleranceSeconds = 60

check('IDTOKEN-EXPIRY', 'exp of a fresh ID token is in the future, in seconds', login, async (context) => {
  const { claims } = await context.identity.jwt('idToken')
  const left = secondsLeft(context, claims.exp, (await context.identity.tokens()).receivedAt)
  context.expect.that(left > 0 && left < 50 * year, 'exp in the future, in seconds', cameOf(left))
})

check('ACCESSTOKEN-EXPIRY', 'exp of the access token agrees with expires_in', login, async (context) => {
  const { claims } = await context.identity.jwt('accessToken')
  const { response, receivedAt } = await context.identity.tokens()
  const lifetime = response.object?.expires_in
  const left = secondsLeft(context, claims.exp, receivedAt)
  if (typeof lifetime !== 'number')
    return context.inconclusive('expires_in is no number; see TOKEN-RESPONSE-SHAPE')
  context.expect.that(
    Math.abs(left - lifetime) <= toleranceSeconds,
    `exp ${lifetime} s after the answer, within ${toleranceSeconds} s`,
    cameOf(left),
  )
})

/** Seconds from the answer to exp, by the target's own clock. */
function secondsLeft(
  { expect, clockOffsetMs, inconclusive }: CheckContext,
  exp: unknown,
  receivedAt: number,
): number {
  const offset = clockOffsetMs()
  if (offset === undefined)
    return inconclusive('the clock of the target is unknown: its answers have no Date')
  if (Math.abs(offset) > 30_000) {
    return inconclusive(`the clocks differ by ${Math.round(offset / 1000)} s; set this machine's clock first`)
  }
  if (typeof exp !== 'number')
    return expect.violated({ acceptable: 'exp as a number', came: `it was ${kindOf(exp)}` })
  return Math.round(exp - (receivedAt + offset) / 1000)
}

function cameOf(left: number): string {
  return left < 0 ? `it was ${-left} s in the past` : `it was ${left} s after the answer`
}
