import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { browserHosts } from '../../src/run/browser-hosts.ts'
import { targetFrom } from '../../src/target/config.ts'
import type { TargetName } from '../../src/target/profiles.ts'

function start(name: TargetName, idp: string, production?: string, partner = idp) {
  return () =>
    targetFrom(name, {
      IDP_BASE_URL: idp,
      PARTNER_API_URL: partner,
      CLIENT_ID: 'application',
      CLIENT_SECRET: 'secret',
      REDIRECT_URI: 'https://partner.example.com/callback',
      ...(production !== undefined && { PRODUCTION_HOSTS: production }),
    })
}

describe('a run that is not production', () => {
  test.each([
    ['https://login.example.com', 'login.example.com'],
    ['https://LOGIN.example.com', 'login.EXAMPLE.com'],
    ['https://login.example.com:8443', 'login.example.com'],
    ['https://login.example.com', 'login.example.com:443'],
    ['https://login.example.com:8443', 'login.example.com:8443'],
    ['https://login.example.com.', 'login.example.com'],
    ['https://login.example.com', 'login.example.com.'],
    ['https://lögin.example.com', 'xn--lgin-5qa.example.com'],
    ['https://xn--lgin-5qa.example.com', 'lögin.example.com'],
    ['https://login.example.com', 'api.example.com, login.example.com'],
    ['https://[2001:db8::1]:8443', '[2001:db8::1]'],
  ])('refuses %s where %s is production', (idp, production) => {
    expect(start('uat', idp, production)).toThrow(
      /^TARGET is uat, but PRODUCTION_HOSTS lists \S+, the host of IDP_BASE_URL/,
    )
  })

  test('examines every configured address', () => {
    const other = 'https://login.uat.example.com'
    expect(start('uat', other, 'api.example.com', 'https://api.example.com')).toThrow(
      /lists api\.example\.com, the host of PARTNER_API_URL; change PARTNER_API_URL to an address of uat/,
    )
  })

  test.each([
    ['https://login.example.com:8443', 'login.example.com:9443'],
    ['https://login.uat.example.com', 'login.example.com'],
    ['https://example.com', 'login.example.com'],
    ['https://login.example.com', 'none'],
  ])('accepts %s where %s is production', (idp, production) => {
    expect(start('uat', idp, production)).not.toThrow()
  })
})

test.each([undefined, '', ' , '])(
  'a UAT run needs PRODUCTION_HOSTS, and %j does not set it',
  (production) => {
    expect(start('uat', 'https://login.uat.example.com', production)).toThrow(
      /^PRODUCTION_HOSTS is not set; .*PRODUCTION_HOSTS=none/,
    )
  },
)

describe('a production run', () => {
  test.each([undefined, '', ' , '])('needs PRODUCTION_HOSTS, and %j does not set it', (production) => {
    expect(start('production', 'https://login.example.com', production)).toThrow(
      /^PRODUCTION_HOSTS is not set/,
    )
  })

  test('needs hosts, so an empty list is rejected', () => {
    expect(start('production', 'https://login.example.com', 'none')).toThrow(/^PRODUCTION_HOSTS is none/)
  })

  test.each([
    ['https://login.uat.example.com', 'login.example.com'],
    ['https://login.example.com.evil.example', 'login.example.com'],
    ['https://login.example.com:8443', 'login.example.com:9443'],
    ['https://login.example.com', 'login.example.com:8443'],
  ])('refuses %s where %s is listed', (idp, production) => {
    expect(start('production', idp, production)).toThrow(/^PRODUCTION_HOSTS does not list/)
  })

  test('rejects one unlisted address among listed ones', () => {
    const run = start(
      'production',
      'https://login.example.com',
      'login.example.com',
      'https://api.uat.example.com',
    )
    expect(run).toThrow(/does not list api\.uat\.example\.com/)
  })

  test.each([
    ['https://login.example.com', 'login.example.com'],
    ['https://Login.Example.com:8443', 'LOGIN.example.com'],
    ['https://login.example.com:443', 'login.example.com:443'],
  ])('accepts %s where %s is listed', (idp, production) => {
    expect(start('production', idp, production)).not.toThrow()
  })
})

describe('the embedded target', () => {
  test.each(['http://localhost:4000', 'http://127.0.0.1:4000', 'http://127.8.9.10', 'http://[::1]:4000'])(
    'may be %s',
    (idp) => {
      expect(start('embedded', idp)).not.toThrow()
    },
  )

  test.each([
    'https://login.uat.example.com',
    'https://localhost.example.com',
    'https://127.0.0.1.example.com',
    'https://127.example.com',
    'https://[::1:2]',
    'https://128.0.0.1',
  ])('may not be %s', (idp) => {
    expect(start('embedded', idp)).toThrow(/^TARGET is embedded, which permits only loopback/)
  })

  test('must have its other half in the same place', () => {
    expect(start('embedded', 'http://127.0.0.1:1', undefined, 'https://api.example.com')).toThrow(/embedded/)
  })
})

describe('the browser of a run that is not production', () => {
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-hosts-'))
  const loginRecipe = join(folder, 'recipe.json')
  writeFileSync(loginRecipe, JSON.stringify({ hosts: ['cdn.example.com', 'login.example.com.'] }))
  const uat = start('uat', 'https://login.uat.example.com', 'login.example.com')()

  test('refuses a host of production that a recipe or an option adds', () => {
    const sentence = /^TARGET is uat, but login\.example\.com, which a recipe or --host adds, is listed/
    expect(() => browserHosts({ ...uat, loginRecipe })).toThrow(sentence)
    expect(() => browserHosts({ ...uat, hosts: [...uat.hosts, 'login.example.com'] })).toThrow(sentence)
  })

  test('loads the other hosts of a recipe', () => {
    expect(browserHosts({ ...uat, productionHosts: ['api.example.com'], loginRecipe })).toEqual([
      'login.uat.example.com',
      'cdn.example.com',
      'login.example.com.',
    ])
  })
})
