import { describe, expect, test } from 'vitest'
import { loginsOf, planFor, planText, stepsOf, tooFewLogins } from '../../load/plan.ts'
import { targetFrom } from '../../src/target/config.ts'

const variables = {
  IDP_BASE_URL: 'https://login.example.com',
  PARTNER_API_URL: 'https://api.example.com/partner',
  CLIENT_ID: 'application',
  CLIENT_SECRET: 'canary-client-secret',
  REDIRECT_URI: 'https://partner.example.com/callback',
  TEST_USER: 'canary-user',
  TEST_PASSWORD: 'canary-password',
}
const uat = targetFrom('uat', { ...variables, PRODUCTION_HOSTS: 'other.example.com' })
const production = (allowed?: string) =>
  targetFrom('production', {
    ...variables,
    PRODUCTION_HOSTS: 'login.example.com,api.example.com',
    ...(allowed !== undefined && { ALLOW_PRODUCTION_LOAD: allowed }),
  })

describe('a plan', () => {
  test('divides LOAD_MAX_REQUESTS equally', () => {
    const steps = stepsOf(planFor(uat, { probes: ['ramp', 'hold'], endpoints: ['key-set'] }), uat)
    expect(steps).toEqual([
      { probe: 'ramp', endpoint: 'key-set', requests: 100, seconds: 45 },
      { probe: 'hold', endpoint: 'key-set', requests: 100, seconds: 120 },
    ])
  })

  test('counts the logins it takes', () => {
    const withSecond = { ...uat, secondUser: { name: 'second', password: 'second-password' } }
    expect(loginsOf(planFor(uat, { endpoints: ['key-set'] }), uat)).toBe(0)
    expect(loginsOf(planFor(uat, { endpoints: ['userinfo', 'token'] }), uat)).toBe(2)
    expect(
      loginsOf(planFor(withSecond, { probes: ['dimension'], endpoints: ['userinfo'] }), withSecond),
    ).toBe(2)
    // From another address the same user signs in anew.
    const apart = { ...withSecond, load: { ...uat.load, addresses: ['127.0.0.1', '127.0.0.2'] } }
    expect(loginsOf(planFor(apart, { probes: ['dimension'], endpoints: ['userinfo'] }), apart)).toBe(3)
  })

  test('needs a LOGIN_BUDGET that lets everybody sign in', () => {
    const plan = planFor(uat, { endpoints: ['userinfo', 'token'] })
    expect(tooFewLogins(plan, { ...uat, loginBudget: 2 })).toBeUndefined()
    expect(tooFewLogins(plan, { ...uat, loginBudget: 1 })).toEqual({
      name: 'LOGIN_BUDGET',
      what: 'is 1, and these probes need 2 logins',
      example: '2',
    })
  })

  test.each([
    [['event-search'], 1],
    [['event-search', 'discovery'], 2],
    [['key-set'], 2],
  ])('%j: says how many requests prepare', (endpoints, count) => {
    expect(planText(planFor(uat, { endpoints }), uat)).toMatch(
      new RegExp(
        `^Before the probes ${count} requests? to prepare, more where .*; at most 500 \\(REQUEST_BUDGET\\)$`,
        'm',
      ),
    )
  })

  test('says before it begins what it will do at most', () => {
    const text = planText(planFor(uat, { probes: ['ramp'], endpoints: ['event-search'] }), uat)
    expect(text).toContain('uat (api.example.com)')
    expect(text).toContain('At most 200 requests and reconnects in all')
    expect(text).toContain('no login')
    expect(text).toContain('ramp       event-search  at most 200 requests, 45 s')
    expect(text).toContain('At most 45 s in all (LOAD_MAX_SECONDS is 120)')
  })

  test.each([
    [{ probes: ['hold'], rate: '4' }, [50]],
    [{ probes: ['hold'], rate: '0.5' }, [120]],
    [{ probes: ['limiter', 'recovery'] }, [60, 120]],
    // Its rates are short, but it may have to wait for what the limiter was told.
    [{ probes: ['limiter', 'ramp'] }, [60, 120]],
  ])('%j take at most %j seconds', (wishes, seconds) => {
    const plan = planFor(uat, { endpoints: ['event-search'], ...wishes })
    expect(stepsOf(plan, uat).map((step) => step.seconds)).toEqual(seconds)
    expect(planText(plan, uat)).toContain(
      `At most ${Math.min(120, seconds[0] === 60 ? 180 : (seconds[0] ?? 0))} s in all`,
    )
  })
})

describe('a plan is refused', () => {
  test.for([
    [{ probes: ['rampe'] }, /--probe names "rampe"/],
    [{ endpoints: ['search'] }, /--endpoint names "search"/],
    [{ rate: '0' }, /--rate is 0/],
    [{ rate: '6' }, /at most 5/],
    [{ rate: 'fast' }, /--rate is fast/],
    [{ probes: ['capacity'] }, /--own-server does not name api\.example\.com/],
    [{ probes: ['capacity'], ownServer: 'login.example.com' }, /does not name api\.example\.com/],
  ] as const)('%j', ([wishes, sentence]) => {
    expect(() => planFor(uat, wishes)).toThrow(sentence)
  })

  test('on production, unless ALLOW_PRODUCTION_LOAD names every host that is probed', () => {
    const wishes = { probes: ['ramp'], endpoints: ['event-search', 'key-set'] }
    expect(() => planFor(production(), wishes)).toThrow(
      /ALLOW_PRODUCTION_LOAD does not name login\.example\.com/,
    )
    expect(() => planFor(production('login.example.com'), wishes)).toThrow(/does not name api\.example\.com/)
    expect(planFor(production('login.example.com,api.example.com'), wishes).probes).toEqual(['ramp'])
  })
})
