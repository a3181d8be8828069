import { decodeProtectedHeader } from 'jose'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDeployment } from '../../provider/deployment.ts'
import { type RunningProvider, startProvider } from '../../provider/index.ts'
import { claimsOf, TestClient } from './client.ts'

const USERINFO = '/mga/sps/oauth/oauth20/userinfo'

let running: RunningProvider
let client: TestClient
beforeAll(async () => {
  running = await startProvider()
})
beforeAll(() => {
  client = new TestClient(running)
})
afterAll(() => running.close())

async function errorOf(response: { status: number; json(): Promise<unknown> }) {
  const body = (await response.json()) as Record<string, unknown>
  expect(body.error_description).toBeTypeOf('string')
  return [response.status, body.error]
}

describe('authorization code flow', () => {
  test('a login ends at the redirect URI with a code and the unchanged state', async () => {
    const { landing, parameters } = await new TestClient(running).code({ state: 'a b+c%20ä/€?&=#\'"' })
    expect(`${landing?.origin}${landing?.pathname}`).toBe(client.value('REDIRECT_URI'))
    expect(landing?.searchParams.get('state')).toBe(parameters.state)
    expect(landing?.searchParams.get('iss')).toBe(running.issuer)
    expect(landing?.hash).toBe('')
  })

  test('tokens are RS256 JWTs of a published key and name issuer, user and application', async () => {
    const { exchange, parameters } = await client.code()
    const response = await client.token(exchange)
    const tokens = (await response.json()) as Record<string, string>
    expect(response.status).toBe(200)
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 900, scope: client.value('SCOPE') })
    const { keys } = (await (await client.request(running.jwksUrl)).json()) as { keys: { kid: string }[] }
    for (const token of [tokens.id_token ?? '', tokens.access_token ?? '']) {
      expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'RS256', kid: keys[0]?.kid })
    }
    expect(keys[0]).not.toHaveProperty('d')
    const id = claimsOf(tokens.id_token)
    const { CLIENT_ID, REQUIRED_ACR } = running.variables
    expect(id).toMatchObject({ iss: running.issuer, aud: CLIENT_ID, azp: CLIENT_ID, acr: REQUIRED_ACR })
    expect(id.nonce).toBe(parameters.nonce)
    expect(claimsOf(tokens.access_token).sub).toBe(id.sub)

    const userinfo = await client.request(USERINFO, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    })
    expect(await userinfo.json()).toMatchObject({ sub: id.sub, email: client.value('TEST_USER') })
  })

  test('a wrong password shows an error on the page; cancel redirects with access_denied', async () => {
    const { parameters } = client.authorizationRequest()
    const wrong = await new TestClient(running).authorize(parameters, { password: 'wrong' })
    expect(wrong.landing).toBeUndefined()
    expect(wrong.pages.at(-1)).toContain('role="alert"')
    const cancelled = await new TestClient(running).authorize(parameters, { cancel: true })
    expect(cancelled.landing?.searchParams.get('error')).toBe('access_denied')
  })

  test.each([
    [{ state: undefined }, 'invalid_request'],
    [{ nonce: undefined }, 'invalid_request'],
    [{ code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ scope: 'profile' }, 'invalid_request'],
    [{ scope: 'openid unknown' }, 'invalid_scope'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ prompt: 'none' }, 'login_required'],
    [{ acr_values: 'unknown' }, 'unmet_authentication_requirements'],
  ])('a request with %o is refused with %s in the query', async (overrides, error) => {
    const { parameters } = client.authorizationRequest(overrides)
    const { landing, response } = await new TestClient(running).authorize(parameters)
    expect(response.status).toBe(302)
    expect(landing?.searchParams.get('error')).toBe(error)
    expect(landing?.searchParams.has('code')).toBe(false)
  })

  test('an altered redirect URI ends on a page with status 400', async () => {
    const { parameters } = client.authorizationRequest({ redirect_uri: 'https://partner.invalid/callback/' })
    const { landing, response } = await client.authorize(parameters)
    expect(landing).toBeUndefined()
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('redirect_uri_mismatch')
  })

  test('consent is asked once per application', async () => {
    const { SECOND_CLIENT_ID, SECOND_REDIRECT_URI } = running.variables
    const second = { client_id: SECOND_CLIENT_ID, redirect_uri: SECOND_REDIRECT_URI }
    const silent = client.authorizationRequest({ ...second, prompt: 'none' })
    expect((await client.authorize(silent.parameters)).landing?.searchParams.get('error')).toBe(
      'consent_required',
    )
    await client.authorize(client.authorizationRequest(second).parameters)
    expect((await client.authorize(silent.parameters)).landing?.searchParams.has('code')).toBe(true)
  })

  test('a level that the user cannot reach is refused, by acr_values and by auth_level', async () => {
    const level = running.variables.ACR_ORDER?.split(',').at(-1)
    for (const [name, error] of [
      ['acr_values', 'unmet_authentication_requirements'],
      ['auth_level', 'access_denied'],
    ] as const) {
      const { parameters } = client.authorizationRequest({ [name]: level })
      const { landing } = await new TestClient(running).authorize(parameters)
      expect(landing?.searchParams.get('error')).toBe(error)
    }
  })
})

test('a user with a second factor reaches the highest level with a one-time code', async () => {
  const [, , user] = createDeployment('plumbline', {
    authMethod: 'client_secret_basic',
    secondApplicationRefreshes: false,
  }).users
  const { username = '', password = '', totpSecret = '' } = user ?? {}
  const code = new TOTP({ secret: Secret.fromBase32(totpSecret) }).generate()
  const level = running.variables.ACR_ORDER?.split(',').at(-1)
  const { parameters, verifier } = client.authorizationRequest({ acr_values: level })
  const { landing, pages } = await new TestClient(running).authorize(parameters, { username, password, code })
  expect(pages[1]).toContain('one-time-code')
  const response = await client.token({
    grant_type: 'authorization_code',
    code: landing?.searchParams.get('code') ?? '',
    code_verifier: verifier,
    redirect_uri: parameters.redirect_uri ?? '',
  })
  expect(claimsOf(((await response.json()) as { id_token: string }).id_token).acr).toBe(level)
})

describe('token endpoint', () => {
  test('a code works once, and a replay revokes its tokens and no others', async () => {
    const other = await client.login()
    const { exchange } = await client.code()
    const tokens = (await (await client.token(exchange)).json()) as Record<string, string>
    expect(await errorOf(await client.token(exchange))).toEqual([400, 'invalid_grant'])
    const statusWith = async (token: unknown) =>
      (await client.request(USERINFO, { headers: { authorization: `Bearer ${token}` } })).status
    expect(await statusWith(tokens.access_token)).toBe(401)
    expect(await statusWith(other.access_token)).toBe(200)
  })

  test('a code needs its own verifier, redirect URI and client', async () => {
    const second = client.basic(client.value('SECOND_CLIENT_ID'), client.value('SECOND_CLIENT_SECRET'))
    const { exchange } = await client.code()
    const wrong = { ...exchange, code_verifier: 'x'.repeat(43) }
    expect(await errorOf(await client.token(wrong))).toEqual([400, 'invalid_grant'])
    const elsewhere = { ...exchange, redirect_uri: 'https://partner.invalid/other' }
    expect(await errorOf(await client.token(elsewhere))).toEqual([400, 'invalid_grant'])
    expect(await errorOf(await client.token(exchange, second))).toEqual([400, 'invalid_grant'])
    const { code_verifier: _, ...without } = exchange
    expect(await errorOf(await client.token(without))).toEqual([400, 'invalid_request'])
    expect((await client.token(exchange)).status).toBe(200)
  })

  test('a refresh rotates; the old token is refused; one of two racing refreshes wins', async () => {
    const { refresh_token } = await client.login()
    const refresh = { grant_type: 'refresh_token', refresh_token: String(refresh_token) }
    const statuses = (await Promise.all([client.token(refresh), client.token(refresh)])).map(
      ({ status }) => status,
    )
    expect(statuses.sort()).toEqual([200, 400])
    expect(await errorOf(await client.token(refresh))).toEqual([400, 'invalid_grant'])
  })

  test('errors have the documented names and statuses', async () => {
    const refresh = { grant_type: 'refresh_token', refresh_token: 'none' }
    const { CLIENT_ID = '', CLIENT_SECRET = '' } = running.variables
    const second = client.basic(client.value('SECOND_CLIENT_ID'), client.value('SECOND_CLIENT_SECRET'))
    const inBody = { ...refresh, client_id: CLIENT_ID, client_secret: CLIENT_SECRET }
    expect(await errorOf(await client.token({ grant_type: 'client_credentials' }))).toEqual([
      400,
      'unsupported_grant_type',
    ])
    expect(await errorOf(await client.token(inBody, {}))).toEqual([401, 'invalid_client'])
    expect(await errorOf(await client.token(refresh, client.basic(CLIENT_ID, 'wrong')))).toEqual([
      401,
      'invalid_client',
    ])
    expect(await errorOf(await client.token(refresh, {}))).toEqual([401, 'invalid_client'])
    expect(await errorOf(await client.token(refresh, second))).toEqual([400, 'unauthorized_client'])
    expect(await errorOf(await client.token({}))).toEqual([400, 'invalid_request'])
  })

  test('the Basic header accepts id and secret raw and form-encoded', async () => {
    const encoded = (text: string) => text.replaceAll('-', '%2D')
    const headers = client.basic(encoded(client.value('CLIENT_ID')), encoded(client.value('CLIENT_SECRET')))
    const { exchange } = await client.code()
    expect((await client.token(exchange, headers)).status).toBe(200)
  })
})

describe('userinfo and introspection', () => {
  test('a missing, malformed or altered token returns 401 with a challenge', async () => {
    const { access_token } = await client.login()
    const [header, payload, signature = ''] = String(access_token).split('.')
    const altered = `${header}.${payload}.${signature.slice(0, 9)}${signature[9] === 'A' ? 'B' : 'A'}${signature.slice(10)}`
    expect((await client.request(USERINFO)).status).toBe(401)
    for (const token of ['malformed', altered]) {
      const response = await client.request(USERINFO, { headers: { authorization: `Bearer ${token}` } })
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer .*error="invalid_token"/)
    }
  })

  test('introspection returns a page with 400, and works as specified with the variant', async () => {
    const path = '/mga/sps/oauth/oauth20/introspect'
    const refused = await client.form(path, { token: 'x' }, client.basic())
    expect([refused.status, refused.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8'])

    const reference = await startProvider({ variants: ['introspection-available'] })
    try {
      const other = new TestClient(reference)
      const tokens = await other.login()
      const active = await other.form(path, { token: String(tokens.access_token) }, other.basic())
      expect(await active.json()).toMatchObject({
        active: true,
        token_type: 'Bearer',
        username: other.value('TEST_USER'),
      })
      const inactive = await other.form(path, { token: 'x.y.z' }, other.basic())
      expect(await inactive.json()).toEqual({ active: false })
      expect(await errorOf(await other.form(path, {}, other.basic()))).toEqual([400, 'invalid_request'])
    } finally {
      await reference.close()
    }
  })
})

test('faults and variants change the behaviour that they describe', async () => {
  const altered = await startProvider({
    faults: ['pkce-plain-accepted', 'id-token-issuer-trailing-slash'],
    variants: ['token-type-capitalised', 'login-in-two-steps', 'validation-after-login', 'login-in-finnish'],
  })
  try {
    const other = new TestClient(altered)
    const { verifier } = other.authorizationRequest()
    const { parameters } = other.authorizationRequest({
      code_challenge: verifier,
      code_challenge_method: 'plain',
    })
    const { landing, pages } = await other.authorize(parameters)
    expect(pages[0]).toContain('lang="fi"')
    const response = await other.token({
      grant_type: 'authorization_code',
      code: landing?.searchParams.get('code') ?? '',
      code_verifier: verifier,
      redirect_uri: other.value('REDIRECT_URI'),
    })
    const tokens = (await response.json()) as Record<string, string>
    expect(tokens.token_type).toBe('Bearer')
    expect(claimsOf(tokens.id_token).iss).toBe(`${altered.issuer}/`)

    const late = other.authorizationRequest({ nonce: undefined })
    const fresh = await new TestClient(altered).authorize(late.parameters)
    expect(fresh.pages.length).toBeGreaterThan(0)
    expect(fresh.landing?.searchParams.get('error')).toBe('invalid_request')
  } finally {
    await altered.close()
  }
})
