import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { type RunningProvider, startProvider } from '../../provider/index.ts'
import { passedTime } from '../../src/event-hub/clock-changes.ts'
import { formatLocal } from '../../src/event-hub/local-time.ts'
import { faultyFront } from '../event-hub/poller/front.ts'
import { plumbline, startPlumbline } from './command.ts'

// Each test starts processes, and is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

const zone = 'Europe/Helsinki'
const hour = 3_600_000

let provider: RunningProvider
let folder: string
beforeAll(async () => {
  provider = await startProvider()
  folder = mkdtempSync(join(tmpdir(), 'plumbline-events-'))
  return async () => {
    await provider.close()
    rmSync(folder, { recursive: true })
  }
})

/** Runs `plumbline events` to its end. */
function events(words: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  return plumbline(['events', ...words], { cwd: folder, env: { ...provider.variables, ...variables } })
}

/** Starts the same as a separate process. */
function startEvents(words: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  return startPlumbline(['events', ...words], { cwd: folder, env: { ...provider.variables, ...variables } })
}

const idsOf = (lines: string) =>
  lines
    .split('\n')
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as { id: string }).id)

describe('a search', () => {
  test('prints events of the last hours as lines of JSON, without values of claims', async () => {
    const from = formatLocal(passedTime(zone, Date.now() - 20 * hour))
    const [masked, revealed] = await Promise.all([
      events(['--from', from, '--all']),
      events(['--from', from, '--all', '--reveal']),
    ])
    expect(masked).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        /^\d+ of \d+ events from .*\nAll times are local times of \S+ \(EVENT_TIME_ZONE\)\ntimes ascending; no problems found\nMasked values with the same #… are equal\.\n$/,
      ),
    })
    expect(idsOf(masked.stdout).length).toBeGreaterThan(100)
    expect(idsOf(revealed.stdout)).toEqual(idsOf(masked.stdout))
    expect(revealed.stdout).toMatch(/"email":"email-\d+"/)
    expect(masked.stdout).not.toMatch(/"(?:email|given_name|address|locale)-\d/)
    expect(masked.stdout).toMatch(/"email":"<\d+ characters>"/)
    expect(masked.stdout).toContain('"changedClaims":["')
    expect(masked.stdout).toMatch(/"subscriber":"<\d+ characters, #[\w-]+>"/)
    expect(masked.stdout).not.toMatch(/"subscriber":"[^<]/)
    expect(revealed.stdout).toMatch(/"subscriber":"[^<]/)
  })

  test('reports the problems of a whole window', async () => {
    const faulty = await startProvider({
      faults: ['event-id-from-time', 'event-timestamp-zulu', 'total-one-too-many'],
    })
    try {
      const from = formatLocal(passedTime(zone, Date.now() - 20 * hour))
      const { stderr } = await events(['--from', from, '--all'], faulty.variables)
      expect(stderr.replace(/\s+/g, ' ')).toMatch(
        /number of events differs from total; .*schema violations: timestamp \d+/,
      )
    } finally {
      await faulty.close()
    }
  })

  test('shows one page, and all pages with --all', async () => {
    const from = formatLocal(passedTime(zone, Date.now() - 20 * hour))
    const { stdout, stderr, code } = await startEvents(['--from', from, '--page', '1', '--page-size', '7'])
      .ended
    expect(code).toBe(0)
    expect(idsOf(stdout)).toHaveLength(7)
    const shown = (text: string) => text.replace(/\s+/g, ' ')
    expect(shown(stderr)).toMatch(
      /^7 of \d+ events .*; --page 2 shows the next page, and --all shows all events/,
    )
    const past = await events(['--from', from, '--page', '50', '--page-size', '100'])
    expect(shown(past.stderr)).toMatch(
      /^0 of \d+ events .*; page 50 is after the last page: --page 0 shows the first/,
    )
  })

  test.each([
    [['--from', '2026-03-02T10:00Z'], {}, /^--from "2026-03-02T10:00Z" is not a local date-time/],
    [['--page-size', '0'], {}, /^--page-size "0" is not a whole number of at least 1/],
    [['--once'], {}, /^--once needs --follow$/m],
    [['--follow', '--all'], {}, /^--all cannot be used with --follow$/m],
    [[], { EVENT_TIME_ZONE: 'unknown' }, /^EVENT_TIME_ZONE is unknown/],
    [
      [],
      {
        PARTNER_API_URL: '',
        PARTNER_CLIENT_ID: '',
        PARTNER_CLIENT_SECRET: '',
        EVENT_TIME_ZONE: 'unknown',
      },
      /^PARTNER_API_URL is not set.*\n(.*\n)*EVENT_TIME_ZONE is unknown/,
    ],
    [['--follow'], { EVENT_TIME_ZONE: 'unknown' }, /^EVENT_TIME_ZONE is unknown/],
    [
      ['--from', '2026-03-02T10:00', '--to', '2026-03-04T10:00'],
      {},
      /^The event search was refused with 400: the window is wider than 24 hours; give a --to at most 24 hours after --from$/m,
    ],
    [['--from', '2026-03-02T10:00'], {}, /wider than 24 hours; add a --to at most 24 hours after --from$/m],
    [[], { PARTNER_CLIENT_SECRET: 'another-secret' }, /^PARTNER_CLIENT_ID and PARTNER_CLIENT_SECRET .* 401/],
    [['--follow', '--checkpoint', 'nowhere/file'], {}, /nowhere\/file\.lock cannot be used \(ENOENT\)/],
    [['--follow', '--checkpoint', 'damaged'], {}, /^damaged is damaged or is not a checkpoint/],
  ])('%j with %j ends with 3 and a sentence', async (words, variables, sentence) => {
    writeFileSync(join(folder, 'damaged'), '{"format":"plumbline-event-checkpoint","version":1')
    const { code, stdout, stderr } = await events(words, variables)
    expect(stderr).toMatch(sentence)
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(readdirSync(folder).filter((name) => name.endsWith('.lock'))).toEqual([])
  })
})

describe('following', () => {
  test('killed again and again in the middle of batches, with live events and faults: each event once', async () => {
    let number = 0
    const live: string[] = []
    const faults = ['503', 'reset', 'cut', 'html'] as const
    const { partnerApiUrl, searches } = await faultyFront(provider, async () => {
      number += 1
      // Old enough to be searched for, and in a window that is not yet read, or is being read.
      if (number % 7 === 0) {
        const id = `live-${number}`
        live.push(id)
        const local = Date.parse(`${formatLocal(passedTime(zone, Date.now() - 5000))}Z`)
        const payload = { changedClaims: ['email'] }
        provider.hub.publish({ id, local, type: 'ClaimValuesChanged', version: '1', payload })
      }
      await new Promise((resolve) => setTimeout(resolve, 15))
      return number % 31 === 0 ? (faults[(number / 31) % faults.length] ?? 'none') : 'none'
    })
    const from = formatLocal(passedTime(zone, Date.now() - 60 * hour))
    const words = ['--follow', '--from', from, '--checkpoint', 'checkpoint', '--out', 'events.jsonl']
    const options = ['--page-size', '3', '--interval', '1', '--lag', '8']
    const read = () => readFileSync(join(folder, 'events.jsonl'), 'utf8')
    const checkpoints: string[] = []
    let held = 0
    for (let kill = 0; kill < 5; kill += 1) {
      const { child, ended, texts } = startEvents([...words, ...options], { PARTNER_API_URL: partnerApiUrl })
      // Immediate kills would interrupt nothing; the progress until a kill depends on the machine.
      const after = searches.length + 7 + 6 * kill
      await vi.waitUntil(() => searches.length >= after || child.exitCode !== null, {
        timeout: 60_000,
        interval: 5,
      })
      expect(`${child.exitCode} ${texts.stderr}`).toMatch(/^null Delivering events of/)
      child.kill('SIGKILL')
      expect((await ended).code).toBe(null)
      const lines = read()
      expect(lines.length).toBeGreaterThan(held)
      held = lines.length
      checkpoints.push(JSON.parse(readFileSync(join(folder, 'checkpoint'), 'utf8')).checkpoint)
    }
    expect(checkpoints.toSorted()).toEqual(checkpoints)
    const last = await events([...words, '--page-size', '100', '--lag', '0', '--once'], {
      PARTNER_API_URL: partnerApiUrl,
    })
    expect(last.code).toBe(0)
    const { checkpoint } = JSON.parse(readFileSync(join(folder, 'checkpoint'), 'utf8'))

    const ids = idsOf(read())
    expect(new Set(ids).size).toBe(ids.length)
    const wanted: string[] = []
    for (let begin = Date.parse(`${from}Z`); begin < Date.parse(`${checkpoint}Z`); begin += 12 * hour) {
      const end = Math.min(begin + 12 * hour, Date.parse(`${checkpoint}Z`))
      const written = [begin, end].map((time) => new Date(time).toISOString().slice(0, -1)) as [
        string,
        string,
      ]
      const { stdout } = await events(['--from', written[0], '--to', written[1], '--all'])
      wanted.push(...idsOf(stdout))
    }
    expect(ids.toSorted()).toEqual(wanted.toSorted())
    expect(live.length).toBeGreaterThan(5)
    expect(ids).toEqual(expect.arrayContaining(live.slice(0, -1)))
    expect(readdirSync(folder).filter((name) => name.endsWith('.lock') || name.endsWith('.new'))).toEqual([])
  })

  test('interrupted, it ends with 130 and its files in order; a second one waits for no lock', async () => {
    const from = formatLocal(passedTime(zone, Date.now() - 30 * hour))
    const words = ['--follow', '--from', from, '--checkpoint', 'orderly', '--interval', '1']
    const first = startEvents(words)
    await vi.waitUntil(() => first.texts.stderr.includes('up to'), { timeout: 60_000, interval: 10 })
    const second = await events(words)
    expect(second.code).toBe(3)
    expect(second.stderr).toMatch(/orderly\.lock is held by process \d+/)
    first.child.kill('SIGINT')
    const { code, stdout } = await first.ended
    expect(code).toBe(130)
    expect(readdirSync(folder)).not.toContain('orderly.lock')
    const again = await events([...words, '--once'])
    expect(again.code).toBe(0)
    const all = [...idsOf(stdout), ...idsOf(again.stdout)]
    expect(new Set(all).size).toBe(all.length)
    expect(all.length).toBeGreaterThan(200)
  })

  test('without a checkpoint, leaves nothing behind', async () => {
    const before = readdirSync(folder)
    const from = formatLocal(passedTime(zone, Date.now() - 2 * hour))
    const { code, stdout } = await startEvents(['--follow', '--from', from, '--once']).ended
    expect(code).toBe(0)
    expect(idsOf(stdout).length).toBeGreaterThan(5)
    expect(readdirSync(folder)).toEqual(before)
  })
})

test('its help describes its purpose, with an example', async () => {
  const { code, stdout } = await events(['--help'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/Examples:\n {2}npx plumbline events --target uat/)
})
