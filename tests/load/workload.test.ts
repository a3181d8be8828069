import { describe, expect, test } from 'vitest'
import { probeNames } from '../../load/result.ts'
import { loginsOf, stepsOf, tooFewLogins, workloadOf, workloadText } from '../../load/workload.ts'
import { probeTexts } from '../../src/cli/load/probe-help.ts'
import { targetFrom } from '../../src/target/config.ts'

const variables = {
  IDP_BASE_URL: 'https://login.example.com',
  PARTNER_API_URL: 'https://api.example.com/partner',
  PARTNER_CLIENT_ID: 'partner',
  PARTNER_CLIENT_SECRET: 'canary-partner-secret',
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

describe('a workload', () => {
  test('divides LOAD_MAX_REQUESTS, and passes on what a probe leaves', () => {
    const steps = stepsOf(workloadOf(uat, { probe: ['ramp', 'hold'], endpoint: ['key-set'] }), uat)
    expect(steps).toEqual([
      { probe: 'ramp', endpoint: 'key-set', share: 0.5, requests: 100, seconds: 45 },
      { probe: 'hold', endpoint: 'key-set', share: 1, requests: 200, seconds: 120 },
    ])
  })

  test('counts the logins it takes', () => {
    const withSecond = { ...uat, secondUser: { name: 'second', password: 'second-password' } }
    expect(loginsOf(workloadOf(uat, { endpoint: ['key-set'] }), uat)).toBe(0)
    expect(loginsOf(workloadOf(uat, { endpoint: ['userinfo', 'token'] }), uat)).toBe(2)
    expect(
      loginsOf(workloadOf(withSecond, { probe: ['dimension'], endpoint: ['userinfo'] }), withSecond),
    ).toBe(2)
    // From another address the same user signs in anew.
    const apart = { ...withSecond, load: { ...uat.load, addresses: ['127.0.0.1', '127.0.0.2'] } }
    expect(loginsOf(workloadOf(apart, { probe: ['dimension'], endpoint: ['userinfo'] }), apart)).toBe(3)
  })

  test('needs a LOGIN_BUDGET that is large enough for all users', () => {
    const workload = workloadOf(uat, { endpoint: ['userinfo', 'token'] })
    expect(tooFewLogins(workload, { ...uat, loginBudget: 2 })).toBeUndefined()
    expect(tooFewLogins(workload, { ...uat, loginBudget: 1 })).toEqual({
      name: 'LOGIN_BUDGET',
      what: 'is 1, but these probes need 2 logins',
      example: '2',
    })
  })

  test.each([
    [['event-search'], 1],
    [['event-search', 'discovery'], 2],
    [['key-set'], 2],
  ])('%j: shows the number of preparing requests', (endpoint, count) => {
    expect(workloadText(workloadOf(uat, { endpoint }), uat)).toMatch(
      new RegExp(`^Before the probes: normally ${count} requests? to check that the target responds, `, 'm'),
    )
  })

  test('shows its caps before it starts', () => {
    const text = workloadText(workloadOf(uat, { probe: ['ramp'], endpoint: ['event-search'] }), uat)
    expect(text).toContain('uat (api.example.com)')
    expect(text).toContain('At most 200 requests and reconnects in total')
    expect(text).toContain(
      'Logins: none\nAfter a 429, the probes send no request before Retry-After has elapsed\n',
    )
    expect(text).toContain('ramp       event-search  up to 200 requests, 45 s')
    expect(text).toContain('At most 45 s in total, including waits')
    expect(text).not.toContain('Caps per probe')
  })

  test.each([
    [15, 'Logins: 1 with a password, up to 2 if the target throttles or fails (LOGIN_BUDGET is 15)'],
    [1, 'Logins: 1 with a password (LOGIN_BUDGET is 1)'],
  ])('shows its logins, within a LOGIN_BUDGET of %i', (loginBudget, line) => {
    const workload = workloadOf(uat, { probe: ['ramp'], endpoint: ['userinfo'] })
    expect(workloadText(workload, { ...uat, loginBudget }).split('\n')).toContain(line)
  })

  test('has the total first, then the caps of several probes and their exceptions to Retry-After', () => {
    const text = workloadText(workloadOf(uat, { probe: ['ramp', 'dimension'], endpoint: ['userinfo'] }), uat)
    expect(text).toMatch(/At most 200 requests .*Caps per probe .*up to 100 /s)
    expect(text).toContain('Except in dimension: ')
  })

  test.each([
    [{ probe: ['hold'], rate: '4' }, [50]],
    [{ probe: ['hold'], rate: '0.5' }, [120]],
    [{ probe: ['limiter', 'recovery'] }, [96, 120]],
    // Its rates are short, but it may have to wait until the limiter is fresh.
    [{ probe: ['limiter', 'ramp'] }, [96, 120]],
  ])('%j take at most %j seconds', (options, seconds) => {
    const workload = workloadOf(uat, { endpoint: ['event-search'], ...options })
    expect(stepsOf(workload, uat).map((step) => step.seconds)).toEqual(seconds)
    expect(workloadText(workload, uat)).toContain(
      `At most ${Math.min(120, seconds[0] === 96 ? 216 : (seconds[0] ?? 0))} s in total`,
    )
  })
})

describe('a workload is refused', () => {
  test.for([
    [{ probe: ['rampe'] }, /--probe "rampe" is not one of/],
    [{ endpoint: ['search'] }, /--endpoint "search" is not one of/],
    [{ rate: '0' }, /--rate is 0/],
    [{ rate: '6' }, /at most 5/],
    [{ rate: 'fast' }, /--rate is fast/],
    [{ probe: ['capacity'] }, /--own-server is not api\.example\.com/],
    [{ probe: ['capacity'], ownServer: 'login.example.com' }, /is not api\.example\.com/],
  ] as const)('%j', ([options, sentence]) => {
    expect(() => workloadOf(uat, options)).toThrow(sentence)
  })

  test('on production, unless ALLOW_PRODUCTION_LOAD names every host that is probed', () => {
    const options = { probe: ['ramp'], endpoint: ['event-search', 'key-set'] }
    expect(() => workloadOf(production(), options)).toThrow(
      /ALLOW_PRODUCTION_LOAD does not contain login\.example\.com/,
    )
    expect(() => workloadOf(production('login.example.com'), options)).toThrow(
      /does not contain api\.example\.com/,
    )
    expect(workloadOf(production('login.example.com,api.example.com'), options).probes).toEqual(['ramp'])
  })
})

test('--help explains the probes in the order in which they run, and marks those that run by default', () => {
  expect(Object.keys(probeTexts)).toEqual(probeNames)
  const byDefault = Object.entries(probeTexts).flatMap(([name, text]) =>
    text.endsWith(' (default)') ? [name] : [],
  )
  expect(byDefault).toEqual(workloadOf(uat, {}).probes)
})
