import { describe } from '../../src/check/expect.ts'
import { check } from './requirements.ts'

check(
  'TOKEN-REFRESH',
  'a refresh brings a new access token',
  { effects: ['login'], needs: ['user'] },
  async ({ identity, expect }) => {
    const { before, response } = await identity.firstRefresh()
    expect.sending('a refresh with the refresh token of the code exchange')
    expect.status(response, 200)
    const after = expect.text(response.object?.access_token, 'access_token')
    expect.that(after !== before.accessToken, 'another access token than before', 'it was the same one')
  },
)

check(
  'TOKEN-REFRESH-ROTATION',
  'what becomes of the refresh token is recorded',
  { effects: ['login'], needs: ['user'] },
  async ({ identity, observe, inconclusive }) => {
    const { before, response } = await identity.firstRefresh()
    if (response.status !== 200)
      return inconclusive(`the refresh failed (${describe(response)}); see TOKEN-REFRESH`)
    const after = response.object?.refresh_token
    observe(
      'token.refresh-rotation',
      after === undefined ? 'omitted' : after === before.refreshToken ? 'repeated' : 'rotated',
    )
  },
)
