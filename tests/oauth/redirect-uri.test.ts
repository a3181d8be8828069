import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { alteredRedirectUri, sameAddress, type UriAlteration } from '../../src/oauth/redirect-uri.ts'

const addresses = [
  'host',
  'host below it',
  'port',
  'path',
  'trailing slash',
  'letter case',
  'scheme',
] as const satisfies readonly UriAlteration[]
const parts = ['query', 'user name', 'fragment', 'dot segment', 'double slash'] as const
const spellings = ['case of its host', 'standard port', 'encoded letter', 'redundant dot segment'] as const

/** The redirect URIs of alterations that apply, by their names. */
function uris(registered: string, alterations: readonly UriAlteration[]): Record<string, string> {
  return Object.fromEntries(
    alterations.flatMap((alteration) => {
      const altered = alteredRedirectUri(registered, alteration)
      return altered ? [[alteration, altered.uri]] : []
    }),
  )
}

describe('altered redirect URIs', () => {
  test.each<[string, Record<string, string>]>([
    [
      'https://partner.example.com/callback',
      {
        host: 'https://partner.example.com.plumbline.invalid/callback',
        'host below it': 'https://plumbline.partner.example.com/callback',
        port: 'https://partner.example.com:8443/callback',
        path: 'https://partner.example.com/callback/more',
        'trailing slash': 'https://partner.example.com/callback/',
        'letter case': 'https://partner.example.com/CALLBACK',
        scheme: 'http://partner.example.com/callback',
      },
    ],
    [
      'http://127.0.0.1:8443/cb/',
      {
        host: 'http://127.0.0.1.plumbline.invalid:8443/cb/',
        port: 'http://127.0.0.1:9443/cb/',
        path: 'http://127.0.0.1:8443/cb/more',
        'trailing slash': 'http://127.0.0.1:8443/cb',
        'letter case': 'http://127.0.0.1:8443/CB/',
        scheme: 'https://127.0.0.1:8443/cb/',
      },
    ],
    [
      'https://partner.example.com',
      {
        host: 'https://partner.example.com.plumbline.invalid',
        'host below it': 'https://plumbline.partner.example.com',
        port: 'https://partner.example.com:8443',
        path: 'https://partner.example.com/more',
        scheme: 'http://partner.example.com',
      },
    ],
    [
      'https://Partner.example.com:443/',
      {
        host: 'https://Partner.example.com.plumbline.invalid:443/',
        'host below it': 'https://plumbline.Partner.example.com:443/',
        port: 'https://Partner.example.com:8443/',
        path: 'https://Partner.example.com:443/more',
        scheme: 'http://Partner.example.com:443/',
      },
    ],
    [
      'https://partner.example.com/CB?tenant=Ab',
      {
        host: 'https://partner.example.com.plumbline.invalid/CB?tenant=Ab',
        'host below it': 'https://plumbline.partner.example.com/CB?tenant=Ab',
        port: 'https://partner.example.com:8443/CB?tenant=Ab',
        path: 'https://partner.example.com/CB/more?tenant=Ab',
        'trailing slash': 'https://partner.example.com/CB/?tenant=Ab',
        'letter case': 'https://partner.example.com/cb?tenant=Ab',
        scheme: 'http://partner.example.com/CB?tenant=Ab',
      },
    ],
    [
      'http://[::1]:3000/1%2f',
      {
        host: 'http://plumbline.invalid:3000/1%2f',
        port: 'http://[::1]:8443/1%2f',
        path: 'http://[::1]:3000/1%2f/more',
        'trailing slash': 'http://[::1]:3000/1%2f/',
        scheme: 'https://[::1]:3000/1%2f',
      },
    ],
    [
      'com.example.app:/callback',
      {
        path: 'com.example.app:/callback/more',
        'trailing slash': 'com.example.app:/callback/',
        'letter case': 'com.example.app:/CALLBACK',
      },
    ],
    [
      'myapp://callback',
      {
        host: 'myapp://callback.plumbline.invalid',
        'host below it': 'myapp://plumbline.callback',
        port: 'myapp://callback:8443',
        path: 'myapp://callback/more',
      },
    ],
  ])('of %s', (registered, expected) => {
    expect(uris(registered, addresses)).toEqual(expected)
  })

  test('of any web address differ from it in exactly one part, also for a reader that normalises', () => {
    const letters = fc.constantFrom('a', 'B', '7', '-', '~', '%2f', '%C3', '@', ':', ';')
    const segment = fc.string({ unit: letters, maxLength: 5 })
    const registered = fc
      .tuple(
        fc.constantFrom('http', 'https'),
        fc.constantFrom('partner.example.com', 'a.b', '127.0.0.1', '[::1]', 'xn--lgin-5qa.example.com'),
        fc.option(fc.integer({ min: 1, max: 65_535 })),
        fc.array(segment, { maxLength: 4 }).map((all) => all.map((text) => `/${text}`).join('')),
      )
      .map(([scheme, host, port, path]) => `${scheme}://${host}${port === null ? '' : `:${port}`}${path}`)
    fc.assert(
      fc.property(registered, (uri) => {
        const altered = uris(uri, addresses)
        expect(Object.keys(altered)).toEqual(expect.arrayContaining(['host', 'port', 'path', 'scheme']))
        for (const [part, other] of Object.entries(altered))
          expect([other, ...differences(uri, other)]).toEqual([other, kind(part)])
      }),
      { numRuns: 200 },
    )
  })
})

test.each([
  ['https://a.example/cb', 'https://a.example/cb?code=1#x', true],
  ['https://a.example/cb', 'HTTPS://A.EXAMPLE:443/cb', true],
  ['https://a.example', 'https://a.example/', true],
  ['com.example.app:/cb', 'com.example.app:/cb?code=1', true],
  ['https://a.example/cb', 'https://a.example/cb/', false],
  ['https://a.example/cb', 'https://a.example/CB', false],
  ['https://a.example/cb', 'http://a.example/cb', false],
  ['https://a.example/cb', 'https://a.example:8443/cb', false],
  ['https://a.example/cb', 'https://www.a.example/cb', false],
  ['nonsense', 'nonsense', false],
])('%s and %s are the same address: %s', (one, other, same) => {
  expect(sameAddress(one, other)).toBe(same)
})

function kind(part: string): string {
  return (
    { host: 'hostname', 'host below it': 'hostname', port: 'port', scheme: 'protocol' }[part] ?? 'pathname'
  )
}

function differences(a: string, b: string): string[] {
  const [left, right] = [new URL(a), new URL(b)]
  const names = ['protocol', 'hostname', 'pathname', 'search', 'hash', 'username'] as const
  const ports = (text: string) => /^\w+:\/\/(?:\[[^\]]*\]|[^:/?#]*)(?::(\d*))?/.exec(text)?.[1] ?? ''
  return [...names.filter((name) => left[name] !== right[name]), ...(ports(a) === ports(b) ? [] : ['port'])]
}

test.each<[string, Record<string, string>]>([
  [
    'https://partner.example.com/app/callback?tenant=Ab',
    {
      query: 'https://partner.example.com/app/callback?tenant=Ab&plumbline=1',
      'user name': 'https://plumbline@partner.example.com/app/callback?tenant=Ab',
      fragment: 'https://partner.example.com/app/callback?tenant=Ab#plumbline',
      'dot segment': 'https://partner.example.com/app/callback/../plumbline-elsewhere?tenant=Ab',
      'double slash': 'https://partner.example.com//app/callback?tenant=Ab',
    },
  ],
  [
    'http://user@[::1]:3000/',
    {
      query: 'http://user@[::1]:3000/?plumbline=1',
      fragment: 'http://user@[::1]:3000/#plumbline',
      'dot segment': 'http://user@[::1]:3000/../plumbline-elsewhere',
      'double slash': 'http://user@[::1]:3000//',
    },
  ],
  [
    'https://partner.example.com/#part',
    {
      query: 'https://partner.example.com/?plumbline=1#part',
      'user name': 'https://plumbline@partner.example.com/#part',
      'dot segment': 'https://partner.example.com/../plumbline-elsewhere#part',
      'double slash': 'https://partner.example.com//#part',
    },
  ],
  ['com.example.app:/callback', { query: 'com.example.app:/callback?plumbline=1' }],
])('%s with other parts', (registered, expected) => {
  expect(uris(registered, parts)).toEqual(expected)
})

describe('other spellings', () => {
  test.each<[string, Record<string, string>]>([
    [
      'https://partner.example.com/callback?tenant=Ab',
      {
        'case of its host': 'https://PARTNER.EXAMPLE.COM/callback?tenant=Ab',
        'standard port': 'https://partner.example.com:443/callback?tenant=Ab',
        'encoded letter': 'https://partner.example.com/callbac%6B?tenant=Ab',
        'redundant dot segment': 'https://partner.example.com/./callback?tenant=Ab',
      },
    ],
    [
      'http://A.B:80/1%2f',
      {
        'case of its host': 'http://a.b:80/1%2f',
        'standard port': 'http://A.B/1%2f',
        'redundant dot segment': 'http://A.B:80/./1%2f',
      },
    ],
    ['https://[::1]:3000/', { 'redundant dot segment': 'https://[::1]:3000/./' }],
    ['com.example.app:/callback', {}],
  ])('of %s', (registered, expected) => {
    expect(uris(registered, spellings)).toEqual(expected)
  })

  test('are equivalent to the registered address', () => {
    const registered = 'https://partner.example.com/a%2fb/callback'
    const decoded = (uri: string) => new URL(uri.replace('%6B', 'k')).href
    for (const uri of Object.values(uris(registered, spellings))) expect(decoded(uri)).toBe(registered)
  })
})

test.each<[string, UriAlteration, string | undefined]>([
  ['https://a.example/cb', 'letter case', 'with its path in upper case'],
  ['https://a.example/CB', 'letter case', 'with its path in lower case'],
  ['https://a.example/cb', 'trailing slash', 'with a trailing slash'],
  ['https://a.example/cb/', 'trailing slash', 'without its trailing slash'],
  ['https://a.example/cb', 'host', 'with `.plumbline.invalid` after its host'],
  ['https://[::1]/cb', 'host', 'on the host `plumbline.invalid`'],
  ['https://a.example/cb', 'standard port', 'with the standard port 443'],
  ['https://a.example:443/cb', 'standard port', 'without its port, the standard one'],
  ['http://a.example/cb', 'scheme', 'with the scheme https'],
  ['nonsense', 'host', undefined],
])('%s: the %s is described', (registered, alteration, how) => {
  expect(alteredRedirectUri(registered, alteration)?.how).toBe(how)
})
