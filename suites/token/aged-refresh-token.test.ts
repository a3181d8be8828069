import { setTimeout as sleep } from 'node:timers/promises'
import { check } from './requirements.ts'

/** For so long a rotated refresh token may stay good, so that a client whose answer got lost can ask again. */
const graceMs = 60_000

check(
  'TOKEN-REFRESH-OLD-REFUSED',
  'a rotated refresh token is refused',
  // After all others: it is the older for it, and trying it may cost every token of the session.
  { effects: ['login', 'token-destruction'], needs: ['user'], looksBack: true },
  async ({ tokens, sharedRequests, expect, target, inconclusive, notApplicable, basis }) => {
    const replaced = await sharedRequests.replacedRefreshToken()
    if (!replaced) return notApplicable('this provider does not rotate refresh tokens', 'target')
    const { refreshToken, replacedAt } = replaced
    const age = () => Date.now() - replacedAt
    expect.sending('a refresh with a token that an earlier refresh replaced')
    let response = await tokens.refresh(refreshToken)
    if (response.status < 300 && age() < graceMs) {
      if (!target.allowedEffects.includes('slow')) {
        return inconclusive(
          `it was accepted ${Math.round(age() / 1000)} s after it was replaced, which may be meant`,
          {
            variables: ['ENABLE'],
            advice: 'add slow to ENABLE, so that the run waits a minute and sends it again',
          },
        )
      }
      await sleep(graceMs - age())
      response = await tokens.refresh(refreshToken)
    }
    expect.refusedWith(response, 400, 'invalid_grant')
    basis({ 'seconds since it was replaced': Math.round(age() / 1000) })
  },
)
