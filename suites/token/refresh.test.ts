import { describe } from '../../src/check/expect.ts'
import { check } from './requirements.ts'

const ownLogin = { effects: ['login', 'token-destruction'], needs: ['user'] } as const

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

check(
  'TOKEN-REFRESH-OLD-REFUSED',
  'a rotated refresh token is refused',
  ownLogin,
  async ({ identity, expect, notApplicable }) => {
    const { refreshToken: old } = await identity.ownTokens()
    const { refreshToken: renewed } = identity.refreshedTokens(await identity.refresh(old))
    if (renewed === undefined || renewed === old) {
      return notApplicable('this provider does not rotate refresh tokens', 'target')
    }
    expect.sending('a refresh with the token that the last refresh replaced')
    expect.refusedWith(await identity.refresh(old), 400, 'invalid_grant')
  },
)

check(
  'TOKEN-REFRESH-RACE',
  'refreshes at the same time have a winner or invalid_grant',
  ownLogin,
  async ({ identity, expect, observe, basis }) => {
    const { refreshToken } = await identity.ownTokens()
    expect.sending('two refreshes with the same token over two connections at the same time')
    const answers = await Promise.all(
      [1, 2].map(() => identity.refresh(refreshToken, { ownConnection: true })),
    )
    for (const response of answers) {
      if (response.status === 200) expect.text(response.object?.access_token, 'access_token')
      else expect.refusedWith(response, 400, 'invalid_grant')
    }
    observe('token.refresh-race.winners', answers.filter(({ status }) => status === 200).length)
    basis({ 'concurrent refreshes': answers.length })
  },
)
