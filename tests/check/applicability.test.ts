import { beforeAll, describe, expect, test } from 'vitest'
import { applies, isConfigured, reasonNotApplicable, requiredPartsOf } from '../../src/check/applicability.ts'
import { catalogue } from '../../src/check/catalogue.ts'
import { loadSuites } from '../../src/check/suites.ts'
import { effects } from '../../src/target/profiles.ts'
import type { Target } from '../../src/target/target.ts'
import { definition } from './run-fixture.ts'

const body = async () => undefined
beforeAll(() => {
  catalogue.areas.set('test-partner', { name: 'test-partner', order: 1, host: 'partner-api' } as never)
  return () => void catalogue.areas.delete('test-partner')
})

/** A target with only the decisive members. */
const target = (changes: Partial<Target> = {}) =>
  ({
    name: 'uat',
    allowedEffects: ['login'],
    issuer: 'https://login.example.com',
    application: { id: 'application', secret: 'secret' },
    partnerApiUrl: new URL('https://partner.example.com'),
    partner: { id: 'partner', secret: 'secret' },
    ...changes,
  }) as unknown as Target

test('an area is judged if the target has all that every check of it needs', async () => {
  await loadSuites()
  const absent = { partner: undefined } as never
  expect(isConfigured('test-partner', target())).toBe(true)
  expect(isConfigured('test-partner', target(absent))).toBe(false)
  expect(isConfigured('token', target(absent))).toBe(true)
  expect(isConfigured('token', target({ application: undefined } as never))).toBe(false)
})

test('a check that waits for a code to expire needs a LONGEST_LIFETIME of at least CODE_LIFETIME', () => {
  const check = definition(body, { effects: ['slow'], waitsFor: 'code' })
  const slow = { allowedEffects: ['slow'], codeLifetime: 600 } as const
  expect(applies(check, target({ ...slow, longestLifetime: 600 }))).toBe(true)
  expect(reasonNotApplicable(check, target({ ...slow, longestLifetime: 599 }))?.reason).toBe(
    'needs a LONGEST_LIFETIME of at least CODE_LIFETIME, 600 s',
  )
})

describe('a check of the partner API', () => {
  test('needs its address and credentials', () => {
    const check = definition(body, { area: 'test-partner' })
    expect(applies(check, target())).toBe(true)
    expect(reasonNotApplicable(check, target({ partnerApiUrl: undefined } as never))?.reason).toBe(
      'needs PARTNER_API_URL to be set',
    )
    expect(reasonNotApplicable(check, target({ partner: undefined } as never))?.reason).toBe(
      'needs PARTNER_CLIENT_ID and PARTNER_CLIENT_SECRET to be set',
    )
  })

  test('that signs in also needs the identity provider and an application', () => {
    const login = definition(body, { area: 'test-partner', effects: ['login'] })
    expect(applies(login, target())).toBe(true)
    expect(reasonNotApplicable(login, target({ issuer: undefined } as never))?.reason).toBe(
      'needs IDP_BASE_URL to be set',
    )
    expect(reasonNotApplicable(login, target({ application: undefined } as never))?.reason).toBe(
      'needs CLIENT_ID, CLIENT_SECRET and REDIRECT_URI to be set',
    )
  })

  test('needs both even if its area is that of the identity provider', () => {
    const check = definition(body, { needs: ['unentitledPartner'] })
    const unentitledPartner = { id: 'unentitled', secret: 'secret' }
    expect(applies(check, target({ unentitledPartner }))).toBe(true)
    expect(applies(check, target({ unentitledPartner, partnerApiUrl: undefined } as never))).toBe(false)
    expect(applies(check, target({ unentitledPartner, partner: undefined } as never))).toBe(false)
  })

  test('of another host needs neither', () => {
    const without = target({ partnerApiUrl: undefined, partner: undefined } as never)
    expect(applies(definition(body), without)).toBe(true)
  })
})

test('a selection needs only the parts of a target that its areas need', async () => {
  await loadSuites()
  const required = (...areas: string[]) => Object.fromEntries(requiredPartsOf(areas))
  expect(required('event-search', 'events', 'webhook-subscriptions')).toEqual({})
  expect(required('discovery', 'key-set', 'platform')).toEqual({ issuer: '3 areas need' })
  expect(required('event-search', 'token', 'token')).toEqual({
    issuer: 'the area token needs',
    application: 'the area token needs',
  })
})

test.each([
  [
    'webhookReceiver',
    'needs WEBHOOK_RECEIVER_URL (a public https: address that forwards its requests to this machine, see docs/webhooks.md) to be set',
  ],
  [
    'claimRecipe',
    'needs CLAIM_RECIPE (a recipe for the page on which the test user changes a claim, see docs/claim-change.md) to be set',
  ],
] as const)('the reason explains what %s is', (need, reason) => {
  expect(reasonNotApplicable(definition(body, { needs: [need] }), target())?.reason).toBe(reason)
})

describe('a check that needs configuration and has an effect', () => {
  const withoutUser = target({ user: undefined } as never)

  test('names the configuration first', () => {
    const check = definition(body, { needs: ['user'], effects: ['slow'] })
    expect(applies(check, withoutUser)).toBe(false)
    expect(reasonNotApplicable(check, withoutUser)?.reason).toBe(
      'needs TEST_USER and TEST_PASSWORD to be set',
    )
  })

  test('needs no configuration for an unavailable feature', () => {
    const check = definition(body, { needs: ['user'], effects: ['login', 'planned'] })
    expect(reasonNotApplicable(check, withoutUser)).toEqual({
      reason: `off by default on uat, because the check ${effects.planned}`,
      advice: 'ENABLE=planned turns it on',
      missingEffect: 'planned',
    })
  })

  test('may run where the effect is allowed and the configuration there', () => {
    const allowed = { allowedEffects: ['login', 'slow'], user: { name: 'u', password: 'p' } }
    const check = definition(body, { needs: ['user'], effects: ['login', 'slow'] })
    expect(applies(check, target(allowed as never))).toBe(true)
  })
})

test('an effect that ENABLE cannot allow has no advice', () => {
  const check = definition(body, { effects: ['claim-change'] })
  expect(reasonNotApplicable(check, target({ name: 'production' }))).toEqual({
    reason: `never allowed on production, because the check ${effects['claim-change']}`,
    advice: null,
    forbiddenEffect: 'claim-change',
  })
})
