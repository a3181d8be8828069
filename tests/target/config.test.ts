import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { targetFrom } from '../../src/target/config.ts'
import { partnerApiOf } from '../../src/target/parts.ts'
import { uat } from './example-variables.ts'

describe('a complete configuration', () => {
  test('gives a target with the defaults of its profile', () => {
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

  test('may set every variable', () => {
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
