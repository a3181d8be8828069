import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { effects } from '../../src/target/profiles.ts'
import { runOf } from '../results/fixture/runs.ts'
import { plumbline, startPlumbline } from './command.ts'

vi.setConfig({ testTimeout: 60_000 })

const cwd = mkdtempSync(join(tmpdir(), 'plumbline-catalogue-'))
afterAll(() => rmSync(cwd, { recursive: true }))

const list = async (...words: readonly string[]) => {
  const { code, stdout, stderr } = await plumbline(['list', '--json', ...words], { cwd })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout) as {
    id: string
    area: string
    level: string
    checks: string[]
    reason: string | null
  }[]
}

describe('list', () => {
  test('takes globs, areas and levels, and whether there is a check', async () => {
    const [all, globs, areas, levels, unchecked] = await Promise.all([
      list(),
      list('event-window-*', 'IDTOKEN-ISSUER'),
      list('--area', 'token,id-token'),
      list('--level', 'silent', '--area', 'token'),
      list('--unchecked'),
    ])
    expect(globs.map(({ id }) => id)).toEqual(
      all.map(({ id }) => id).filter((id) => /^EVENT-WINDOW-|^IDTOKEN-ISSUER$/.test(id)),
    )
    expect(areas).toEqual(all.filter(({ area }) => area === 'token' || area === 'id-token'))
    expect(levels).toEqual(areas.filter(({ area, level }) => area === 'token' && level === 'silent'))
    expect(unchecked).toEqual(all.filter(({ checks }) => checks.length === 0))
    expect(unchecked.filter(({ reason }) => reason === null)).toEqual([])
  })

  test('states the number of shown requirements', async () => {
    const { stdout } = await plumbline(['list', 'IDTOKEN-ISSUER'], { cwd })
    expect(stdout).toMatch(
      /\n1 requirement with 1 check, \d+ faults, \d+ variants?\n`npm run proof` runs the checks against each fault and variant: .* It (?:has not run on this machine|last ran here on .* UTC: it .*)\.\n$/s,
    )
  })
})

test('list states that globs come before areas, and why a requirement has no check', async () => {
  const mixed = await plumbline(['list', '--area', 'token', 'TOKEN-*'], { cwd })
  expect(mixed).toMatchObject({
    code: 3,
    stderr: '--area "TOKEN-*" is not an area; put id globs before --area\n',
  })
  const { stdout } = await plumbline(['list', 'TOKEN-REFRESH-REVOKED', '--area', 'TOKEN'], { cwd })
  expect(stdout).toMatch(/TOKEN-REFRESH-REVOKED +\w+\n {4}\w[\s\S]+\n {4}no check: The interface has no way/)
  const help = await plumbline(['list', '--help'], { cwd })
  expect(help.stdout).toMatch(/^Usage: npx plumbline list \[id-glob\.\.\.\] \[options\]$/m)
})

test('list shows how many requirements without a check bind partners', async () => {
  const { stdout } = await plumbline(['list'], { cwd })
  expect(stdout.replace(/\s+/g, ' ')).toMatch(
    / \d+ requirements: \d+ with \d+ checks, .*; \d+ have no check, \d+ of them bind partners \(level client\) /,
  )
})

test('explain shows everything about a requirement, and the command that checks it alone', async () => {
  const { code, stdout } = await plumbline(['explain', 'IDTOKEN-ISSUER'], { cwd })
  expect(code).toBe(0)
  expect(stdout).toMatch(/^ {2}fault +id-token-issuer-trailing-slash: /m)
  expect(stdout).toMatch(/^ {2}repeat +npx plumbline check --only IDTOKEN-ISSUER$/m)
})

test('explain shows what a fault violates, and the nearest name of an unknown word', async () => {
  const explained = async (word: string) => {
    const { code, stdout, stderr } = await plumbline(['explain', word], { cwd })
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    return stderr
  }
  const [fault, variant, near, id, part] = await Promise.all(
    [
      'id-token-issuer-trailing-slash',
      'limited',
      'id-token-issuer-trailing-slsh',
      'IDTOKEN-ISUER',
      'issuer',
    ].map(explained),
  )
  expect(fault).toMatch(
    /^explain needs a requirement; "id-token-issuer-trailing-slash" is a fault of the embedded provider: .* It violates IDTOKEN-ISSUER; `npx plumbline explain IDTOKEN-ISSUER` explains it\n$/,
  )
  expect(variant).toMatch(
    /^explain needs a requirement; "limited" is a variant .* It concerns PLATFORM-THROTTLE-STATUS, /,
  )
  expect(near).toBe(
    'explain "id-token-issuer-trailing-slsh" matches no requirement; the nearest fault or variant is id-token-issuer-trailing-slash\n',
  )
  expect(id).toBe('explain "IDTOKEN-ISUER" matches no requirement; the nearest is IDTOKEN-ISSUER\n')
  expect(part).toMatch(/'\*issuer\*' matches \d+: DISCOVERY-ISSUER, /)
})

test('explain shows what the checks of a fault of webhooks need on a real target', async () => {
  const { stderr } = await plumbline(['explain', 'webhook-digest-base64'], { cwd })
  expect(stderr).toContain('the checks need ENABLE=claim-change,planned and a public WEBHOOK_RECEIVER_URL; ')
})

test('explain shows the command of the probes that measure a requirement', async () => {
  const { stdout } = await plumbline(['explain', 'PLATFORM-LIMIT-*'], { cwd })
  expect(stdout).toMatch(/^ {2}measure +npx plumbline probe$/m)
  expect(stdout).toMatch(/^ {2}measure +npx plumbline probe --probe dimension --endpoint userinfo$/m)
})

test('explain shows with which variants a requirement must be inconclusive', async () => {
  const { stdout } = await plumbline(['explain', 'EVENT-WINDOW-LIMIT'], { cwd })
  const text = stdout.replace(/\s+/g, ' ')
  expect(text).toContain(
    'search-refusals-broken: Returns 500 for searches that the hub would refuse. The verdict must be inconclusive. ',
  )
  expect(text).toMatch(/ variant search-errors-as-html: [^:]* refused search\. (?!The verdict)/)
})

test('explain shows which command adds the checks that need ENABLE', async () => {
  const { stdout } = await plumbline(['explain', 'USERINFO-CHALLENGE'], { cwd })
  expect(stdout).toContain(`
  repeat         npx plumbline check --only USERINFO-CHALLENGE
  repeat fully   ENABLE=slow npx plumbline check --only USERINFO-CHALLENGE
`)
})

test('explain repeats a check that judges requests of others with all checks of their areas', async () => {
  const { stdout } = await plumbline(['explain', 'EVENT-ID'], { cwd })
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
    'judges requests of the whole areas events and event-search; fewer with --only EVENT-ID',
  )
  expect(stdout).toMatch(/^ {2}repeat +npx plumbline check --area events,event-search$/m)
})

test('explain shows for which checks of a requirement its id alone is enough', async () => {
  const { stdout } = await plumbline(['explain', 'EVENT-TIME-ORDER'], { cwd })
  const text = stdout.replaceAll(/\s+/g, ' ')
  expect(text).toContain(
    'judges requests of the whole area event-search, in 1 of its 3 checks; fewer with --only EVENT-TIME-ORDER',
  )
  expect(stdout).toContain(`
  repeat         npx plumbline check --only EVENT-TIME-ORDER
  repeat fully   npx plumbline check --area event-search
`)
})

test('explain states which checks judge or record the throttled responses of the whole run', async () => {
  const { stdout } = await plumbline(['explain', 'PLATFORM-RETRY-AFTER*'], { cwd })
  expect(stdout).toMatch(/^ {2}judges +throttled responses of the whole run; /m)
  expect(stdout).toMatch(/^ {2}records +throttled responses of the whole run; /m)
})

test('explain describes the effects of a check, with their names', async () => {
  const { stdout } = await plumbline(['explain', 'TOKEN-VERIFIER-WRONG'], { cwd })
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
    `effects ${effects.login} (login); ${effects['burns-codes']} (burns-codes)`,
  )
})

test('a requirement without a check is not run, and not reported as run', async () => {
  const runs = (...words: string[]) => plumbline(words, { cwd })
  const [explained, checked, planned, several] = await Promise.all([
    runs('explain', 'TOKEN-REFRESH-REVOKED'),
    runs('check', '--only', 'TOKEN-REFRESH-REVOKED'),
    runs('plan', '--only', 'TOKEN-REFRESH-REVOKED'),
    runs('check', '--only', 'PLATFORM-LIMITED', 'CLIENT-*', 'TOKEN-REFRESH-REVOKED'),
  ])
  expect(explained.stdout).toMatch(/^ {2}no check +The interface has no way/m)
  expect(explained.stdout).not.toMatch(/^ {2}repeat /m)
  const sentence = 'TOKEN-REFRESH-REVOKED has no check: The interface has no way to revoke a token\n'
  for (const { code, stderr } of [checked, planned])
    expect({ code, stderr }).toEqual({ code: 3, stderr: sentence })
  expect(several.stderr).toMatch(/^--only selects [A-Z-]+, [A-Z-]+, .*none of them has a check/)
  expect(several.code).toBe(3)
  expect(readdirSync(cwd)).toEqual([])
})

test('explain runs it on the target of the newest verdict', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-explain-'))
  const run = join(folder, 'reports/runs/20260101T000000Z-uat-0001')
  mkdirSync(run, { recursive: true })
  writeFileSync(
    join(run, 'results.json'),
    JSON.stringify(runOf([{ id: 'TOKEN-CLIENT-AUTH-METHOD', verdict: 'pass' }])),
  )
  const { stdout } = await plumbline(['explain', 'TOKEN-CLIENT-AUTH-METHOD'], { cwd: folder })
  rmSync(folder, { recursive: true })
  expect(stdout).toMatch(/^ {2}repeat +npx plumbline check --target uat --only TOKEN-CLIENT-AUTH-METHOD$/m)
  const labels = [...stdout.matchAll(/^ {2}(\w+(?: \w+)?) {2,}/gm)].map(([, label]) => label)
  expect([...new Set(labels)]).toEqual([
    'section',
    'level',
    'statement',
    'last verdict',
    'repeat',
    'check',
    'effects',
    'fault',
    'variant',
  ])
})

test('a plan starts nothing and names no target it does not have', async () => {
  const { code, stdout } = await startPlumbline(['plan', '--only', 'IDTOKEN-ISSUER'], { cwd }).ended
  expect(code).toBe(0)
  expect(stdout).toMatch(/^Plan for embedded: 127\.0\.0\.1\nNo request was sent\./)
})
