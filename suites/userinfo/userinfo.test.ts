import { expectNoClaims } from '../../src/check/disclosure.ts'
import { describe } from '../../src/check/expect.ts'
import { check } from './requirements.ts'

const login = { effects: ['login'], needs: ['user'] } as const

check('USERINFO-BEARER', 'a good access token is accepted', login, async ({ resources, expect, note }) => {
  expect.sending('a GET with the newest access token')
  const { response, refused } = await resources.userinfoAnswer()
  if (refused) note('an access token that the run had kept was refused, so one of the moment was sent')
  expect.status(response, 200)
})

check(
  'USERINFO-TOKEN-REQUIRED',
  'there are no claims without an access token',
  login,
  async ({ resources, provider, expect, observe }) => {
    await resources.userinfoControl()
    expect.sending('the same GET without Authorization')
    const response = await provider.userinfo(undefined)
    expect.that(response.status >= 300, 'a refusal', `it was answered ${describe(response)}`)
    expectNoClaims(expect, response, await resources.userinfo())
    observe('userinfo.without-token.status', response.status)
  },
)

check(
  'USERINFO-CLAIMS',
  'names of the claims are recorded',
  login,
  async ({ resources, observe, inconclusive }) => {
    const response = await resources.userinfo()
    if (response.status !== 200)
      return inconclusive(`user-info was refused (${describe(response)})`, { dependsOn: ['USERINFO-BEARER'] })
    observe('userinfo.media-type', response.mediaType)
    observe('userinfo.claims', Object.keys(response.object ?? {}).sort())
  },
)
