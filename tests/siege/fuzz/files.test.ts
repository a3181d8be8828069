import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { importArtillery } from '../../../load/artillery/import.ts'
import { loadClaimRecipe, loadLoginRecipe } from '../../../src/browser/index.ts'
import { parseCheckpoint } from '../../../src/event-hub/poller/checkpoint.ts'
import { readPolicy } from '../../../src/release/policy.ts'
import { readWaivers } from '../../../src/release/waivers.ts'
import { readRun } from '../../../src/results/saved-run.ts'
import { runOf } from '../../results/fixture/runs.ts'
import { spoiltFile, tries, unhandled } from './spoilt.ts'

// Whatever a file contains, its parser returns a value or throws a SetupError.

const folder = mkdtempSync(join(tmpdir(), 'plumbline-parsers-'))
afterAll(() => rmSync(folder, { recursive: true }))

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
  field: { label: 'Nickname' },
  normal: 'a',
  other: 'b',
  save: [{ do: 'click', at: { role: 'button', name: 'Save' } }],
  eventWithinSeconds: 3,
}
const policy = {
  target: 'uat',
  kind: 'check',
  maximumAgeHours: 24,
  levels: ['must'],
  areas: ['token'],
  inconclusive: 'block',
  minimumCoverage: { overall: 0.9, areas: { token: 0.5 } },
  minimumApplicable: { areas: { token: 10 } },
  waiverFindings: 'report',
}
const waiver = {
  requirement: 'TOKEN-TYPE-BEARER',
  target: 'uat',
  reason: 'Agreed until the next release',
  owner: 'team',
  issue: 'https://issues.example.com/1',
  expires: '2027-01-01',
}
const waivers = { waivers: [waiver, { ...waiver, target: 'production' }] }
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
    writeFileSync(path, JSON.stringify(valid))
    expect(() => read(path)).not.toThrow()
    const property = fc.property(spoiltFile(valid), (bytes) => {
      writeFileSync(path, bytes)
      expect(unhandled(() => read(path))).toBeUndefined()
    })
    fc.assert(property, tries(300))
  })

  test('a checkpoint', () => {
    const read = (bytes: Buffer) => unhandled(() => parseCheckpoint(bytes.toString(), 'path', feed))
    fc.assert(
      fc.property(spoiltFile(checkpoint), (bytes) => {
        expect(read(bytes)).toBeUndefined()
      }),
      tries(300),
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
      tries(500),
    )
  })
})
