import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { divided, exportArtillery } from '../../../load/artillery/export.ts'
import { endpointNames } from '../../../load/endpoints.ts'
import { targetFrom } from '../../../src/target/config.ts'
import { SetupError } from '../../../src/target/problem.ts'

const canaries = {
  CLIENT_ID: 'canary-client-id',
  CLIENT_SECRET: 'canary-client-secret',
  REDIRECT_URI: 'https://canary.example.com/callback',
  PARTNER_CLIENT_ID: 'canary-partner-id',
  PARTNER_CLIENT_SECRET: 'canary-partner-secret',
  TEST_USER: 'canary-user@example.com',
  TEST_PASSWORD: 'canary-password',
}
const target = targetFrom('uat', {
  ...canaries,
  IDP_BASE_URL: 'https://login.uat.example.com',
  PARTNER_API_URL: 'https://api.uat.example.com/partner',
  PRODUCTION_HOSTS: 'none',
  PARTNER_CLIENT_ID: 'partner',
  PARTNER_CLIENT_SECRET: 'canary-partner-secret',
  JWKS_URL: 'https://login.uat.example.com/jwks',
})
const caps = { maxRequests: 100, maxRate: 5, maxSeconds: 60 }
const directory = mkdtempSync(join(tmpdir(), 'plumbline-artillery-'))
afterAll(() => rmSync(directory, { recursive: true }))

describe('the budget', () => {
  test('is never exceeded by all workers together, nor the rate, nor ten connections', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10_000 }),
        fc.double({ min: 0.1, max: 500, noNaN: true }),
        fc.integer({ min: 1, max: 3600 }),
        fc.integer({ min: 1, max: 10 }),
        (maxRequests, maxRate, seconds, workers) => {
          let share: ReturnType<typeof divided>
          try {
            share = divided({ maxRequests, maxRate, maxSeconds: 3600 }, workers, seconds)
          } catch (error) {
            expect(error).toBeInstanceOf(SetupError)
            expect(Math.min(maxRequests, maxRate * seconds)).toBeLessThan(workers)
            return
          }
          expect(share.arrivalCount * workers).toBeLessThanOrEqual(maxRequests)
          expect((share.arrivalCount * workers) / seconds).toBeLessThanOrEqual(maxRate * (1 + 1e-12))
          expect(share.maxVusers * workers).toBeLessThanOrEqual(10)
          expect(share.maxVusers).toBeGreaterThanOrEqual(1)
          expect((share.arrivalCount + 1) * workers).toBeGreaterThan(
            Math.min(maxRequests, maxRate * seconds) - 1e-9,
          )
        },
      ),
    )
  })

  test.each([
    [0, 10],
    [11, 10],
    [1.5, 10],
    [2, 0],
    [2, 61],
    [2, Number.NaN],
  ])('%f workers for %f s are refused', (workers, seconds) => {
    expect(() => divided(caps, workers, seconds)).toThrow(SetupError)
  })

  test('that leaves nothing for each worker is refused with the numbers', () => {
    expect(() => divided({ ...caps, maxRequests: 3 }, 4, 10)).toThrow(
      /--workers leaves less than one request per worker: 3 requests/,
    )
  })
})

describe.each(endpointNames.filter((name) => name !== 'token'))('the scenario of %s', (endpoint) => {
  const folder = join(directory, endpoint)
  exportArtillery(folder, target, { endpoint, workers: 4, seconds: 10 })
  const scenario = parse(readFileSync(join(folder, 'probe.yml'), 'utf8'))

  test('sends what a worker may, and follows no redirect', () => {
    expect(readdirSync(folder).sort()).toEqual(['README.md', 'probe.yml', 'processor.mjs'])
    expect(scenario.config.phases).toEqual([{ name: endpoint, duration: 10, arrivalCount: 12, maxVusers: 2 }])
    expect(scenario.config.http.pool).toBe(2)
    expect(scenario.config.variables).toMatchObject({ share: 12, connections: 2, endpoint })
    const [{ get }] = scenario.scenarios[0].flow
    expect(get).toMatchObject({ followRedirect: false, beforeRequest: 'admit', afterResponse: 'record' })
    expect(scenario.scenarios).toHaveLength(1)
    expect(scenario.scenarios[0].flow).toHaveLength(1)
  })

  test('holds no secret, and names every variable that it takes', () => {
    const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
    for (const canary of Object.values(canaries)) expect(files.join('\n')).not.toContain(canary)
    const taken = [...JSON.stringify(scenario.scenarios).matchAll(/\$processEnvironment\.(\w+)/g)].map(
      ([, name]) => name,
    )
    expect(scenario.config.variables.needs).toBe(taken.join(','))
    // What is in config is filled in where the run is started, and travels from there.
    expect(JSON.stringify(scenario.config)).not.toContain('$processEnvironment')
  })
})

test('refreshes cannot be exported, and the reason is said', () => {
  const wishes = { endpoint: 'token' as const, workers: 1, seconds: 10 }
  expect(() => exportArtillery(directory, target, wishes)).toThrow(
    /each refresh needs the token of the previous one/,
  )
})

test('the key set cannot be exported without its address', () => {
  const { jwksUrl: _, ...unknown } = target
  const wishes = { endpoint: 'key-set' as const, workers: 1, seconds: 10 }
  expect(() => exportArtillery(directory, unknown, wishes)).toThrow(/^JWKS_URL is required/)
})
