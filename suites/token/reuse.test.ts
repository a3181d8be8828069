import { describe } from '../../src/check/expect.ts'
import { check } from './requirements.ts'

// Reuse makes providers revoke whole families of tokens: on the second login, after everything else.
const ownLogin = { effects: ['login', 'token-destruction'], needs: ['user'] } as const

check(
  'TOKEN-CODE-SINGLE-USE',
  'a used code is refused',
  { effects: ['login', 'token-destruction'], needs: ['user'] },
  async ({ identity, expect, inconclusive }) => {
    const code = await identity.ownLogin()
    const first = await identity.exchange(code)
    if (first.status !== 200) return inconclusive(`the first exchange was refused (${describe(first)})`)
    expect.sending('the same code exchange a second time')
    expect.refusedWith(await identity.exchange(code), 400, 'invalid_grant')
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
