import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { authorizationRequest } from '../../src/oauth/authorization-request.ts'
import { basicIsAmbiguous, clientAuthentication } from '../../src/oauth/client-authentication.ts'
import { endpoint } from '../../src/oauth/endpoints.ts'
import { IdentityProvider } from '../../src/oauth/identity-provider.ts'
import {
  codeChallenge,
  codeVerifier,
  longCodeVerifier,
  randomValue,
  veryLongRandomValue,
} from '../../src/oauth/pkce.ts'
import { targetFrom } from '../../src/target/config.ts'
import { applicationOf } from '../../src/target/parts.ts'
import { answer, client, inTurn, site } from '../http/site.ts'

const variables = {
  IDP_BASE_URL: 'https://login.uat.example.com',
  PARTNER_API_URL: 'https://api.uat.example.com',
  PRODUCTION_HOSTS: 'none',
  CLIENT_ID: 'application',
  CLIENT_SECRET: 'long-secret',
  REDIRECT_URI: 'https://partner.example.com/callback',
}
const target = targetFrom('uat', variables)

describe('PKCE', () => {
  test('RFC 7636, appendix B', () => {
    expect(codeChallenge('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).toBe(
      'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    )
  })

  test('verifiers are unreserved characters, long enough and never the same', () => {
    const verifiers = Array.from({ length: 100 }, codeVerifier)
    expect(new Set(verifiers).size).toBe(100)
    expect(verifiers.every((verifier) => /^[\w.~-]{43,128}$/.test(verifier))).toBe(true)
    expect(randomValue()).not.toBe(randomValue())
  })

  test('a long verifier has the most characters that are permitted, and every punctuation mark', () => {
    expect(longCodeVerifier()).toMatch(/^[\w.~-]{124}-\._~$/)
    expect(longCodeVerifier()).not.toBe(longCodeVerifier())
  })
})

describe('an authorization request', () => {
  test('is complete, with new values', () => {
    const [one, two] = [authorizationRequest(target), authorizationRequest(target)]
    expect(one.url.origin + one.url.pathname).toBe(
      'https://login.uat.example.com/mga/sps/oauth/oauth20/authorize',
    )
    expect(Object.fromEntries(one.url.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'application',
      redirect_uri: 'https://partner.example.com/callback',
      scope: 'openid',
      state: one.state,
      nonce: one.nonce,
      code_challenge: createHash('sha256').update(one.verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    for (const name of ['state', 'nonce', 'verifier'] as const) expect(one[name]).not.toBe(two[name])
  })

  test('has a long nonce and the challenge of a given verifier', () => {
    const nonce = veryLongRandomValue()
    const verifier = longCodeVerifier()
    const request = authorizationRequest(target, { nonce }, applicationOf(target), verifier)
    expect(nonce.length).toBe(288)
    expect(request.url.searchParams.get('nonce')).toBe(nonce)
    expect(request.url.searchParams.get('code_challenge')).toBe(codeChallenge(verifier))
    expect(request.verifier).toBe(verifier)
  })

  test('requests the required level', () => {
    const { url } = authorizationRequest({ ...target, requiredAcr: 'level 2' })
    expect(url.searchParams.get('acr_values')).toBe('level 2')
  })

  test('omits null members and keeps the others', () => {
    const { url, state } = authorizationRequest(target, { state: null, code_challenge: null })
    expect([...url.searchParams.keys()]).toEqual([
      'response_type',
      'client_id',
      'redirect_uri',
      'scope',
      'nonce',
      'code_challenge_method',
    ])
    expect(state).toBe('')
  })

  test.each(['a b', 'a+b', 'a&b=c#d', '%2B', "!'()*~", 'ä€😀', '"<>`{}|\\^', '\t\n', '', '/?:@;,'])(
    'contains %j unchanged',
    (value) => {
      const { url, state } = authorizationRequest(target, { state: value, 'x y': value })
      expect(state).toBe(value)
      expect(url.searchParams.get('state')).toBe(value)
      expect(url.searchParams.get('x y')).toBe(value)
      expect(url.search).toMatch(/^[\x21-\x7e]+$/)
      expect(url.search).not.toContain('+')
      expect(url.hash).toBe('')
    },
  )

  test('of another application, or with another redirect URI, states that', () => {
    const application = {
      id: 'b',
      secret: 's',
      redirectUri: 'app:/b',
      authMethod: 'client_secret_post',
    } as const
    const { url, redirectUri } = authorizationRequest(target, {}, application)
    expect([url.searchParams.get('client_id'), redirectUri]).toEqual(['b', 'app:/b'])
    expect(authorizationRequest(target, { redirect_uri: 'https://a.invalid/' }).redirectUri).toBe(
      'https://a.invalid/',
    )
  })
})

test.each([
  ['https://login.example.com', 'https://login.example.com/mga/sps/oauth/oauth20/token'],
  ['https://login.example.com/', 'https://login.example.com/mga/sps/oauth/oauth20/token'],
  ['https://login.example.com/tenant', 'https://login.example.com/tenant/mga/sps/oauth/oauth20/token'],
])('the token endpoint below %s', (issuer, expected) => {
  expect(endpoint({ ...target, issuer }, 'token').href).toBe(expected)
})

describe('client authentication', () => {
  const application = { ...applicationOf(target), id: 'a b:ä', secret: 'p%+&=' }

  test('Basic is the base64 of the raw id and secret', () => {
    const { headers, form } = clientAuthentication(application)
    expect(form).toEqual([])
    expect(headers).toHaveLength(1)
    expect(headers[0]?.[0]).toBe('Authorization')
    const [scheme, value = ''] = headers[0]?.[1].split(' ') ?? []
    expect([scheme, Buffer.from(value, 'base64').toString()]).toEqual(['Basic', 'a b:ä:p%+&='])
  })

  test('post is two members of the form, and nothing in a header', () => {
    expect(clientAuthentication(application, 'client_secret_post')).toEqual({
      headers: [],
      form: [
        ['client_id', 'a b:ä'],
        ['client_secret', 'p%+&='],
      ],
    })
  })

  test('the configured method is the default', () => {
    const post = clientAuthentication({ ...application, authMethod: 'client_secret_post' })
    expect(post.headers).toEqual([])
  })

  test.each([
    ['plain-id_1.x', 'secret*', false],
    ['id', 'with space', true],
    ['id', 'plus+', true],
    ['id', 'percent%', true],
    ['id', 'bang!', true],
    ['id', 'tilde~', true],
    ["id'", 'secret', true],
    ['id:colon', 'secret', true],
  ])('Basic of %s and %s looks different when encoded: %s', (id, secret, expected) => {
    expect(basicIsAmbiguous({ id, secret })).toBe(expected)
  })
})

describe('requests to the identity provider as a server receives them', () => {
  async function provider() {
    const server = await site()
    const { http } = client([server.host])
    const issuer = server.url().origin
    return { log: server.log, calls: new IdentityProvider(http, { ...target, issuer }), url: server.url }
  }

  test('token: members in order, then the client', async () => {
    const { log, calls } = await provider()
    await calls.token(
      [
        ['grant_type', 'refresh_token'],
        ['refresh_token', 'r'],
        ['refresh_token', 'r'],
      ],
      { ...applicationOf(target), authMethod: 'client_secret_post' },
    )
    await calls.token([['grant_type', 'x']], { headers: [], form: [] })
    expect(log.map(({ method, url, body }) => [method, url, body])).toEqual([
      [
        'POST',
        '/mga/sps/oauth/oauth20/token',
        'grant_type=refresh_token&refresh_token=r&refresh_token=r&client_id=application&client_secret=long-secret',
      ],
      ['POST', '/mga/sps/oauth/oauth20/token', 'grant_type=x'],
    ])
    expect(JSON.stringify(log)).not.toMatch(/authorization/i)
  })

  test('token: without the optional Accept header, and with exact bytes', async () => {
    const { log, calls } = await provider()
    const client = clientAuthentication(applicationOf(target))
    await calls.token([['grant_type', 'x']], client)
    await calls.token([['grant_type', 'x']], client, { accept: false })
    await calls.tokenBody('application/json', '{"grant_type":"x"}', client)
    await calls.tokenBody('application/x-www-form-urlencoded', '%%=%ZZ&', client)
    expect(log.map(({ body }) => body)).toEqual([
      'grant_type=x',
      'grant_type=x',
      '{"grant_type":"x"}',
      '%%=%ZZ&',
    ])
    const sent = (name: string) =>
      log.map(({ rawHeaders }) => rawHeaders.filter((_, index) => rawHeaders[index - 1] === name))
    expect(sent('Accept')).toEqual([['application/json'], [], ['application/json'], ['application/json']])
    expect(sent('Content-Type').slice(2)).toEqual([
      ['application/json'],
      ['application/x-www-form-urlencoded'],
    ])
    expect(sent('Authorization').map((values) => values.length)).toEqual([1, 1, 1, 1])
  })

  test('only error responses of the token endpoint are recorded', async () => {
    const server = await site(inTurn(answer(200), answer(400), answer(401), answer(404)))
    const { http } = client([server.host])
    const calls = new IdentityProvider(http, { ...target, issuer: server.url().origin })
    await calls.token([])
    await calls.token([])
    await calls.tokenBody('application/json', '{', { headers: [], form: [] })
    await calls.userinfo('a')
    expect(calls.log.tokenRefusals.map(({ status }) => status)).toEqual([400, 401])
  })

  test('UserInfo with and without a token', async () => {
    const { log, calls } = await provider()
    await calls.userinfo('the-token')
    await calls.userinfo(undefined)
    const sent = log.map(({ rawHeaders }) => rawHeaders[rawHeaders.indexOf('Authorization') + 1])
    expect(sent[0]).toBe('Bearer the-token')
    expect(log[1]?.rawHeaders).not.toContain('Authorization')
  })

  test('discovery, key set and introspection', async () => {
    const { log, calls, url } = await provider()
    await calls.discovery()
    await calls.keySet(url('/jwks?x=1'))
    await calls.introspection([['token', 't']], clientAuthentication(applicationOf(target)))
    expect(log.map(({ method, url, body }) => `${method} ${url} ${body}`.trim())).toEqual([
      'GET /.well-known/openid-configuration',
      'GET /jwks?x=1',
      'POST /mga/sps/oauth/oauth20/introspect token=t',
    ])
    expect(log.map(({ rawHeaders }) => rawHeaders.includes('Authorization'))).toEqual([false, false, true])
  })
})
