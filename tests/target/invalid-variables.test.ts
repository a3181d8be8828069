import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { targetFrom } from '../../src/target/config.ts'
import { SetupError } from '../../src/target/problem.ts'
import { type TargetName, targetNames } from '../../src/target/profiles.ts'
import { schema } from '../../src/target/validation.ts'
import { examples, problems, uat } from './example-variables.ts'

describe('an invalid variable', () => {
  const required = ['IDP_BASE_URL', 'CLIENT_ID', 'CLIENT_SECRET', 'REDIRECT_URI'] as const

  test.each(required)('%s is missing', (name) => {
    const { [name]: _, ...rest } = uat
    expect(problems(rest)).toEqual([
      { name, what: expect.stringContaining('is not set'), example: examples[name] },
    ])
  })

  test('is reported together with all other missing ones', () => {
    expect(problems({}).map(({ name }) => name)).toEqual([...required, 'PRODUCTION_HOSTS'])
  })

  test.each([
    ['IDP_BASE_URL', 'login.uat.example.com'],
    ['IDP_BASE_URL', 'http://login.uat.example.com'],
    ['IDP_BASE_URL', 'http://127.0.0.1.example.com'],
    ['IDP_BASE_URL', 'http://localhost.example.com'],
    ['IDP_BASE_URL', 'https:login.uat.example.com'],
    ['IDP_BASE_URL', 'ftp://127.0.0.1'],
    ['IDP_BASE_URL', 'https://login.uat.example.com?a=b'],
    ['IDP_BASE_URL', 'https://login.uat.example.com/#a'],
    ['IDP_BASE_URL', 'https://user:canary@login.uat.example.com'],
    ['PARTNER_API_URL', 'file:///etc/passwd'],
    ['PARTNER_API_URL', 'http://api.uat.example.com'],
    ['PARTNER_API_URL', 'https://api.uat.example.com/?x'],
    ['JWKS_URL', '/jwks'],
    ['JWKS_URL', 'http://login.uat.example.com/jwks'],
    ['PRODUCTION_HOSTS', 'https://login.example.com'],
    ['PRODUCTION_HOSTS', 'login.example.com/'],
    ['PRODUCTION_HOSTS', 'login.example.com api.example.com'],
    ['PRODUCTION_HOSTS', 'login.example.com:port'],
    ['CLIENT_ID', 'applicätion'],
    ['CLIENT_SECRET', 'canary-line\nbreak'],
    ['CLIENT_AUTH_METHOD', 'private_key_jwt'],
    ['REDIRECT_URI', '/callback'],
    ['SCOPE', 'profile'],
    ['SCOPE', 'openidx profile'],
    ['PARTNER_CLIENT_ID', 'alone'],
    ['PARTNER_CLIENT_SECRET', 'canary-alone'],
    ['TEST_USER', 'alone'],
    ['TEST_PASSWORD', 'canary-alone'],
    ['TEST_TOTP_SECRET', 'canary-018'],
    ['ACR_ORDER', 'level1'],
    ['EVENT_TIME_ZONE', 'Europe/Atlantis'],
    ['EVENT_WINDOW_FROM', '2026-03-02T00:00:00Z'],
    ['EVENT_WINDOW_FROM', '2026-03-02T00:00:00+02:00'],
    ['EVENT_WINDOW_FROM', '2026-02-30T00:00:00'],
    ['EVENT_WINDOW_FROM', '2026-04-31T00:00:00.5'],
    ['EVENT_WINDOW_FROM', '2026-03-02T24:00:00'],
    ['EVENT_WINDOW_FROM', '2026-13-02T00:00:00'],
    ['EVENT_WINDOW_FROM', '2026-03-02'],
    ['EVENT_WINDOW_TO', '2026-03-03T00:00'],
    ['SECOND_CLIENT_ID', 'alone'],
    ['SECOND_CLIENT_SECRET', 'canary-alone'],
    ['SECOND_REDIRECT_URI', 'callback'],
    ['UNENTITLED_CLIENT_ID', 'alone'],
    ['UNENTITLED_CLIENT_SECRET', 'canary-alone'],
    ['ENABLE', 'login'],
    ['ENABLE', 'slow,fast'],
    ['LOGIN_TIMEOUT_SECONDS', 'long'],
    ['LOGIN_TIMEOUT_SECONDS', '0'],
    ['LOGIN_TIMEOUT_SECONDS', '3600'],
    ['REQUESTS_PER_SECOND', 'many'],
    ['REQUESTS_PER_SECOND', '0'],
    ['REQUESTS_PER_SECOND', '-1'],
    ['REQUESTS_PER_SECOND', '1e-300'],
    ['REQUESTS_PER_SECOND', 'Infinity'],
    ['REQUEST_BUDGET', '1.5'],
    ['REQUEST_BUDGET', '-1'],
    ['REQUEST_BUDGET', 'NaN'],
    ['LOGIN_BUDGET', 'ten'],
    ['LOAD_MAX_RATE', '0'],
    ['LOAD_MAX_REQUESTS', '2.5'],
    ['LOAD_MAX_SECONDS', 'x'],
    ['HTTPS_PROXY', 'proxy:3128'],
    ['HTTPS_PROXY', 'socks5://proxy.example.com'],
  ])('is reported with an example, and without a secret: %s=%s', (name, value) => {
    const other = name === 'ACR_ORDER' ? { REQUIRED_ACR: 'level2' } : {}
    const to = { EVENT_WINDOW_TO: '2026-03-09T00:00:00' }
    const from = { EVENT_WINDOW_FROM: '2026-03-01T00:00:00' }
    const partner = name === 'EVENT_WINDOW_FROM' ? to : name === 'EVENT_WINDOW_TO' ? from : {}
    const found = problems({ ...uat, ...other, ...partner, [name]: value })
    expect(found).toHaveLength(1)
    const pair = /alone$/.test(value)
    const [problem] = found
    if (pair) expect(problem?.what).toContain(name)
    else expect(problem?.name).toBe(name)
    expect(problem?.example).toBe(examples[problem?.name ?? ''])
    expect(problem?.example).toBeTruthy()
    expect(JSON.stringify(found)).not.toContain('canary')
  })

  test('names a second application that is the first', () => {
    const second = { SECOND_CLIENT_ID: uat.CLIENT_ID, SECOND_CLIENT_SECRET: 'canary-second' }
    expect(problems({ ...uat, ...second })).toMatchObject([{ name: 'SECOND_CLIENT_ID' }])
  })

  test('ends a window before it begins, or when it begins', () => {
    for (const to of ['2026-03-01T23:59:59.999', '2026-03-02T00:00:00']) {
      const found = problems({ ...uat, EVENT_WINDOW_FROM: '2026-03-02T00:00:00.000', EVENT_WINDOW_TO: to })
      expect(found.map(({ name }) => name)).toEqual(['EVENT_WINDOW_TO'])
    }
  })

  test('is one problem if ENABLE has two unknown effects', () => {
    expect(problems({ ...uat, ENABLE: 'fast,furious' })).toHaveLength(1)
  })

  test('is reported with a sentence of its own in the message', () => {
    const env = { ...uat, SCOPE: 'profile', REQUEST_BUDGET: 'x' }
    expect(() => targetFrom('uat', env)).toThrow(
      'SCOPE must contain openid (for example SCOPE=openid)\nREQUEST_BUDGET is not a whole number (for example REQUEST_BUDGET=500)',
    )
  })

  test('is not among the examples', () => {
    expect(schema.safeParse(examples).error?.issues ?? []).toEqual([])
    expect(problems(examples)).toEqual([])
  })

  test('gives a SetupError without a secret, whatever the environment contains', () => {
    const names = Object.keys(examples)
    const nasty = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.webUrl(),
      fc.constantFrom(
        '',
        ' ',
        '-1',
        '1e999',
        '0x10',
        'http://[::1',
        'https://',
        '__proto__',
        'a,b,,c',
        '\ud800',
      ),
      fc.constantFrom(...Object.values(examples)),
    )
    const environment = fc.dictionary(fc.constantFrom(...names), nasty).map((env) => ({ ...uat, ...env }))
    fc.assert(
      fc.property(fc.constantFrom(...targetNames), environment, (name, env) => {
        expect(outcome(name, env)).not.toMatch(/canary/)
      }),
      { numRuns: 500 },
    )
  })
})

/** The name of the target, or the message that the user reads. */
function outcome(name: TargetName, env: Record<string, string>): string {
  try {
    return targetFrom(name, env).name
  } catch (error) {
    if (error instanceof SetupError) return error.message
    throw error
  }
}
