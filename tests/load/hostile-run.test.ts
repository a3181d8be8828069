import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { projectRoot } from '../../src/project.ts'
import type { RunResults } from '../../src/results/results.ts'
import { type Site, startSite } from './site.ts'

const secret = 'vY7kQ2mB9xW4tR6z'
const discovery = '/.well-known/openid-configuration'
const json = { 'content-type': 'application/json' }
const throttledBody = '{"error":"temporarily_unavailable","error_description":"later"}'

const open: { out?: string; site?: Site } = {}
afterEach(async () => {
  await open.site?.close()
  if (open.out !== undefined) rmSync(open.out, { recursive: true, force: true })
})

interface Asked {
  readonly path: string
  readonly at: number
}

/** A target with a handler for each path, which records the requests. */
async function targetThat(
  answer: (path: string, response: ServerResponse, index: number, request: IncomingMessage) => void,
) {
  const asked: Asked[] = []
  open.site = await startSite((request, response) => {
    const path = new URL(request.url ?? '', 'http://target').pathname
    asked.push({ path, at: performance.now() })
    answer(path, response, asked.filter((one) => one.path === path).length - 1, request)
  })
  return { asked, site: open.site }
}

/** Runs the command to its end. @param watch called every few milliseconds, may stop it */
async function probe(
  site: Site,
  words: readonly string[],
  caps: Record<string, string> = {},
  stop?: () => boolean,
) {
  open.out = mkdtempSync(join(tmpdir(), 'plumbline-hostile-'))
  const base = site.url.href.replace(/\/$/, '')
  const child = spawn(
    process.execPath,
    [join(projectRoot, 'bin', 'plumbline.mjs'), 'probe', '--out', open.out, ...words],
    {
      cwd: open.out,
      env: {
        PATH: process.env.PATH,
        TARGET: 'uat',
        IDP_BASE_URL: base,
        PARTNER_API_URL: base,
        PRODUCTION_HOSTS: 'none',
        CLIENT_ID: 'portal',
        CLIENT_SECRET: `c${secret}`,
        REDIRECT_URI: 'https://partner.invalid/callback',
        PARTNER_CLIENT_ID: 'hub',
        PARTNER_CLIENT_SECRET: secret,
        REQUESTS_PER_SECOND: '50',
        LOAD_MAX_RATE: '50',
        LOAD_MAX_REQUESTS: '30',
        LOAD_MAX_SECONDS: '20',
        ...caps,
      },
    },
  )
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk))
  const watch = setInterval(() => {
    if (!stop?.()) return
    child.kill('SIGINT')
    clearInterval(watch)
  }, 5)
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
  clearInterval(watch)
  return { code, text, out: open.out }
}

const results = () =>
  JSON.parse(readFileSync(join(open.out as string, 'latest', 'results.json'), 'utf8')) as RunResults
const verdict = (id: string) => results().requirements.find((one) => one.id === id)?.verdict

test('a Retry-After that the preflight received delays the probes too', async () => {
  const { asked, site } = await targetThat((_, response) =>
    response.writeHead(429, { ...json, 'retry-after': '100' }).end(throttledBody),
  )
  const { text } = await probe(site, ['--probe', 'anatomy', '--endpoint', 'discovery'])
  expect(text).toContain('Retry-After is ')
  expect(asked).toHaveLength(1)
}, 60_000)

test('a Retry-After that a probe received delays the preparation of the next one', async () => {
  const { asked, site } = await targetThat((path, response, index) => {
    if (path === discovery && index > 3)
      response.writeHead(429, { ...json, 'retry-after': '5' }).end(throttledBody)
    else response.writeHead(200, json).end(JSON.stringify({ jwks_uri: new URL('/keys', site.url).href }))
  })
  await probe(site, ['--probe', 'anatomy', '--endpoint', 'discovery,key-set'])
  const throttled = asked.findIndex(({ path }, index) => path === discovery && index > 3)
  const [before, after] = asked.slice(throttled, throttled + 2)
  if (before && after) expect(after.at - before.at).toBeGreaterThanOrEqual(5000)
}, 60_000)

test('Ctrl-C in one probe keeps the next from being prepared', async () => {
  const { asked, site } = await targetThat((_, response) =>
    response.writeHead(200, json).end(JSON.stringify({ jwks_uri: new URL('/keys', open.site?.url).href })),
  )
  let stoppedAt = 0
  const { code, text } = await probe(
    site,
    ['--probe', 'hold', '--rate', '0.2', '--endpoint', 'discovery,key-set'],
    { LOAD_MAX_REQUESTS: '300', LOAD_MAX_SECONDS: '60' },
    () => {
      // At rest: the next request of the probe is seconds away.
      if (asked.length > 1) stoppedAt ||= performance.now()
      return stoppedAt > 0 && performance.now() - stoppedAt > 200
    },
  )
  expect(code).toBe(130)
  expect(asked.filter(({ at }) => at > stoppedAt + 250)).toEqual([])
  expect(text).toMatch(/hold of key-set: .*interrupted/)
}, 60_000)

test('Ctrl-C ends a wait of the preflight', async () => {
  const { asked, site } = await targetThat((_, response) =>
    response.writeHead(429, { ...json, 'retry-after': '15' }).end(throttledBody),
  )
  let stoppedAt = 0
  const { code } = await probe(site, ['--endpoint', 'discovery'], {}, () => {
    if (asked.length > 0) stoppedAt ||= performance.now()
    return asked.length > 0 && performance.now() - stoppedAt > 300
  })
  expect(code).toBe(130)
  expect(performance.now() - stoppedAt).toBeLessThan(10_000)
  expect(asked).toHaveLength(1)
}, 60_000)

test('no output contains request values that a target echoes', async () => {
  const { site } = await targetThat((_, response, index) => {
    if (index < 3) return response.writeHead(200, json).end('{}')
    response.setHeader(`X-RateLimit-${secret}`, secret)
    response.setHeader('Retry-After', '1')
    response.setHeader('RateLimit-Policy', `"${secret}";q=1`)
    response.setHeader('Content-Type', `application/${secret}`)
    response
      .writeHead(429, secret)
      .end(JSON.stringify({ error: secret, [secret]: secret, error_description: secret }))
  })
  const { text, out } = await probe(site, ['--probe', 'anatomy,recovery', '--endpoint', 'event-search'])
  const holders = readdirSync(out, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file, 'utf8').toLowerCase().includes(secret.toLowerCase()))
  expect(holders).toEqual([])
  expect(text.toLowerCase()).not.toContain(secret.toLowerCase())
}, 60_000)

test('a lawful throttled response violates nothing, however it is sent', async () => {
  const { site } = await targetThat((_, response, index) => {
    if (index < 3) return response.writeHead(200, json).end('{}')
    response.writeHead(429, {
      'CONTENT-TYPE': 'application/json;charset="UTF-8"',
      'content-encoding': 'gzip',
      'RETRY-AFTER': '1',
      connection: 'close',
    })
    response.end(gzipSync('{"error":"temporarily_unavailable","error_description":"-","trace":[1]}'))
  })
  await probe(site, ['--probe', 'anatomy', '--endpoint', 'event-search'])
  for (const id of [
    'PLATFORM-THROTTLE-BODY',
    'PLATFORM-THROTTLE-ERROR',
    'PLATFORM-THROTTLE-DESCRIPTION',
    'PLATFORM-RETRY-AFTER',
  ])
    expect([id, verdict(id)]).toEqual([id, 'pass'])
}, 60_000)

test('a 429 that differs from the others is judged, however late it arrives', async () => {
  const { site } = await targetThat((_, response, index) => {
    if (index < 3) return response.writeHead(200, json).end('{}')
    if (index === 11)
      return response.writeHead(429, { 'content-type': 'text/html', 'retry-after': 'soon' }).end('<p>')
    response.writeHead(429, { ...json, 'retry-after': '1' }).end(throttledBody)
  })
  await probe(site, ['--probe', 'recovery', '--endpoint', 'event-search'])
  expect(verdict('PLATFORM-THROTTLE-BODY')).toBe('fail')
  expect(verdict('PLATFORM-RETRY-AFTER')).toBe('fail')
}, 60_000)
