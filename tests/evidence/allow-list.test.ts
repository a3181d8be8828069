import { describe, expect, test } from 'vitest'
import {
  errorName,
  hasPlainValue,
  shownAddress,
  shownHeaders,
  shownMediaType,
  shownParameter,
  shownValue,
} from '../../src/evidence/allow-list.ts'

const mask = (length: number) => new RegExp(`^<${length} characters, #[\\w-]{8}>$`)

describe('values of parameters', () => {
  test.each([
    'response_type',
    'code_challenge_method',
    'prompt',
    'scope',
    'grant_type',
    'token_type_hint',
    'acr_values',
    'auth_level',
    'from',
    'to',
    'page',
    'pageSize',
  ])('%s is shown', (name) => {
    expect(shownParameter(name, 'value')).toBe(`${name}=value`)
  })

  test.each(['code', 'state', 'client_id', 'Scope', ''])('%j is masked', (name) => {
    expect(shownValue(name, 'value')).toMatch(mask(5))
  })

  test.each(['', 'a'.repeat(64), 'urn:a.b/c-d_e %+1'])('an ordinary %j is shown', (value) => {
    expect(shownValue('scope', value)).toBe(value)
  })

  test.each(['a'.repeat(65), 'a?', '?a', 'a\nb', 'ä', 'a@b'])('an unusual %j is masked', (value) => {
    expect(shownValue('scope', value)).toMatch(mask(value.length))
  })

  test('an error is shown by its name, if it has the form of one', () => {
    expect(shownValue('error', 'access_denied')).toBe('access_denied')
    expect(shownValue('error', 'V1StGXR8_Z5jdHi6B-myT')).toMatch(mask(21))
  })

  test('a name that looks like data is masked', () => {
    expect(shownParameter('a@b', 'x')).toMatch(/^<3 characters, #[\w-]{8}>=<1 characters, #[\w-]{8}>$/)
  })
})

describe('error names', () => {
  test.each([
    'access_denied',
    'account_selection_required',
    'consent_required',
    'insufficient_scope',
    'interaction_required',
    'invalid_client',
    'invalid_grant',
    'invalid_redirect_uri',
    'invalid_request',
    'invalid_scope',
    'invalid_token',
    'login_required',
    'redirect_uri_mismatch',
    'request_not_supported',
    'request_uri_not_supported',
    'server_error',
    'temporarily_unavailable',
    'unauthorized_client',
    'unmet_authentication_requirements',
    'unsupported_grant_type',
    'unsupported_response_type',
    'unsupported_token_type',
    'Bad Request',
    'not-found',
    'TOO_MANY_REQUESTS',
    'InternalServerError',
    'Invalid_Grant',
    'code_expired',
    'not.found',
    '404 Not Found',
    'a_name_of_exactly_forty_characters_in_it',
  ])('%s is shown', (name) => {
    expect(errorName(name)).toBe(name)
  })

  test.each([' access_denied', 'access_denied '])(
    '%j is shown with its spaces in quotation marks',
    (name) => {
      expect(errorName(name)).toBe(`"${name}"`)
    },
  )

  test.each([
    '',
    ' '.repeat(40),
    'V1StGXR8_Z5jdHi6B-myT',
    'ada@users.invalid',
    '3f2a91d07c',
    'invalid grant ada@users.invalid',
    'a_name_of_more_than_forty_characters_in_all',
  ])('%j is masked', (name) => {
    expect(errorName(name)).toMatch(mask(name.length))
  })

  test.each([undefined, null, 404, {}])('%j is not a name', (value) => {
    expect(errorName(value)).toBeUndefined()
  })
})

describe('addresses', () => {
  test.each([
    ['https://a.example/x', 'https://a.example/x'],
    ['https://user:secret@a.example/x', 'https://a.example/x'],
    ['https://a.example/x?page=1&page=2', 'https://a.example/x?page=1&page=2'],
    ['https://a.example/x?page=1#id_token=y', 'https://a.example/x?page=1#id_token=…'],
    ['https://a.example/x#state=y&code=z', 'https://a.example/x#state=…&code=…'],
    ['app://host/x', 'app://host/x'],
    ['app:/x', 'app:/x'],
    ['app:x', 'app:x'],
  ])('%s is shown as %s', (url, shown) => {
    expect(shownAddress(url)).toBe(shown)
    expect(shownAddress(new URL(url))).toBe(shown)
  })

  test('long parts of a host that look like no words are masked', () => {
    expect(shownAddress('https://v1stgxr8z5jdhi6bmyt0.leak.invalid:8443/')).toMatch(
      /^https:\/\/<20 characters, #[\w-]{8}>\.leak\.invalid:8443\/$/,
    )
    for (const shown of ['dev-8x2k91.identity.example', 'v1stgxr8z5jdhi6bmyt.authentication-service.example'])
      expect(shownAddress(`https://${shown}/`)).toBe(`https://${shown}/`)
  })

  test('segments that look like identifiers are masked, the others are shown', () => {
    expect(shownAddress('https://a.example/login/V1StGXR8_Z5jdHi6B-myT/end')).toMatch(
      /^https:\/\/a\.example\/login\/<21 characters, #[\w-]{8}>\/end$/,
    )
  })

  test('text that is not an address is masked completely', () => {
    expect(shownAddress('/login')).toMatch(mask(6))
  })
})

describe('headers', () => {
  const plain = [
    'accept',
    'age',
    'allow',
    'cache-control',
    'connection',
    'content-length',
    'content-type',
    'date',
    'expires',
    'pragma',
    'ratelimit',
    'ratelimit-limit',
    'ratelimit-policy',
    'ratelimit-remaining',
    'ratelimit-reset',
    'retry-after',
    'strict-transport-security',
    'vary',
  ]

  test.each(plain)('%s is shown', (name) => {
    expect(shownHeaders({ [name.toUpperCase()]: 'value' })).toEqual({ [name]: 'value' })
    expect(hasPlainValue(name.toUpperCase(), 'value')).toBe(true)
  })

  test.each([
    'text/html; charset="utf-8"',
    'a,b, c',
    "('a' + b*c):d=e",
    '1234567890',
    `${'word '.repeat(39)}words`,
  ])('the value %j of a harmless header is shown', (value) => {
    expect(shownHeaders({ vary: value })).toEqual({ vary: value })
  })

  test.each(['12345678901', 'x12345678901', '12345678901x', `${'word '.repeat(40)}x`, 'a@b', 'a matti@b.fi'])(
    'the value %j of a harmless header is masked',
    (value) => {
      expect(shownHeaders({ vary: value }).vary).toMatch(mask(value.length))
    },
  )

  test('several values are joined, an absent one is omitted, a strange name is masked', () => {
    expect(shownHeaders({ vary: ['a', 'b'], age: undefined })).toEqual({ vary: 'a, b' })
    expect(Object.keys(shownHeaders({ 'matti@b.fi': 'x' }))).toEqual([expect.stringMatching(mask(10))])
  })

  test.each(['basic', 'bearer', 'digest', 'dpop', 'negotiate'])('the scheme %s is shown', (scheme) => {
    const shown = (value: string) => shownHeaders({ Authorization: value }).authorization
    expect(shown(`${scheme} secret`)).toMatch(new RegExp(`^${scheme} <6 characters, #[\\w-]{8}>$`))
    expect(shown(`${scheme} secret`)).toBe(shown(`${scheme} secret`))
    expect(shown(`${scheme} secret`)).not.toBe(shown(`${scheme} Secret`))
    expect(shown(scheme.toUpperCase())).toBe(scheme.toUpperCase())
    expect(shown(`${scheme} `)).toMatch(/ <0 characters, #[\w-]{8}>$/)
    expect(shown(`${scheme} two words`)).toMatch(/ <9 characters, #[\w-]{8}>$/)
  })

  test('another scheme is masked', () => {
    expect(shownHeaders({ Authorization: 'secret of mine' }).authorization).toMatch(
      /^<6 characters, #[\w-]{8}> <7 characters, #[\w-]{8}>$/,
    )
    expect(shownHeaders({ Authorization: '' }).authorization).toMatch(/^<0 characters, #[\w-]{8}>$/)
  })

  test.each([
    ['Bearer realm="x"', 'Bearer …'],
    ['Bearer error="invalid_token", error_description="x"', 'Bearer error="invalid_token" …'],
    ['Bearer error=invalid_token', 'Bearer error="invalid_token" …'],
    ['Bearer myerror="x"', 'Bearer …'],
  ])('the challenge %s is shown as %s', (value, shown) => {
    expect(shownHeaders({ 'WWW-Authenticate': value })).toEqual({ 'www-authenticate': shown })
  })

  test('an error of a challenge without the form of one is masked', () => {
    const value = 'V1StGXR8_Z5jdHi6B-myT'
    expect(shownHeaders({ 'WWW-Authenticate': `Bearer error="${value}"` })['www-authenticate']).toMatch(
      /^Bearer error="<21 characters, #[\w-]{8}>" …$/,
    )
  })

  test('a redirect is shown by its address', () => {
    expect(shownHeaders({ Location: 'https://a.example/cb?page=1' })).toEqual({
      location: 'https://a.example/cb?page=1',
    })
  })
})

describe('media types', () => {
  test.each(['application/json', 'application/problem+json'])('%s is shown', (type) => {
    expect(shownMediaType(type)).toBe(type)
  })

  test.each(['text/V1StGXR8_Z5jdHi6B-myT', 'V1StGXR8_Z5jdHi6B-myT/text', 'text html'])(
    '%s is masked',
    (type) => {
      expect(shownMediaType(type)).toMatch(mask(type.length))
    },
  )
})
