import { describe, expect, test } from 'vitest'
import { expectNoClaims, expectNoTokenInformation } from '../../src/check/disclosure.ts'
import { Expect } from '../../src/check/expect.ts'
import { HttpResponse } from '../../src/http/response.ts'

function json(status: number, body: unknown): HttpResponse {
  return new HttpResponse(status, { 'content-type': 'application/json' }, JSON.stringify(body))
}

const validResponse = json(200, {
  sub: 'a-1',
  email: 'ada@users.invalid',
  locale: 'fi',
  email_verified: true,
  address: { city: 'Turku' },
})

describe('a refusal of UserInfo', () => {
  const judge = (refusal: HttpResponse) => () =>
    expectNoClaims(new Expect(() => undefined), { refusal, validResponse })

  test.for([
    ['an error', { error: 'invalid_token', error_description: 'Expired.' }],
    ['the name of an error class', { name: 'UnauthorizedError', status: 401, email: 'help@idp.invalid' }],
    ['a locale that many share, and a truth', { locale: 'fi', email_verified: true }],
    ['one such name inside', { details: { sub: 'The subject is unknown.', request: 'r-1', timestamp: 1 } }],
    ['an empty subject', { error: 'invalid_token', sub: null }],
  ] as const)('may contain %s', ([, body]) => {
    expect(judge(json(401, body))).not.toThrow()
  })

  test('may be a page, or nothing', () => {
    expect(judge(new HttpResponse(401, { 'content-type': 'text/html' }, '<h1>No</h1>'))).not.toThrow()
    expect(judge(new HttpResponse(401, {}, ''))).not.toThrow()
  })

  test.for([
    ['a claim of the user', { error: 'invalid_token', email: 'ada@users.invalid' }],
    ['one further inside', { error: 'invalid_token', details: [{ address: { city: 'Turku' } }] }],
    ['the subject of another user', { sub: 'b-2' }],
    ['another user further inside', { details: [{ last: { sub: 'b-2', given_name: 'Bo' } }] }],
    ['another user in a list', [{ sub: 'b-2', birthdate: '1980-01-01' }]],
  ] as const)('must not contain %s', ([, body]) => {
    expect(judge(json(401, body))).toThrow(/^expected: a refusal without claims of a user/)
  })

  test.for([
    ['a member of the service', { region: 'north', error: 'invalid_token' }, undefined],
    ['a claim of its own that only this refusal has', { customer: 'c-9' }, /claims of a user/],
    ['a standard claim, although each refusal has it', { email: 'ada@users.invalid' }, /claims of a user/],
    ['a part of one', { address: { city: 'Turku' } }, /claims of a user/],
  ] as const)('with what a refusal without a user has too: %s', ([, body, message]) => {
    const fields = { ...validResponse.object, region: 'north', customer: 'c-9' }
    const anonymousRefusal = json(401, { region: 'north', email: 'ada@users.invalid', city: 'Turku' })
    const judgeBoth = () =>
      expectNoClaims(new Expect(() => undefined), {
        refusal: json(401, body),
        validResponse: json(200, fields),
        anonymousRefusal,
      })
    if (message) expect(judgeBoth).toThrow(message)
    else expect(judgeBoth).not.toThrow()
  })

  describe('of a JWT', () => {
    const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
    const claims = { sub: 'user-a-1', customer: 'c-9', level: 2 }
    const signed = `${encoded({ alg: 'RS256' })}.${encoded(claims)}.c2ln`
    const unsigned = `${encoded({ alg: 'none' })}.${encoded(claims)}.`
    const fields = { ...claims, email: 'ada@users.invalid', preferred_username: 'user-a-1', grade: 2 }
    const judgeBearer = (refusal: HttpResponse, bearer: string | undefined) => () =>
      expectNoClaims(new Expect(() => undefined), { refusal, validResponse: json(200, fields), bearer })
    const inChallenge = (text: string) =>
      new HttpResponse(401, { 'www-authenticate': `Bearer error_description="${text}"` }, '')

    test.each([
      ['a signed one', signed],
      ['an unsigned one', unsigned],
    ])('may repeat its claims: %s', (_, bearer) => {
      expect(judgeBearer(inChallenge('the token of user-a-1 is not valid'), bearer)).not.toThrow()
      expect(judgeBearer(json(401, { error: 'invalid_token', ...claims }), bearer)).not.toThrow()
    })

    test.each([
      ['another value in a header', inChallenge('ada@users.invalid')],
      ['another claim of the user', json(401, { sub: 'user-a-1', email: 'ada@users.invalid' })],
      ['another subject', json(401, { sub: 'user-b-2' })],
      ['the value of one of its claims as another claim', json(401, { grade: 2 })],
    ])('must not contain %s', (_, refusal) => {
      expect(judgeBearer(refusal, signed)).toThrow(/claims of a user/)
    })

    test.each([
      ['a credential that is not a JWT', 'never-issued'],
      ['no credential', undefined],
    ])('must not contain its claims after %s', (_, bearer) => {
      expect(judgeBearer(inChallenge('user-a-1'), bearer)).toThrow(/claims of a user/)
      expect(judgeBearer(json(401, { sub: 'user-a-1' }), bearer)).toThrow(/claims of a user/)
    })
  })

  test('must not be the valid response itself, in any form', () => {
    const compact = new HttpResponse(200, { 'content-type': 'application/jwt' }, 'aa.bb.cc')
    const refusal = new HttpResponse(401, { 'content-type': 'application/jwt' }, 'aa.bb.cc')
    expect(() => expectNoClaims(new Expect(() => undefined), { refusal, validResponse: compact })).toThrow()
  })
})

describe('a refusal of introspection', () => {
  const judge =
    (body: unknown, tokenlessResponse?: unknown, values: readonly unknown[] = []) =>
    () =>
      expectNoTokenInformation(new Expect(() => undefined), {
        refusal: json(400, body),
        values,
        tokenlessResponse: tokenlessResponse === undefined ? undefined : json(400, tokenlessResponse),
      })

  test.for([
    [{ error: 'invalid_client', client_id: 'partner-portal' }],
    [{ active: false }],
    [[]],
    [{ service: { active: true, version: 1 } }],
    [{ error: { exp: 'expired' } }],
  ])('may be %j', ([body]) => {
    expect(judge(body)).not.toThrow()
  })

  test.for([
    [{ active: true }, 'and active'],
    [{ active: false, username: 'ada@users.invalid' }, 'and username'],
    [{ error: 'invalid_client', exp: 1 }, 'and exp'],
    [{ error: { token: { active: true, exp: 1, iat: 1 } } }, 'and active, exp, iat'],
  ] as const)('must not be %j', ([body, message]) => {
    expect(judge(body)).toThrow(message)
  })

  test.for([
    [{ error: 'a', token_type: 'Bearer' }, { token_type: 'Bearer' }],
    [{ error: 'a', iat: 2 }, { iat: 1 }],
    [{ error: { token_type: 'Bearer', iat: 2 } }, { error: { token_type: 'Bearer', iat: 1 } }],
  ])('may be %j if that for no token is %j', ([body, tokenlessResponse]) => {
    expect(judge(body, tokenlessResponse)).not.toThrow()
  })

  test.for([
    [{ token_type: 'Bearer' }, { token_type: 'refresh_token' }, 'and token_type'],
    [{ token_type: 'Bearer' }, { type: 'Bearer' }, 'and token_type'],
    [{ exp: 2 }, { exp: 1 }, 'and exp'],
    [{ iat: 1 }, { nbf: 1 }, 'and iat'],
    [{ iat: 2, exp: 2 }, { iat: 1 }, 'and exp'],
    [{ active: true }, { active: true }, 'and active'],
    [{ a: { active: true, iat: 1 } }, { a: { active: true, iat: 1 } }, 'and active'],
    [{ sub: 'user-a-1' }, { sub: 'user-a-1' }, 'and a value of the token or its user'],
  ] as const)('must not be %j if that for no token is %j', ([body, tokenlessResponse, message]) => {
    expect(judge(body, tokenlessResponse, ['user-a-1'])).toThrow(message)
  })
})
