import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HttpResponse } from '../../src/http/response.ts'
import { bearerChallenges, challenges } from '../../src/oauth/challenge.ts'

describe('WWW-Authenticate', () => {
  test.each<[string, unknown]>([
    ['Basic realm="simple"', [{ scheme: 'basic', parameters: { realm: 'simple' } }]],
    // RFC 9110, 11.6.1
    [
      'Basic realm="simple", Newauth realm="apps", type=1, title="Login to \\"apps\\""',
      [
        { scheme: 'basic', parameters: { realm: 'simple' } },
        { scheme: 'newauth', parameters: { realm: 'apps', type: '1', title: 'Login to "apps"' } },
      ],
    ],
    [
      'Newauth realm="apps", type=1, title="Login", Basic realm="simple"',
      [
        { scheme: 'newauth', parameters: { realm: 'apps', type: '1', title: 'Login' } },
        { scheme: 'basic', parameters: { realm: 'simple' } },
      ],
    ],
    // RFC 6750, 3
    [
      'Bearer realm="example", error="invalid_token", error_description="The access token expired, or was revoked"',
      [
        {
          scheme: 'bearer',
          parameters: {
            realm: 'example',
            error: 'invalid_token',
            error_description: 'The access token expired, or was revoked',
          },
        },
      ],
    ],
    ['Bearer', [{ scheme: 'bearer', parameters: {} }]],
    ['bEaReR ERROR=invalid_token', [{ scheme: 'bearer', parameters: { error: 'invalid_token' } }]],
    ['Bearer error = "a" ,\t scope= b', [{ scheme: 'bearer', parameters: { error: 'a', scope: 'b' } }]],
    ['Bearer,Basic realm=a', [{ scheme: 'bearer' }, { scheme: 'basic', parameters: { realm: 'a' } }]],
    ['Negotiate YWJj/+==', [{ scheme: 'negotiate', parameters: {} }]],
    [
      'Negotiate YWJj==, Bearer error="a"',
      [{ scheme: 'negotiate' }, { scheme: 'bearer', parameters: { error: 'a' } }],
    ],
    [', , Bearer error="a",,', [{ scheme: 'bearer', parameters: { error: 'a' } }]],
    ['Bearer error=""', [{ scheme: 'bearer', parameters: { error: '' } }]],
    [
      'Bearer a="Basic realm=x, error=y"',
      [{ scheme: 'bearer', parameters: { a: 'Basic realm=x, error=y' } }],
    ],
    ['Bearer a="\\\\", error="b"', [{ scheme: 'bearer', parameters: { a: '\\', error: 'b' } }]],
    ['Bearer error="a" , ', [{ scheme: 'bearer', parameters: { error: 'a' } }]],
    ['', []],
  ])('%s', (header, expected) => {
    const found = challenges(header)
    expect(found).toMatchObject(expected as object[])
    expect(found).toHaveLength((expected as unknown[]).length)
  })

  test.each(['Bearer error="open', 'Bearer error="a', '="x"', '"Bearer"', 'Bearer error=;', 'Bär x=y', '@'])(
    '%j follows no grammar',
    (header) => {
      expect(challenges(header)).toBeUndefined()
    },
  )

  test('any text is parsed or rejected quickly', () => {
    const pieces = fc.constantFrom(
      'Bearer',
      ' ',
      ',',
      '=',
      '"',
      '\\',
      'a',
      'error',
      '==',
      '\t',
      '~+/',
      '\u00e4',
    )
    const text = fc.oneof(
      fc.string(),
      fc.array(pieces, { maxLength: 60 }).map((all) => all.join('')),
    )
    fc.assert(
      fc.property(text, (header) => {
        const found = challenges(header)
        expect(found === undefined || found.every(({ scheme }) => scheme !== '')).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })

  test.each(['a', ' ', ',', '=', '"', '\\', 'a ', 'a=b,', 'a, ', '"\\', 'a="b" '])(
    'a long row of %j takes no long time',
    (piece) => {
      const started = performance.now()
      for (const end of ['', '!', '"', '=']) challenges(`Bearer ${piece.repeat(8000)}${end}`)
      expect(performance.now() - started).toBeLessThan(2000)
    },
  )
})

test('parameters of any value are restored if they are quoted by the rules', () => {
  const value = fc.string({ unit: fc.constantFrom('a', ' ', ',', '=', '"', '\\', '\t', '\u00fc') })
  fc.assert(
    fc.property(value, value, (realm, error) => {
      const quote = (text: string) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`
      expect(challenges(`Basic realm=${quote(realm)}, Bearer error=${quote(error)}`)).toEqual([
        { scheme: 'basic', parameters: { realm } },
        { scheme: 'bearer', parameters: { error } },
      ])
    }),
  )
})

describe('Bearer challenges', () => {
  const of = (headers: Record<string, string | string[]>) =>
    bearerChallenges(new HttpResponse(401, headers, ''))

  test('are those of the scheme Bearer, in any case', () => {
    expect(of({ 'www-authenticate': 'Basic realm="a", bearer error="b", BEARER' })).toEqual([
      { scheme: 'bearer', parameters: { error: 'b' } },
      { scheme: 'bearer', parameters: {} },
    ])
  })

  test.each([
    ['an absent header', {}],
    ['a malformed header', { 'www-authenticate': 'Bearer error="open' }],
    ['another scheme', { 'www-authenticate': 'Basic realm="Bearer"' }],
    ['another header', { 'proxy-authenticate': 'Bearer' }],
  ])('are empty in %s', (_, headers) => {
    expect(of(headers)).toEqual([])
  })
})
