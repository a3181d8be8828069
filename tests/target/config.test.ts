import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { targetFrom } from '../../src/target/config.ts'
import { optionalEffects } from '../../src/target/effects.ts'
import { readEnvironment, targetNameFrom, variableSources } from '../../src/target/environment.ts'
import { partnerApiOf } from '../../src/target/parts.ts'
import { SetupError } from '../../src/target/problem.ts'
import { profiles, type TargetName, targetNames } from '../../src/target/profiles.ts'
import { schema, variables } from '../../src/target/variables.ts'

const examples = Object.fromEntries(Object.entries(variables).map(([name, { example }]) => [name, example]))

const uat = {
  IDP_BASE_URL: 'https://login.uat.example.com',
  PARTNER_API_URL: 'https://api.uat.example.com/partner/',
  CLIENT_ID: 'application',
  CLIENT_SECRET: 'canary-client-secret',
  REDIRECT_URI: 'https://partner.example.com/callback',
  PRODUCTION_HOSTS: 'none',
}

function problems(env: Record<string, string>, name: TargetName = 'uat') {
  try {
    targetFrom(name, env)
  } catch (error) {
    if (error instanceof SetupError) return error.problems
    throw error
  }
  return []
}

describe('a complete configuration', () => {
  test('becomes a target with the defaults of its profile', () => {
    expect(targetFrom('uat', uat)).toEqual({
      name: 'uat',
      issuer: 'https://login.uat.example.com',
      partnerApiUrl: 'https://api.uat.example.com/partner',
      application: {
        id: 'application',
        secret: 'canary-client-secret',
        redirectUri: 'https://partner.example.com/callback',
        authMethod: 'client_secret_basic',
      },
      scope: 'openid',
      loginTimeoutSeconds: 15,
      eventTimeZone: 'unknown',
      allowedEffects: ['login', 'burns-codes', 'bad-credentials'],
      hosts: ['login.uat.example.com', 'api.uat.example.com'],
      requestsPerSecond: 5,
      requestBudget: 500,
      loginBudget: 15,
      longestLifetime: 3600,
      codeLifetime: 600,
      productionHosts: [],
      load: { maxRate: 5, maxRequests: 200, maxSeconds: 120, productionHosts: [], addresses: [] },
      reportDir: resolve('reports'),
    })
  })

  test('with every variable set', () => {
    const target = targetFrom('uat', {
      ...uat,
      JWKS_URL: 'https://keys.uat.example.com/jwks',
      CLIENT_AUTH_METHOD: 'client_secret_post',
      SCOPE: 'openid profile',
      PARTNER_CLIENT_ID: 'partner',
      PARTNER_CLIENT_SECRET: 'partner-secret',
      TEST_USER: 'tester',
      TEST_PASSWORD: 'password',
      TEST_TOTP_SECRET: 'JBSWY3DPEHPK3PXP',
      LOGIN_RECIPE: 'recipe.json',
      CLAIM_RECIPE: 'claim.json',
      SEED: '7',
      REQUIRED_ACR: 'level2',
      ACR_ORDER: 'level1, level2',
      EVENT_TIME_ZONE: 'Europe/Helsinki',
      EVENT_WINDOW_FROM: '2026-03-02T00:00:00',
      EVENT_WINDOW_TO: '2026-03-03T00:00:00.000',
      SECOND_CLIENT_ID: 'second',
      SECOND_CLIENT_SECRET: 'second-secret',
      SECOND_REDIRECT_URI: 'com.example.app:/callback',
      UNENTITLED_CLIENT_ID: 'unentitled',
      UNENTITLED_CLIENT_SECRET: 'unentitled-secret',
      ENABLE: 'slow,planned',
      REQUESTS_PER_SECOND: '0.5',
      REQUEST_BUDGET: '7',
      LOGIN_BUDGET: '0',
      LOAD_MAX_RATE: '3',
      LOAD_MAX_REQUESTS: '4',
      LOAD_MAX_SECONDS: '5',
      ALLOW_PRODUCTION_LOAD: 'login.uat.example.com',
      HTTPS_PROXY: 'http://proxy.example.com:3128',
      NO_PROXY: 'localhost',
      CHROMIUM_PATH: '/usr/bin/chromium',
      REPORT_DIR: '/elsewhere',
    })
    expect(target).toMatchObject({
      jwksUrl: 'https://keys.uat.example.com/jwks',
      application: { authMethod: 'client_secret_post' },
      partner: { id: 'partner', secret: 'partner-secret' },
      user: { name: 'tester', password: 'password', totpSecret: 'JBSWY3DPEHPK3PXP' },
      claimRecipe: 'claim.json',
      seed: 7,
      acrOrder: ['level1', 'level2'],
      eventWindow: { from: '2026-03-02T00:00:00', to: '2026-03-03T00:00:00.000' },
      secondApplication: { id: 'second', redirectUri: 'com.example.app:/callback' },
      unentitledPartner: { id: 'unentitled' },
      allowedEffects: ['login', 'burns-codes', 'bad-credentials', 'slow', 'planned'],
      hosts: ['login.uat.example.com', 'api.uat.example.com', 'keys.uat.example.com'],
      requestsPerSecond: 0.5,
      requestBudget: 7,
      loginBudget: 0,
      load: {
        maxRate: 3,
        maxRequests: 4,
        maxSeconds: 5,
        productionHosts: ['login.uat.example.com'],
        addresses: [],
      },
      proxy: { url: 'http://proxy.example.com:3128', bypass: 'localhost' },
      reportDir: '/elsewhere',
    })
  })

  test('keeps the issuer byte for byte', () => {
    for (const IDP_BASE_URL of ['https://Login.UAT.example.com', 'https://login.uat.example.com/']) {
      expect(targetFrom('uat', { ...uat, IDP_BASE_URL }).issuer).toBe(IDP_BASE_URL)
    }
  })

  test('a second application without a redirect URI has that of the first', () => {
    const env = { ...uat, SECOND_CLIENT_ID: 'b', SECOND_CLIENT_SECRET: 'secret-b' }
    expect(targetFrom('uat', env).secondApplication?.redirectUri).toBe(uat.REDIRECT_URI)
  })

  test('the partner API is optional, and never receives the credentials of the application', () => {
    const { PARTNER_API_URL: _, ...withoutHub } = uat
    expect(targetFrom('uat', withoutHub)).not.toHaveProperty('partnerApiUrl')
    const target = targetFrom('uat', uat)
    expect(target).not.toHaveProperty('partner')
    expect(() => partnerApiOf(target)).toThrow(
      'PARTNER_CLIENT_ID is not set; requests to the partner API need it',
    )
    const own = { PARTNER_CLIENT_ID: uat.CLIENT_ID, PARTNER_CLIENT_SECRET: uat.CLIENT_SECRET }
    expect(partnerApiOf(targetFrom('uat', { ...uat, ...own })).credentials.id).toBe(uat.CLIENT_ID)
  })

  test('requests to loopback addresses do not go through the proxy', () => {
    const proxy = { HTTPS_PROXY: 'http://proxy.example.com:3128' }
    const local = { IDP_BASE_URL: 'http://127.0.0.1:4000', PARTNER_API_URL: 'http://127.0.0.1:4000/partner' }
    expect(targetFrom('embedded', { ...uat, ...local, ...proxy }).proxy).toBeUndefined()
    expect(targetFrom('uat', { ...uat, ...proxy }).proxy).toEqual({ url: proxy.HTTPS_PROXY, bypass: '' })
  })

  test('each profile has its own pace and budgets', () => {
    const { requestsPerSecond, requestBudget } = targetFrom('production', {
      ...uat,
      PRODUCTION_HOSTS: 'login.uat.example.com,api.uat.example.com',
    })
    expect({ requestsPerSecond, requestBudget }).toEqual({ requestsPerSecond: 2, requestBudget: 300 })
  })
})

describe('a wrong variable', () => {
  const required = ['IDP_BASE_URL', 'CLIENT_ID', 'CLIENT_SECRET', 'REDIRECT_URI'] as const

  test.each(required)('%s missing', (name) => {
    const { [name]: _, ...rest } = uat
    expect(problems(rest)).toEqual([
      { name, what: expect.stringContaining('is not set'), example: examples[name] },
    ])
  })

  test('all missing ones are reported at once', () => {
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
  ])('%s=%s', (name, value) => {
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

  test('a second application that is the first', () => {
    const second = { SECOND_CLIENT_ID: uat.CLIENT_ID, SECOND_CLIENT_SECRET: 'canary-second' }
    expect(problems({ ...uat, ...second })).toMatchObject([{ name: 'SECOND_CLIENT_ID' }])
  })

  test('a window that ends before it begins, or when it begins', () => {
    for (const to of ['2026-03-01T23:59:59.999', '2026-03-02T00:00:00']) {
      const found = problems({ ...uat, EVENT_WINDOW_FROM: '2026-03-02T00:00:00.000', EVENT_WINDOW_TO: to })
      expect(found.map(({ name }) => name)).toEqual(['EVENT_WINDOW_TO'])
    }
  })

  test('two wrong words in ENABLE are one problem', () => {
    expect(problems({ ...uat, ENABLE: 'fast,furious' })).toHaveLength(1)
  })

  test('several variables are reported at once, and the message is a sentence for each', () => {
    const env = { ...uat, SCOPE: 'profile', REQUEST_BUDGET: 'x' }
    expect(() => targetFrom('uat', env)).toThrow(
      'SCOPE must contain openid (for example SCOPE=openid)\nREQUEST_BUDGET is not a whole number (for example REQUEST_BUDGET=500)',
    )
  })

  test('every example is accepted', () => {
    expect(schema.safeParse(examples).error?.issues ?? []).toEqual([])
    expect(problems(examples)).toEqual([])
  })
})

describe('ENABLE', () => {
  test.each(targetNames)('on %s adds what the profile may enable and nothing else', (name) => {
    const { allowed, mayEnable } = profiles[name]
    const hosts = {
      PRODUCTION_HOSTS: name === 'production' ? 'login.uat.example.com,api.uat.example.com' : '',
    }
    const local = { IDP_BASE_URL: 'http://localhost:1', PARTNER_API_URL: 'http://localhost:1/api' }
    const base = { ...uat, ...(name === 'embedded' && local), ...(name === 'production' && hosts) }
    for (const effect of optionalEffects) {
      const env = { ...base, ENABLE: effect }
      if (mayEnable.includes(effect)) {
        expect(targetFrom(name, env).allowedEffects).toEqual([...new Set([...allowed, effect])])
      } else {
        expect(problems(env, name)).toEqual([
          {
            name: 'ENABLE',
            what: expect.stringContaining('never allowed'),
            advice: 'remove it',
            example: examples.ENABLE,
          },
        ])
      }
    }
  })

  test('production allows neither token-destruction nor credential-probes', () => {
    expect(profiles.production.mayEnable).toEqual(['slow'])
  })
})

describe('layers', () => {
  const directory = mkdtempSync(join(tmpdir(), 'plumbline-config-'))
  afterAll(() => rmSync(directory, { recursive: true }))
  writeFileSync(join(directory, '.env'), 'A=env\nB=env\nC=env\nD="  "\nTARGET=uat\n')
  writeFileSync(join(directory, '.env.uat'), 'A=uat\nB=uat\nE=uat # comment\n')

  test('process environment over .env.<target> over .env; empty counts as not set', () => {
    expect(readEnvironment('uat', { A: 'process', B: '', F: ' \t', G: ' g ' }, directory)).toEqual({
      A: 'process',
      B: 'uat',
      C: 'env',
      E: 'uat',
      G: 'g',
      TARGET: 'uat',
    })
    expect(readEnvironment('production', {}, directory)).toMatchObject({ A: 'env', B: 'env' })
  })

  test('missing files are ignored, unreadable ones are reported', () => {
    expect(readEnvironment('uat', { A: 'a' }, join(directory, 'nowhere'))).toEqual({ A: 'a' })
    mkdirSync(join(directory, '.env.production'))
    expect(() => readEnvironment('production', {}, directory)).toThrow(/^\.env\.production cannot be read/)
  })

  test('TARGET has no effect in the file of a target, and is not listed from it', () => {
    const folder = join(directory, 'of-a-target')
    mkdirSync(folder)
    writeFileSync(join(folder, '.env.uat'), 'TARGET=embedded\nCLIENT_ID=a\n')
    expect([...variableSources('uat', {}, folder).keys()]).toEqual(['CLIENT_ID'])
    writeFileSync(join(folder, '.env'), 'TARGET=uat\n')
    expect(variableSources('uat', {}, folder).get('TARGET')).toMatchObject({ value: 'uat', source: '.env' })
  })

  test('the target is the option, TARGET of the environment, TARGET of .env, embedded', () => {
    expect(targetNameFrom('production', { TARGET: 'embedded' }, directory)).toBe('production')
    expect(targetNameFrom(undefined, { TARGET: ' embedded ' }, directory)).toBe('embedded')
    expect(targetNameFrom(undefined, {}, directory)).toBe('uat')
    expect(targetNameFrom(undefined, { TARGET: '' }, directory)).toBe('uat')
    expect(targetNameFrom(undefined, { TARGET: ' ' }, join(directory, 'nowhere'))).toBe('embedded')
  })

  test('an unknown target names the option or the variable', () => {
    expect(() => targetNameFrom('prod', {}, directory)).toThrow(
      '--target "prod" is not one of embedded, uat, production',
    )
    expect(() => targetNameFrom(undefined, { TARGET: 'UAT' }, directory)).toThrow(
      /^TARGET "UAT" is not one of/,
    )
    expect(() => targetNameFrom('', {}, directory)).toThrow(SetupError)
  })
})

test('every environment gives a target or a SetupError, which contains no secret', () => {
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

/** What a person would read. */
function outcome(name: TargetName, env: Record<string, string>): string {
  try {
    return targetFrom(name, env).name
  } catch (error) {
    if (error instanceof SetupError) return error.message
    throw error
  }
}

test('a misspelt variable in a file is rejected, a variable of another tool is not', () => {
  const directory = mkdtempSync(join(tmpdir(), 'plumbline-env-'))
  writeFileSync(join(directory, '.env'), 'DATABASE_URL=postgres://db\nCLINT_ID=x\n')
  expect(() => readEnvironment('uat', {}, directory)).toThrow(
    'CLINT_ID in .env is not a variable of Plumbline; rename it to CLIENT_ID',
  )
  writeFileSync(join(directory, '.env'), 'DATABASE_URL=postgres://db\n')
  expect(readEnvironment('uat', {}, directory)).toEqual({ DATABASE_URL: 'postgres://db' })
})

describe('where webhooks are received', () => {
  test('is this machine for the embedded target, and needs WEBHOOK_RECEIVER_URL for others', () => {
    const loopback = {
      ...uat,
      IDP_BASE_URL: 'http://127.0.0.1:4000',
      PARTNER_API_URL: 'http://127.0.0.1:4000',
    }
    expect(targetFrom('embedded', loopback).webhookReceiver).toEqual({})
    expect(targetFrom('uat', uat).webhookReceiver).toBeUndefined()
    const receiver = { WEBHOOK_RECEIVER_URL: 'https://hooks.example.com/x', WEBHOOK_RECEIVER_PORT: '8443' }
    expect(targetFrom('uat', { ...uat, ...receiver }).webhookReceiver).toEqual({
      url: 'https://hooks.example.com/x',
      port: 8443,
    })
  })

  test('is an https: address, and the control of the clock lies on the target', () => {
    expect(problems({ ...uat, WEBHOOK_RECEIVER_URL: 'http://hooks.example.com' })).toMatchObject([
      { name: 'WEBHOOK_RECEIVER_URL', what: expect.stringContaining('https:') },
    ])
    expect(problems({ ...uat, WEBHOOK_RECEIVER_URL: 'https://hooks.example.com/?a=b' })).toHaveLength(1)
    expect(problems({ ...uat, WEBHOOK_RECEIVER_PORT: '65536' })).toHaveLength(1)
    expect(problems({ ...uat, WEBHOOK_CLOCK_URL: 'https://elsewhere.example.com/clock' })).toMatchObject([
      { name: 'WEBHOOK_CLOCK_URL', what: expect.stringContaining('elsewhere.example.com') },
    ])
    const clock = 'https://api.uat.example.com/test/clock'
    expect(targetFrom('uat', { ...uat, WEBHOOK_CLOCK_URL: clock }).webhookClockUrl).toBe(clock)
  })
})
