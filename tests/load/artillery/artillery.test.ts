import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { exportArtillery } from '../../../load/artillery/export.ts'
import { importArtillery } from '../../../load/artillery/import.ts'
import { targetFrom } from '../../../src/target/config.ts'
import { type Site, startSite } from '../site.ts'

/** The command, where Artillery is installed: ARTILLERY names it, else it is looked for among the packages here. */
const command = process.env.ARTILLERY ?? resolve('node_modules/.bin/artillery')
const installed = spawnSync(command, ['version'], { stdio: 'ignore', timeout: 60_000 }).status === 0
if (!installed)
  console.info(
    'Artillery is not installed, so its runs are skipped: see docs/probes-artillery.md, and set ARTILLERY to its command.',
  )

let directory: string
let site: Site
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'plumbline-artillery-'))
})
afterEach(async () => {
  await site.close()
  rmSync(directory, { recursive: true })
})

/** Exports a scenario against the site, runs it as it is, and brings back what it recorded. */
async function run(answer: Site['answer'], seconds = 4) {
  site = await startSite(answer)
  const headers: (string | undefined)[] = []
  const { answer: answered } = site
  site.answer = (request, response, index) => {
    headers.push(request.headers['x-client-secret'] as string | undefined)
    answered(request, response, index)
  }
  const origin = site.url.origin
  const target = targetFrom('uat', {
    IDP_BASE_URL: origin,
    PARTNER_API_URL: origin,
    PRODUCTION_HOSTS: 'none',
    PARTNER_CLIENT_ID: 'partner',
    PARTNER_CLIENT_SECRET: 'canary-partner-secret',
    CLIENT_ID: 'application',
    CLIENT_SECRET: 'canary-secret',
    REDIRECT_URI: `${origin}/callback`,
    LOAD_MAX_REQUESTS: '12',
    LOAD_MAX_RATE: '50',
    LOAD_MAX_SECONDS: '60',
  })
  exportArtillery(directory, target, { endpoint: 'event-search', workers: 1, seconds })
  const env = {
    ...process.env,
    PARTNER_CLIENT_ID: 'partner',
    PARTNER_CLIENT_SECRET: 'canary-secret',
    ARTILLERY_DISABLE_TELEMETRY: 'true',
    PLUMBLINE_RECORDS: directory,
  }
  const output = await ended(env)
  const files = readdirSync(directory)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => ({ name, text: readFileSync(join(directory, name), 'utf8') }))
  expect(files.map(({ text }) => text).join(), output).not.toContain('canary-secret')
  return { result: importArtillery(files), headers, output }
}

function ended(env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((settle, reject) => {
    const artillery = spawn(command, ['run', 'probe.yml'], { cwd: directory, env })
    let output = ''
    for (const stream of [artillery.stdout, artillery.stderr])
      stream.on('data', (data) => {
        output += data
      })
    artillery.on('error', reject)
    artillery.on('close', () => settle(output))
  })
}

describe.skipIf(!installed)('Artillery runs what is exported', () => {
  test('as many requests as the budget has, with secrets of the environment', {
    timeout: 120_000,
  }, async () => {
    const { result, headers } = await run((_, response) => response.end('{}'))
    expect(site.arrivals).toHaveLength(12)
    expect(new Set(headers)).toEqual(new Set(['canary-secret']))
    expect(result).toMatchObject({ requests: 12, ended: null, endpoint: 'event-search' })
    expect(result.shots.every(({ status }) => status === 200)).toBe(true)
  })

  test('no arrival before Retry-After, and suppressed arrivals are counted', {
    timeout: 120_000,
  }, async () => {
    const { result } = await run((_, response, index) =>
      index === 3 ? response.writeHead(429, { 'retry-after': '2' }).end() : response.end('{}'),
    )
    const [throttledAt = 0, next = 0] = site.arrivals.slice(3)
    expect(next - throttledAt).toBeGreaterThanOrEqual(2000)
    const held = Number(/suppressed (\d+) request/.exec(result.ended ?? '')?.[1])
    expect(held + site.arrivals.length).toBe(12)
    expect(result.waits).toHaveLength(1)
  })

  test('connections that are lost are paid for', { timeout: 120_000 }, async () => {
    const { result } = await run((_, response) => response.writeHead(200, { connection: 'close' }).end('{}'))
    expect(site.arrivals.length + Math.max(0, site.connections - 10)).toBeLessThanOrEqual(12)
    expect(result.requests).toBeLessThanOrEqual(12)
  })

  test('a redirect is a response', { timeout: 120_000 }, async () => {
    const { result } = await run((_, response) => response.writeHead(302, { location: '/elsewhere' }).end())
    expect(site.arrivals).toHaveLength(12)
    expect(result.shots.every(({ status }) => status === 302)).toBe(true)
  })
})
