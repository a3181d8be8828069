import { login, loginWithSecond } from '../../src/check/check-options.ts'
import { expectNoClaims } from '../../src/check/disclosure.ts'
import { describe } from '../../src/check/expect.ts'
import { acceptsToken, expectAccepted } from '../../src/check/userinfo-response.ts'
import { inconclusive } from '../../src/check/verdict.ts'
import { decodeJwt } from '../../src/oauth/jwt.ts'
import { check } from './requirements.ts'

check('USERINFO-BEARER', 'a valid access token is accepted', login, async ({ resources, expect, note }) => {
  expect.describeRequest('a GET of UserInfo with the access token of a code exchange')
  const { response, refused } = await resources.userinfoResponse()
  if (refused) note('an earlier access token of the run was refused, so a new one was sent')
  expectAccepted(expect, response)
})

check(
  'USERINFO-BEARER',
  'a valid access token is accepted more than once',
  login,
  async ({ resources, expect }) => {
    expect.describeRequest('a second GET of UserInfo with the same access token')
    expectAccepted(expect, await resources.userinfoAgain())
  },
)

check(
  'USERINFO-BEARER',
  'a valid access token of the second application is accepted',
  loginWithSecond,
  async ({ secondClient, expect }) => {
    expect.describeRequest('a GET of UserInfo with an access token of the second application')
    expectAccepted(expect, await secondClient.userinfo())
  },
)

check(
  'USERINFO-REFRESHED-TOKEN',
  'a refreshed access token is accepted',
  login,
  async ({ resources, tokens, discovery, expect }) => {
    // Inconclusive if UserInfo refuses an access token that was not refreshed.
    await resources.userinfoControl()
    expect.describeRequest('a GET of UserInfo with a refreshed access token')
    const response = await resources.userinfoAfterRefresh()
    const token = decodeJwt(await tokens.refreshedAccessToken())
    if (response.status === 401 && token && !(await discovery.verify(token)).valid)
      return inconclusive('the signature of the token is not valid', ['ACCESSTOKEN-REFRESHED-SIGNATURE'])
    expectAccepted(expect, response)
  },
)

check(
  'USERINFO-TOKEN-REQUIRED',
  'a request without an access token receives no claims',
  login,
  async ({ resources, expect, observe }) => {
    expect.describeRequest('a GET of UserInfo without Authorization')
    const response = await resources.userinfoWithoutToken()
    expect.that(!acceptsToken(response), 'a refusal, or a page without claims', response)
    const validResponse = await resources.userinfo()
    expectNoClaims(expect, { refusal: response, validResponse, anonymousRefusal: response })
    observe('userinfo.without-token.status', response.status)
  },
)

check('USERINFO-CLAIMS', 'names of the claims are recorded', login, async ({ resources, observe }) => {
  const response = await resources.userinfo()
  if (!acceptsToken(response))
    return inconclusive(`UserInfo was refused (${describe(response)})`, ['USERINFO-BEARER'])
  observe('userinfo.media-type', response.mediaType)
  observe('userinfo.claims', Object.keys(response.object ?? {}).sort())
})
