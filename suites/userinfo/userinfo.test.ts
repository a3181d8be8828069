import { expectInvalidToken } from '../../src/check/bearer.ts'
import { describe } from '../../src/check/expect.ts'
import { alterSignature } from '../../src/oauth/jwt.ts'
import { check } from './requirements.ts'

const login = { effects: ['login'], needs: ['user'] } as const

check('USERINFO-BEARER', 'a good access token is accepted', login, async ({ identity, expect }) => {
  expect.sending('a GET with the access token of the code exchange')
  expect.status(await identity.userinfo(), 200)
})

check(
  'USERINFO-TOKEN-REQUIRED',
  'there are no claims without an access token',
  login,
  async ({ identity, expect, observe }) => {
    await identity.userinfoControl()
    expect.sending('the same GET without Authorization')
    const response = await identity.provider.userinfo(undefined)
    expect.that(response.status >= 300, 'a refusal', `it was answered ${describe(response)}`)
    observe('userinfo.without-token.status', response.status)
  },
)

check(
  'USERINFO-MALFORMED-TOKEN',
  'a malformed access token is refused',
  login,
  async ({ identity, expect }) => {
    await identity.userinfoControl()
    expect.sending('the same GET with a bearer credential that is no token')
    expectInvalidToken(expect, await identity.provider.userinfo('plumbline-never-issued'))
  },
)

check(
  'USERINFO-TAMPERED-TOKEN',
  'an access token with an altered signature is refused',
  login,
  async ({ identity, expect }) => {
    await identity.userinfoControl()
    const { accessToken } = await identity.tokens()
    expect.sending('the same GET with one character of the signature altered')
    expectInvalidToken(expect, await identity.provider.userinfo(alterSignature(accessToken)))
  },
)

check(
  'USERINFO-CLAIMS',
  'names of the claims are recorded',
  login,
  async ({ identity, observe, inconclusive }) => {
    const response = await identity.userinfo()
    if (response.status !== 200)
      return inconclusive(`user-info was refused (${describe(response)}); see USERINFO-BEARER`)
    observe('userinfo.media-type', response.mediaType)
    observe('userinfo.claims', Object.keys(response.object ?? {}).sort())
  },
)
