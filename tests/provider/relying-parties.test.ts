import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningProvider, startProvider } from '../../provider/index.ts'
import { TestClient } from './client.ts'

// Independent relying parties: partners' libraries accept the same as they do.

let running: RunningProvider
let agent: TestClient
beforeAll(async () => {
  running = await startProvider()
  agent = new TestClient(running)
})
afterAll(() => running.close())

/** Signs the user in and returns the address of the last redirect. */
async function signIn(url: URL): Promise<URL> {
  const { landing } = await agent.authorize(Object.fromEntries(url.searchParams))
  if (!landing) throw new Error('the login did not come back')
  return landing
}

describe('openid-client', () => {
  const start = (method: 'client_secret_basic' | 'client_secret_post') => {
    const secret = agent.value('CLIENT_SECRET')
    return openid.discovery(
      new URL(running.issuer),
      agent.value('CLIENT_ID'),
      undefined,
      method === 'client_secret_basic' ? openid.ClientSecretBasic(secret) : openid.ClientSecretPost(secret),
      { execute: [openid.allowInsecureRequests] },
    )
  }

  test('logs in, reads UserInfo and refreshes', async () => {
    const configuration = await start('client_secret_basic')
    const verifier = openid.randomPKCECodeVerifier()
    const [state, nonce] = [openid.randomState(), openid.randomNonce()]
    const request = openid.buildAuthorizationUrl(configuration, {
      redirect_uri: agent.value('REDIRECT_URI'),
      scope: agent.value('SCOPE'),
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    })
    const tokens = await openid.authorizationCodeGrant(configuration, await signIn(request), {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    })
    const sub = tokens.claims()?.sub ?? ''
    expect(sub).not.toBe('')
    const claims = await openid.fetchUserInfo(configuration, tokens.access_token, sub)
    expect(claims.email).toBe(agent.value('TEST_USER'))
    const renewed = await openid.refreshTokenGrant(configuration, tokens.refresh_token ?? '')
    expect(renewed.access_token).not.toBe(tokens.access_token)
  })

  test('is refused with the authentication method that is not configured', async () => {
    const configuration = await start('client_secret_post')
    await expect(openid.refreshTokenGrant(configuration, 'never-issued')).rejects.toMatchObject({
      error: 'invalid_client',
      status: 401,
    })
  })
})

test('oauth4webapi logs in, verifies the signature, reads UserInfo and refreshes', async () => {
  const insecure = { [oauth.allowInsecureRequests]: true }
  const issuer = new URL(running.issuer)
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure))
  const client: oauth.Client = { client_id: agent.value('CLIENT_ID') }
  const authentication = oauth.ClientSecretBasic(agent.value('CLIENT_SECRET'))
  const verifier = oauth.generateRandomCodeVerifier()
  const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()]
  const request = new URL(server.authorization_endpoint ?? '')
  request.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: agent.value('REDIRECT_URI'),
    response_type: 'code',
    scope: agent.value('SCOPE'),
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
  }).toString()
  const parameters = oauth.validateAuthResponse(server, client, await signIn(request), state)
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    parameters,
    agent.value('REDIRECT_URI'),
    verifier,
    insecure,
  )
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: nonce,
    requireIdToken: true,
  })
  await oauth.validateApplicationLevelSignature(server, response, insecure)
  const { sub } = oauth.getValidatedIdTokenClaims(tokens) ?? { sub: '' }
  const userinfo = await oauth.userInfoRequest(server, client, tokens.access_token, insecure)
  expect(await oauth.processUserInfoResponse(server, client, sub, userinfo)).toMatchObject({ sub })
  const refresh = await oauth.refreshTokenGrantRequest(
    server,
    client,
    authentication,
    tokens.refresh_token ?? '',
    insecure,
  )
  const renewed = await oauth.processRefreshTokenResponse(server, client, refresh)
  expect(renewed.access_token).not.toBe(tokens.access_token)
})
