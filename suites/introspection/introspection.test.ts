import { describe, kindOf, quoted } from '../../src/check/expect.ts'
import { check } from './requirements.ts'

const login = { effects: ['login'], needs: ['user'] } as const

check(
  'INTROSPECTION-UNAVAILABLE',
  'a partner gets a refusal and no token information',
  login,
  async ({ identity, expect, note, notApplicable }) => {
    expect.sending('an introspection request for a good access token')
    const response = await identity.introspection()
    if (identity.introspects(response)) {
      return notApplicable('introspection works here; its reference behaviour is checked instead', 'target')
    }
    expect.that(
      response.status >= 400,
      'a refusal with a 4xx status',
      `it was answered ${describe(response)}`,
    )
    if (response.status !== 400 || response.mediaType !== 'text/html') {
      note(
        `the refusal is ${describe(response)} as ${quoted(response.mediaType)}; in UAT it was an HTML page with 400`,
      )
    }
  },
)

check('INTROSPECTION-ACTIVE', 'a good token is reported active', login, async ({ identity, expect }) => {
  const body = expect.object(await identity.availableIntrospection())
  expect.that(
    body.active === true,
    'active true',
    `it was ${body.active === false ? 'false' : kindOf(body.active)}`,
  )
  const types = {
    scope: 'string',
    client_id: 'string',
    username: 'string',
    token_type: 'string',
    exp: 'number',
    iat: 'number',
    nbf: 'number',
    sub: 'string',
    aud: 'string',
    iss: 'string',
    jti: 'string',
  }
  for (const [name, type] of Object.entries(types)) {
    const value = body[name]
    // aud may be an array by RFC 7662, 2.2.
    if (value === undefined || (name === 'aud' && Array.isArray(value))) continue
    expect.that(typeof value === type, `${name} as a ${type}`, `it was ${kindOf(value)}`)
  }
})

check(
  'INTROSPECTION-INACTIVE',
  'an unknown token is reported with active false alone',
  login,
  async ({ identity, expect }) => {
    await identity.availableIntrospection()
    expect.sending('the same request with a token that was never issued')
    const response = await identity.introspect({ token: 'plumbline-never-issued' })
    expect.status(response, 200)
    const body = expect.object(response)
    expect.that(body.active === false, 'active false', `it was ${kindOf(body.active)}`)
    const others = Object.keys(body).length - 1
    expect.that(others === 0, 'no other member', `there were ${others} more`)
  },
)

check(
  'INTROSPECTION-TOKEN-REQUIRED',
  'a request without token is refused',
  login,
  async ({ identity, expect }) => {
    await identity.availableIntrospection()
    expect.sending('the same request without token')
    const response = await identity.introspect({ token: null })
    expect.status(response, 400)
    expect.errorNamed(response.object?.error, 'invalid_request')
  },
)

check(
  'INTROSPECTION-CLIENT-AUTH',
  'a request without client credentials is refused',
  login,
  async ({ identity, expect }) => {
    await identity.availableIntrospection()
    expect.sending('the same request without client credentials')
    const response = await identity.introspect({}, { headers: [], form: [] })
    expect.status(response, 401)
    expect.errorNamed(response.object?.error, 'invalid_client')
  },
)
