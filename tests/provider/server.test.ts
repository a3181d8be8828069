import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'dotenv'
import { describe, expect, test } from 'vitest'
import { faults, startProvider, variants } from '../../provider/index.ts'
import { TestClient } from './client.ts'

const MAIN = new URL('../../provider/main.ts', import.meta.url).pathname

describe('definitions', () => {
  test('have unique kebab-case names and a summary of one sentence', () => {
    const all = [...faults, ...variants]
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
    for (const { name, summary } of all) {
      expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
      expect(summary).toMatch(/^\S.*\.$/)
    }
  })

  test('a fault needs only existing variants, and never lists a violated requirement as a consequence', () => {
    const known = new Set(variants.map(({ name }) => name))
    for (const { variants: needed = [], violates, consequences = [] } of faults) {
      expect(needed.filter((name) => !known.has(name))).toEqual([])
      expect(violates.length).toBeGreaterThan(0)
      expect(consequences.filter((id) => violates.includes(id))).toEqual([])
    }
  })
})

test('concurrent providers have separate sessions, tokens and faults', async () => {
  const [one, two] = await Promise.all([startProvider(), startProvider({ faults: ['code-replay-accepted'] })])
  try {
    const statuses = []
    for (const running of [one, two]) {
      const client = new TestClient(running)
      const { exchange } = await client.code()
      statuses.push((await client.token(exchange)).status, (await client.token(exchange)).status)
    }
    expect(statuses).toEqual([200, 400, 200, 200])
    expect(
      one.requests.some(({ path, status, client }) => path.endsWith('/token') && status === 400 && client),
    ).toBe(true)
  } finally {
    await Promise.all([one.close(), two.close()])
  }
})

test('an unknown name and a port in use are reported in one sentence', async () => {
  await expect(startProvider({ faults: ['state-optinal'] })).rejects.toThrow(
    "the nearest is 'state-optional'",
  )
  await expect(startProvider({ faults: ['expired-id-token'] })).rejects.toThrow(
    "the nearest are 'id-token-expired', 'id-token-expiry-missing', 'refreshed-id-token-expired'; ",
  )
  await expect(startProvider({ variants: ['limitd'] })).rejects.toThrow("the nearest is 'limited'")
  const running = await startProvider()
  const port = Number(new URL(running.issuer).port)
  await expect(startProvider({ port })).rejects.toMatchObject({
    code: 'EADDRINUSE',
    message: expect.stringContaining(String(port)),
  })
  await running.close()
})

describe('limiter', () => {
  test('every endpoint returns 429 with Retry-After in seconds and the documented body', async () => {
    const running = await startProvider({ limit: { requests: 2, windowSeconds: 60 } })
    try {
      const client = new TestClient(running)
      await client.request(running.jwksUrl)
      await client.request(running.jwksUrl)
      const responses = [
        await client.request(running.jwksUrl),
        await client.request('/.well-known/openid-configuration'),
        await client.request('/mga/sps/oauth/oauth20/authorize'),
        await client.token({ grant_type: 'refresh_token' }),
        await client.search({}),
      ]
      for (const response of responses) {
        expect(response.status).toBe(429)
        expect(response.headers.get('retry-after')).toMatch(/^\d+$/)
        expect(await response.json()).toEqual({
          error: 'temporarily_unavailable',
          error_description: expect.any(String),
        })
      }
    } finally {
      await running.close()
    }
  })

  test.each(faults.filter(({ limit }) => limit))(
    '$name is visible in a throttled response',
    async ({ name, limit }) => {
      const lawful = /^\d+$/
      const now = Date.now()
      const running = await startProvider({ faults: [name], now: () => now })
      try {
        const client = new TestClient(running)
        const responses = await Promise.all(
          Array.from({ length: (limit?.requests ?? 0) + 1 }, async () => {
            const response = await client.request(running.jwksUrl)
            const retryAfter = response.headers.get('retry-after') ?? ''
            return { status: response.status, retryAfter, body: await response.text() }
          }),
        )
        const throttled = responses.find(({ body }) => !body.includes('"keys"'))
        const good =
          throttled?.status === 429 &&
          lawful.test(throttled.retryAfter) &&
          /^{"error":"temporarily_unavailable","error_description":"\s*[^"\s]/.test(throttled.body)
        expect(throttled).toBeDefined()
        expect(good).toBe(false)
      } finally {
        await running.close()
      }
    },
  )
})

describe('foreground process', () => {
  test('prints, writes and reports its variables, and ends with its parent', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'provider-'))
    const child = fork(MAIN, ['--env', join(folder, '.env'), '--seed', 'test'], { silent: true })
    let printed = ''
    child.stdout?.on('data', (chunk) => {
      printed += chunk
    })
    const [message] = (await once(child, 'message')) as [
      { ready: boolean; variables: Record<string, string> },
    ]
    const { variables } = message
    expect(message.ready).toBe(true)
    expect(parse(await readFile(join(folder, '.env')))).toEqual(variables)
    expect((await fetch(`${variables.IDP_BASE_URL}/.well-known/openid-configuration`)).status).toBe(200)
    child.disconnect()
    const [code] = await once(child, 'exit')
    expect(code).toBe(0)
    expect(parse(printed)).toEqual(variables)
    expect(printed).toMatch(/^# Listening on http:\/\/127\.0\.0\.1:\d+; stop with Ctrl\+C\.\n/)
    await rm(folder, { recursive: true })
  })

  test('overwrites the file of an earlier provider and no other file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'provider-'))
    const file = join(folder, '.env.uat')
    await writeFile(file, 'IDP_BASE_URL=https://login.example.com\nCLIENT_SECRET=precious\n')
    const refused = fork(MAIN, ['--env', file], { silent: true })
    let errors = ''
    refused.stderr?.on('data', (chunk) => {
      errors += chunk
    })
    expect((await once(refused, 'exit'))[0]).toBe(3)
    expect(errors).toMatch(
      /^--env: \S+ was not written by a provider, so Plumbline leaves it unchanged: .*\n$/,
    )
    expect(await readFile(file, 'utf8')).toContain('CLIENT_SECRET=precious')
    await rm(file)
    for (const seed of ['first', 'second']) {
      const child = fork(MAIN, ['--env', file, '--seed', seed], { silent: true })
      const [{ variables }] = (await once(child, 'message')) as [{ variables: Record<string, string> }]
      // The name of the file is the target.
      const { TARGET: _, ...others } = variables
      expect(parse(await readFile(file))).toEqual(others)
      child.disconnect()
      await once(child, 'exit')
    }
    await rm(folder, { recursive: true })
  })

  test('refuses the file of a provider that is still running', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'provider-'))
    const file = join(folder, '.env.uat')
    const first = fork(MAIN, ['--env', file], { silent: true })
    const [{ variables }] = (await once(first, 'message')) as [{ variables: Record<string, string> }]
    const written = await readFile(file, 'utf8')
    const second = fork(MAIN, ['--env', file], { silent: true })
    let errors = ''
    second.stderr?.on('data', (chunk) => {
      errors += chunk
    })
    expect((await once(second, 'exit'))[0]).toBe(3)
    expect(errors).toContain(`belongs to a provider that is still running at ${variables.IDP_BASE_URL}, so`)
    expect(errors.trim().split('\n')).toHaveLength(1)
    expect(await readFile(file, 'utf8')).toBe(written)
    first.disconnect()
    await once(first, 'exit')
    await rm(folder, { recursive: true })
  })

  test.each([
    [['--port', 'many'], '--port'],
    [['--limit', '5'], '--limit'],
    [['--wrong'], '--wrong'],
    [['--fault', 'state-optinal'], 'state-optional'],
  ])('%o is rejected in one sentence with exit code 3', async (args, named) => {
    const child = fork(MAIN, args, { silent: true })
    let errors = ''
    child.stderr?.on('data', (chunk) => {
      errors += chunk
    })
    const [code] = await once(child, 'exit')
    expect(code).toBe(3)
    expect(errors).toContain(named)
    expect(errors.trim().split('\n')).toHaveLength(1)
  })
})
