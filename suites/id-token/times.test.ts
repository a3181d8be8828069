import { kindOf } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import type { RequirementId } from '../../src/check/requirement.ts'
import { halfCenturySeconds } from '../../src/oauth/id-token.ts'
import { check } from './requirements.ts'

const login = { effects: ['login'], needs: ['user'] } as const

/** Allowed between exp and expires_in, which the provider may compute at different moments. */
const toleranceSeconds = 60

for (const [kind, prefix] of [
  ['idToken', 'IDTOKEN'],
  ['accessToken', 'ACCESSTOKEN'],
] as const) {
  check(`${prefix}-EXPIRY-SECONDS`, 'exp is a number of seconds', login, async ({ tokens, expect }) => {
    const { claims } = await tokens.jwt(kind)
    const { receivedAt } = await tokens.first()
    expect.that(typeof claims.exp === 'number', 'exp as a number', `it was ${kindOf(claims.exp)}`)
    // However wrong a clock may be, it is not wrong by decades.
    const left = Math.round(Number(claims.exp) - receivedAt / 1000)
    expect.that(Math.abs(left) < halfCenturySeconds, 'exp in seconds since the epoch', cameOf(left))
  })

  check(
    `${prefix}-EXPIRY`,
    'exp of a fresh token has not passed',
    login,
    async ({ expect, tokens, clockOffsetMs, inconclusive }) => {
      const left = await secondsLeft(
        { tokens, clockOffsetMs, inconclusive },
        kind,
        `${prefix}-EXPIRY-SECONDS`,
      )
      expect.that(left > 0, 'exp in the future', cameOf(left))
    },
  )
}

check(
  'ACCESSTOKEN-LIFETIME',
  'exp of the access token agrees with expires_in',
  login,
  async ({ tokens, inconclusive, expect, clockOffsetMs }) => {
    const left = await secondsLeft(
      { tokens, clockOffsetMs, inconclusive },
      'accessToken',
      'ACCESSTOKEN-EXPIRY-SECONDS',
    )
    const lifetime = (await tokens.first()).response.object?.expires_in
    if (typeof lifetime !== 'number' || lifetime <= 0)
      return inconclusive('expires_in is no lifetime', { dependsOn: ['TOKEN-EXPIRES-IN'] })
    if (left <= 0) return inconclusive('exp has passed', { dependsOn: ['ACCESSTOKEN-EXPIRY'] })
    expect.that(
      Math.abs(left - lifetime) <= toleranceSeconds,
      `exp ${lifetime} s after the answer, within ${toleranceSeconds} s`,
      cameOf(left),
    )
  },
)

/** Seconds from the answer to exp, by the target's own clock. */
async function secondsLeft(
  { tokens, clockOffsetMs, inconclusive }: Pick<CheckContext, 'tokens' | 'clockOffsetMs' | 'inconclusive'>,
  kind: 'idToken' | 'accessToken',
  form: RequirementId,
): Promise<number> {
  const {
    claims: { exp },
  } = await tokens.jwt(kind)
  const { receivedAt } = await tokens.first()
  const offset = clockOffsetMs()
  if (offset === undefined)
    return inconclusive('the clock of the target is unknown: its answers have no Date')
  if (Math.abs(offset) > 30_000) {
    return inconclusive(`the clocks differ by ${Math.round(offset / 1000)} s`, {
      advice: 'set the clock of this machine first',
    })
  }
  const left = Number(exp) - (receivedAt + offset) / 1000
  if (typeof exp !== 'number' || Math.abs(left) >= halfCenturySeconds)
    return inconclusive('exp is no number of seconds', { dependsOn: [form] })
  return Math.round(left)
}

function cameOf(left: number): string {
  return left < 0 ? `it was ${-left} s in the past` : `it was ${left} s after the answer`
}
