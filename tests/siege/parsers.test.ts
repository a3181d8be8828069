import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { importArtillery } from '../../load/artillery/import.ts'
import { loadClaimRecipe, loadLoginRecipe } from '../../src/browser/index.ts'
import { readPage } from '../../src/event-hub/page.ts'
import { parseCheckpoint } from '../../src/event-hub/poller/checkpoint.ts'
import { HttpResponse } from '../../src/http/response.ts'
import { retryAfterMs } from '../../src/http/retry-after.ts'
import { bearerChallenges, challenges } from '../../src/oauth/challenge.ts'
import { decodeJwt, verifySignature } from '../../src/oauth/jwt.ts'
import { keysOf } from '../../src/oauth/key-set.ts'
import { readPolicy } from '../../src/release/policy.ts'
import { readWaivers } from '../../src/release/waivers.ts'
import { readRun } from '../../src/results/saved-run.ts'
import { SetupError } from '../../src/target/problem.ts'
import { runOf } from '../results/fixture/runs.ts'

// Whatever a target or a file contains, a parser returns a value or reports a SetupError.

const folder = mkdtempSync(join(tmpdir(), 'plumbline-parsers-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** JSON that resembles a valid value: parts of it are replaced, removed or repeated. */
function spoilt(valid: unknown): fc.Arbitrary<unknown> {
  if (valid === null || typeof valid !== 'object') return mostly(valid)
  const parts: fc.Arbitrary<unknown> = Array.isArray(valid)
    ? fc.tuple(...valid.map(spoilt)).chain((items) => fc.shuffledSubarray(items))
    : fc.record(Object.fromEntries(Object.entries(valid).map(([name, value]) => [name, spoilt(value)])), {
        requiredKeys: [],
      })
  return fc.oneof({ weight: 12, arbitrary: parts }, { weight: 1, arbitrary: fc.jsonValue() })
}

function mostly(valid: unknown): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary: fc.constant(valid) }, { weight: 1, arbitrary: fc.jsonValue() })
}

/** Bytes of a file that resembles a valid one. */
function spoiltFile(valid: unknown): fc.Arbitrary<Buffer> {
  const json = spoilt(valid).map((value) => Buffer.from(JSON.stringify(value) ?? ''))
  const cut = fc.tuple(json, fc.nat()).map(([bytes, at]) => bytes.subarray(0, at % (bytes.length + 1)))
  const random = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes))
  return fc.oneof(
    { weight: 6, arbitrary: json },
    { weight: 1, arbitrary: cut },
    { weight: 1, arbitrary: random },
  )
}

/** What is thrown, unless it is a report to the user. */
function unhandled(work: () => unknown): unknown {
  try {
    work()
    return undefined
  } catch (error) {
    return error instanceof SetupError && error.message !== '' ? undefined : error
  }
}

const recipe = {
  hosts: ['login.example.com'],
  loginPage: { css: 'form' },
  signIn: [
    { do: 'fill', at: { label: 'Email' }, value: 'username' },
    { do: 'click', at: { role: 'button', name: 'Next' }, timeoutMs: 1000 },
  ],
  cancel: [{ do: 'click', at: { text: 'Cancel' } }],
}
const target = { issuer: 'https://login.example.com', hosts: ['login.example.com'] }
const claimRecipe = {
  page: '/account',
  claim: 'nickname',
  normal: 'a',
  other: 'b',
  steps: [{ do: 'fill', at: { label: 'Name' }, value: 'claim' }],
}
const policy = {
  areas: ['token'],
  level: 'required',
  maxAgeHours: 24,
  levels: ['required'],
  inconclusive: 'block',
}
const waivers = [
  { requirement: 'TOKEN-TYPE-BEARER', reason: 'Agreed', owner: 'team', expires: '2027-01-01', target: 'uat' },
]
const checkpoint = {
  format: 'plumbline-event-checkpoint',
  version: 1,
  ...{ hub: 'h', client: 'c', zone: 'UTC', checkpoint: '2026-01-01T00:00:00.000' },
  ...{ generation: 1, begunAt: '2026-01-01T00:00:00.000' },
}
const feed = { hub: 'h', client: 'c', zone: 'UTC' }
const records = [
  { kind: 'begin', worker: 'w', format: 1, endpoint: 'token', share: 10, seconds: 1, at: 1000 },
  ...[
    {
      kind: 'request',
      worker: 'w',
      intendedAt: 1001,
      sentAt: 1002,
      endedAt: 1003,
      status: 200,
      reconnected: false,
    },
  ],
  { kind: 'suppressed', worker: 'w', at: 1004, because: 'budget' },
]

describe('files', () => {
  test.each<readonly [string, unknown, (path: string) => unknown]>([
    ['results.json', runOf([{ id: 'TOKEN-TYPE-BEARER', verdict: 'pass' }]), () => readRun(folder)],
    ['login-recipe.json', recipe, loadLoginRecipe],
    ['claim-recipe.json', claimRecipe, (path) => loadClaimRecipe(path, target)],
    ['policy.json', policy, (path) => readPolicy(path, ['token'])],
    ['waivers.json', waivers, readWaivers],
  ])('%s', (name, valid, read) => {
    const path = join(folder, name)
    const property = fc.property(spoiltFile(valid), (bytes) => {
      writeFileSync(path, bytes)
      expect(unhandled(() => read(path))).toBeUndefined()
    })
    fc.assert(property, { numRuns: 300 })
  })

  test('a checkpoint', () => {
    const read = (bytes: Buffer) => unhandled(() => parseCheckpoint(bytes.toString(), 'path', feed))
    fc.assert(
      fc.property(spoiltFile(checkpoint), (bytes) => {
        expect(read(bytes)).toBeUndefined()
      }),
    )
  })

  test('records of Artillery', () => {
    const line = fc.oneof(...records.map((record) => spoiltFile(record)))
    const text = fc.array(line, { maxLength: 6 }).map((lines) => lines.map(String).join('\n'))
    const files = fc
      .array(text, { maxLength: 2 })
      .map((texts) => texts.map((each, n) => ({ name: `f${n}`, text: each })))
    fc.assert(
      fc.property(files, (all) => {
        expect(unhandled(() => importArtillery(all))).toBeUndefined()
      }),
      { numRuns: 500 },
    )
  })
})

describe('responses', () => {
  const part = fc.oneof(
    fc.base64String(),
    spoilt({ alg: 'RS256', kid: 'k', exp: 1, aud: ['a'] }).map((value) =>
      Buffer.from(JSON.stringify(value) ?? '').toString('base64url'),
    ),
  )
  const jwt = fc.oneof(
    fc.string(),
    fc.array(part, { maxLength: 5 }).map((parts) => parts.join('.')),
  )
  const key = spoilt({
    kty: 'RSA',
    kid: 'k',
    n: 'AQAB',
    e: 'AQAB',
    use: 'sig',
    key_ops: ['verify'],
    x5c: ['a'],
  })

  test('a JWT, whatever the key', async () => {
    const property = fc.asyncProperty(jwt, key, async (compact, jwk) => {
      expect(() => decodeJwt(compact)).not.toThrow()
      const keys = keysOf(new HttpResponse(200, {}, JSON.stringify({ keys: [jwk] }) ?? ''))
      expect(await verifySignature(compact, async () => keys?.[0])).toHaveProperty('valid')
    })
    await fc.assert(property, { numRuns: 500 })
  })

  test('a key set', () => {
    fc.assert(
      fc.property(spoiltFile({ keys: [{ kty: 'RSA', kid: 'k' }] }), (bytes) => {
        expect(() => keysOf(new HttpResponse(200, {}, bytes.toString()))).not.toThrow()
      }),
    )
  })

  const header = fc.oneof(
    fc.string(),
    fc
      .array(
        fc.constantFrom('Bearer', ' ', 'realm', '=', '"', '\\', ',', 'error', 'invalid_token', '\u0000', 'ü'),
      )
      .map((parts) => parts.join('')),
  )
  test('WWW-Authenticate', () => {
    fc.assert(
      fc.property(header, (value) => {
        expect(() => challenges(value)).not.toThrow()
        expect(() => bearerChallenges(new HttpResponse(401, { 'www-authenticate': value }, ''))).not.toThrow()
      }),
      { numRuns: 1000 },
    )
  })

  test('Retry-After', () => {
    fc.assert(
      fc.property(fc.oneof(header, fc.bigInt().map(String)), fc.option(header), (value, date) => {
        const waitMs = retryAfterMs(value, date ?? undefined)
        expect(waitMs === undefined || waitMs >= 0).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })

  test('a page of events', () => {
    const event = {
      id: '1',
      timestamp: '2026-01-01T00:00:00.000',
      type: 'T',
      version: '1',
      payload: { claims: {} },
    }
    const page = spoilt({ page: 0, pageSize: 10, total: 1, items: [event, event] })
    fc.assert(
      fc.property(page, (body) => {
        expect(() => readPage(body, { page: 0, pageSize: 10 })).not.toThrow()
      }),
      { numRuns: 500 },
    )
  })
})
