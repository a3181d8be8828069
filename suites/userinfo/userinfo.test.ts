import { describe } from '../../src/check/expect.ts'
import { check } from './requirements.ts'

const login = { effects: ['login'], needs: ['user'] } as const

check('USERINFO-BEARER', 'a good access token is accepted', login, async ({ identity, expect, note }) => {
  expect.sending('a GET with the newest access token')
  const { response, refused } = await identity.userinfoAnswer()
  if (refused) {
    const { receivedAt, response: issued } = await identity.tokens()
    const lifetime = Number(issued.object?.expires_in)
    const age = (refused.exchange.sentAt - receivedAt) / 1000
    // Over by its own lifetime, a token is refused by right: the answer to the renewed one counts.
    if (!(age >= lifetime))
      expect.that(false, 'status 200', `the answer was ${describe(refused)}, before the token had expired`)
    note('the first access token had expired, so a renewed one was sent')
  }
  expect.status(response, 200)
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
