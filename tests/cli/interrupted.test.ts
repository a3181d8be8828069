import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { RunResults } from '../../src/results/results.ts'
import { startPlumbline } from './command.ts'
import { Workplace } from './workplace.ts'

const place = new Workplace()

/** The results of the only run; undefined before it has begun. */
function results(): RunResults | undefined {
  const file = join(place.cwd, 'reports/latest/results.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

const checked = () => results()?.requirements.flatMap(({ checks }) => checks) ?? []

/** Processes below a process, from /proc: parent and state follow the name, which may contain any character. */
function descendants(pid: number): number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const children = all.filter((name) => stateOf(Number(name))?.parent === pid).map(Number)
  return [...children, ...children.flatMap(descendants)]
}

function stateOf(pid: number): { state: string; parent: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state = '', parent] = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { state, parent: Number(parent) }
  } catch {
    return undefined
  }
}

/** Ended, or a zombie of a parent that never waits. */
const isGone = (pid: number) => (stateOf(pid)?.state ?? 'Z') === 'Z'

describe.runIf(existsSync('/proc/self/stat'))('a run that receives a signal', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'by %s keeps its results, and leaves no process behind',
    async (signal) => {
      // The embedded provider and the browser are separate processes here.
      const { child, ended } = startPlumbline(['check'], { cwd: place.cwd })
      await vi.waitUntil(() => checked().length > 3, { timeout: 60_000, interval: 20 })
      const below = descendants(child.pid ?? 0)
      expect(below.length).toBeGreaterThan(1)
      child.kill(signal)
      const { code, stdout, stderr } = await ended
      expect(code).toBe(130)
      expect(stderr).toBe('\nStopping after the current check. Press Ctrl-C again to stop at once.\n')
      expect(stdout).toMatch(/ended early\n/)
      expect(results()?.run).toMatchObject({ completed: false, finishedAt: expect.any(String) })
      expect(readdirSync(join(place.cwd, 'reports/latest')).sort()).toEqual(
        expect.arrayContaining(['junit.xml', 'results.json', 'summary.md']),
      )
      await expect.poll(() => below.filter((pid) => !isGone(pid))).toEqual([])
    },
  )

  test.each([0, 50, 100, 150, 300])(
    'by SIGTERM %i ms after its start keeps its exit code',
    async (afterMs) => {
      const { child, ended } = startPlumbline(['check', '--no-report'], { cwd: place.cwd })
      await vi.waitUntil(() => results() !== undefined, { timeout: 60_000, interval: 20 })
      await sleep(afterMs)
      child.kill('SIGTERM')
      expect((await ended).code).toBe(130)
      expect(results()?.run.completed).toBe(false)
    },
  )

  test('twice by Ctrl-C ends at once, with a file that can be read', async () => {
    const { child, ended } = startPlumbline(['check'], { cwd: place.cwd })
    await vi.waitUntil(() => checked().length > 3, { timeout: 60_000, interval: 20 })
    const below = descendants(child.pid ?? 0)
    child.kill('SIGINT')
    child.kill('SIGINT')
    setTimeout(() => child.kill('SIGINT'), 100)
    expect((await ended).code).toBe(130)
    expect(results()?.run.completed).toBe(false)
    expect(checked().length).toBeGreaterThan(3)
    await expect.poll(() => below.filter((pid) => !isGone(pid))).toEqual([])
  })
})

describe('a target that requests a wait', () => {
  /** Returns 429 once, then valid responses. @returns its address */
  async function throttling(): Promise<string> {
    let requests = 0
    const server = createServer((_request, response) => {
      requests += 1
      response.writeHead(requests === 1 ? 429 : 404, { 'Retry-After': '6' }).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  const start = async (words: readonly string[]) => {
    const origin = await throttling()
    const changes = { IDP_BASE_URL: origin, PARTNER_API_URL: origin, JWKS_URL: undefined }
    return place.start(words, changes)
  }
  const notice = /^waiting 6 s before the next request$/m

  test.each([['events'], ['doctor', '--no-login'], ['check', '--only', 'DISCOVERY-PUBLIC']])(
    '%s reports the wait, and ends on Ctrl-C without waiting',
    async (...words) => {
      const { child, ended, texts } = await start(words)
      await vi.waitUntil(() => notice.test(texts.stdout + texts.stderr), { timeout: 60_000, interval: 20 })
      child.kill('SIGINT')
      const { code } = await ended
      // A search has nothing to clean up, so the signal itself ends it.
      expect(child.signalCode === 'SIGINT' ? 130 : code).toBe(130)
      if (words[0] === 'doctor') expect(texts.stdout).toContain('Interrupted before the doctor finished.')
      if (words[0] === 'check') expect(results()).toBeUndefined()
    },
  )

  test('is waited for', async () => {
    const { ended } = await start(['events'])
    const { code, stderr } = await ended
    expect(stderr).toMatch(notice)
    expect(code).toBe(3)
  })
})

describe('the reader of the output may stop reading', () => {
  test('a run continues, and its exit code is unchanged', async () => {
    const { child, ended } = place.start(['check', '--no-report', '--area', 'discovery', 'key-set'])
    child.stdout?.once('data', () => child.stdout?.destroy())
    expect(await ended).toMatchObject({ code: 0, stderr: '' })
    expect(results()?.run.completed).toBe(true)
  })

  test.each([
    ['list'],
    ['list', '--json'],
    ['explain', '*'],
    ['events', '--all', '--page-size', '1'],
    ['events', '--follow', '--from', '2026-01-01T00:00:00', '--page-size', '1'],
  ])('%s ends', async (...words) => {
    const { child, ended } = place.start(words)
    child.stdout?.once('data', () => child.stdout?.destroy())
    const { code, stderr } = await ended
    expect(code).toBe(0)
    expect(stderr).not.toMatch(/defect|EPIPE/)
  })
})

test('a slash at the end of IDP_BASE_URL is the configuration, not the target', async () => {
  const { code, stdout } = await place.run(['check', '--no-report', '--only', 'IDTOKEN-ISSUER'], {
    IDP_BASE_URL: `${place.provider.issuer}/`,
  })
  expect(code).toBe(2)
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
    `IDP_BASE_URL is "${place.provider.issuer}/", and the issuer of the target is "${place.provider.issuer}", also in discovery; set IDP_BASE_URL=${place.provider.issuer} if`,
  )
})
