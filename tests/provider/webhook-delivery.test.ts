import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import { compactVerify, createRemoteJWKSet } from 'jose'
import { describe, expect, test, vi } from 'vitest'
import { createRetryClock } from '../../provider/webhook/clock.ts'
import { instantOf } from '../../provider/webhook/instant.ts'
import { isLoopback } from '../../provider/webhook/sender.ts'
import { type Reaction, WebhookWorld } from './webhook-receiver.ts'

const NOW = Date.UTC(2026, 5, 10, 9)

describe('delivery', () => {
  test('an event comes by POST as JSON, with its headers and a time in UTC', async () => {
    const run = await WebhookWorld.start()
    await run.subscribe()
    const at = Date.now() - 1000
    const id = await run.publish({ at })
    expect(run.received).toHaveLength(1)
    const [{ method, url, headers, body }] = run.received as [(typeof run.received)[0]]
    const timestamp = new Date(at).toISOString()
    expect([method, url, headers['content-type']]).toEqual(['POST', '/hook', 'application/json'])
    expect(JSON.parse(body)).toEqual({
      id,
      timestamp,
      type: 'ClaimValuesChanged',
      version: '1.0',
      subscriber: 'subject-ä',
      payload: { claims: { locale: 'fi' } },
    })
    expect(headers).toMatchObject({
      'x-service-signature': expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      'x-service-event-id': id,
      'x-service-event-type': 'ClaimValuesChanged',
      'x-service-timestamp': timestamp,
      'x-service-nonce': expect.stringMatching(/^\S+$/),
    })
  })

  test('its signature verifies with the key its kid names, by jose and by node:crypto', async () => {
    const run = await WebhookWorld.start()
    await run.subscribe()
    await run.publish()
    const { headers, body } = run.received[0] as (typeof run.received)[0]
    const jws = String(headers['x-service-signature'])
    const { payload, protectedHeader: header } = await compactVerify(
      jws,
      createRemoteJWKSet(new URL(run.running.jwksUrl)),
      { algorithms: ['RS256'] },
    )
    const digest = `SHA-256:${createHash('sha256').update(body).digest('hex')}`
    const timestamp = headers['x-service-timestamp']
    const nonce = headers['x-service-nonce']
    expect(JSON.parse(Buffer.from(payload).toString())).toEqual({ digest, timestamp, nonce })
    const { keys } = (await (await run.client.request(run.running.jwksUrl)).json()) as {
      keys: (JsonWebKey & { kid: string })[]
    }
    const jwk = keys.find(({ kid }) => kid === header.kid) as JsonWebKey
    const end = jws.lastIndexOf('.')
    const publicKey = createPublicKey({ key: jwk, format: 'jwk' })
    const signature = Buffer.from(jws.slice(end + 1), 'base64url')
    expect(verify('sha256', Buffer.from(jws.slice(0, end)), publicKey, signature)).toBe(true)
  })

  test('only types that pass the filters come, and none after a deletion', async () => {
    const run = await WebhookWorld.start()
    await run.subscribe({ event_filters: ['user.created', 'user.deleted'] })
    const { json } = await run.subscribe({ event_filters: [], target_url: `${run.url}/all` })
    await run.publish()
    await run.publish({ type: 'user.deleted' })
    const seen = () =>
      run.received.map(({ url, headers }) => `${url} ${headers['x-service-event-id']}`).sort()
    expect(seen()).toEqual(['/hook event-2', '/hook/all event-1', '/hook/all event-2'])
    run.reactions.push(503)
    await run.publish()
    await run.manage('DELETE', `/${json.id}`)
    await run.publish()
    await run.advance(86_400)
    expect(seen()).toHaveLength(4)
  })

  test('a subscription outside loopback is kept, and nothing is sent to it', async () => {
    const run = await WebhookWorld.start()
    const { status } = await run.subscribe({ target_url: 'https://receiver.invalid/hook' })
    await run.publish()
    expect([status, run.received.length]).toEqual([201, 0])
    const hosts = [
      '127.0.0.1',
      'localhost',
      '[::1]',
      '127.9.9.9',
      'receiver.invalid',
      '127.0.0.1.invalid',
      '10.0.0.1',
    ]
    expect(hosts.filter((host) => isLoopback(new URL(`https://${host}/`)))).toEqual(hosts.slice(0, 4))
  })
})

describe('retries', () => {
  /** Seconds between publication and each attempt, on the retry clock, until nothing comes any more. */
  async function schedule(reactions: Reaction[]) {
    const run = await WebhookWorld.start({ now: () => NOW })
    await run.subscribe()
    run.reactions.push(...reactions)
    await run.publish()
    for (let hour = 0; hour < 6; hour++) await run.advance(3600)
    return { run, seconds: run.received.map(({ at }) => (at - NOW) / 1000) }
  }

  test('come after 30 s, 2 min, 10 min and 1 h, each after the one before, and end with the fifth', async () => {
    const { run, seconds } = await schedule([503, 429, 'hang-up', 500, 502, 500])
    expect(seconds).toEqual([0, 30, 150, 750, 4350])
    expect(new Set(run.received.map(({ body }) => body)).size).toBe(1)
    expect(new Set(run.received.map(({ headers }) => headers['x-service-timestamp'])).size).toBe(1)
    expect(new Set(run.received.map(({ headers }) => headers['x-service-nonce'])).size).toBe(5)
    expect(await run.searched()).toContain('event-1')
  })

  test.each([200, 202, 204, 301, 400, 401, 404, 410])('end with the status %i', async (status) => {
    expect((await schedule([500, status])).seconds).toEqual([0, 30])
  })

  test('do not come a second early', async () => {
    const run = await WebhookWorld.start({ now: () => NOW })
    await run.subscribe()
    run.reactions.push(500)
    await run.publish()
    await run.advance(29)
    expect(run.received).toHaveLength(1)
    await run.advance(1)
    expect(run.received).toHaveLength(2)
  })

  test('are brought about over HTTP, and answered when they have been', async () => {
    const run = await WebhookWorld.start()
    await run.subscribe()
    run.reactions.push(500, 500)
    await run.publish()
    const move = async (body: string, method = 'POST') => {
      const answer = await run.client.request(run.running.variables.WEBHOOK_CLOCK_URL ?? '', {
        method,
        ...(body && { body }),
      })
      return [answer.status, await answer.json()]
    }
    expect(await move('{"advanceSeconds": 30}')).toEqual([200, { now: 30 }])
    expect(run.received).toHaveLength(2)
    expect(await move('{"advanceSeconds": 120.5}')).toEqual([200, { now: 150.5 }])
    expect(run.received).toHaveLength(3)
    for (const body of [
      '',
      '{',
      '{}',
      '{"advanceSeconds": "30"}',
      '{"advanceSeconds": -1}',
      '{"advanceSeconds": 1e9}',
    ])
      expect(await move(body)).toEqual([400, { type: 'BAD_REQUEST', message: expect.any(String) }])
    expect((await move('', 'GET'))[0]).toBe(400)
  })
})

describe('the retry clock', () => {
  test('starts work in order of time, also work that comes up on the way', async () => {
    const clock = createRetryClock(() => 0)
    const log: string[] = []
    const work = (name: string, then?: () => void) => async (due: number) => {
      await new Promise((resolve) => setImmediate(resolve))
      log.push(`${name} ${due} ${clock.now()}`)
      then?.()
    }
    clock.schedule(5000, work('c'))
    clock.schedule(
      1000,
      work('a', () => clock.schedule(2000, work('b'))),
    )
    clock.schedule(9000, work('d'))
    expect(await clock.advance(6)).toBe(6)
    expect(log).toEqual(['a 1000 1000', 'b 2000 2000', 'c 5000 5000'])
    expect(clock.now()).toBe(6000)
    expect(await clock.advance(3)).toBe(9)
    expect(log[3]).toBe('d 9000 9000')
  })

  test('goes on by itself in real time', () => {
    vi.useFakeTimers({ now: 0 })
    try {
      const clock = createRetryClock(Date.now)
      const log: number[] = []
      clock.schedule(30_000, async () => void log.push(Date.now()))
      vi.advanceTimersByTime(29_999)
      expect(log).toEqual([])
      vi.advanceTimersByTime(1)
      expect(log).toEqual([30_000])
      clock.schedule(60_000, async () => void log.push(Date.now()))
      clock.close()
      vi.advanceTimersByTime(60_000)
      expect(log).toEqual([30_000])
    } finally {
      vi.useRealTimers()
    }
  })
})

test('a time that a clock shows twice is the one nearer to now', () => {
  const shown = Date.UTC(2026, 9, 25, 3, 30)
  const first = Date.UTC(2026, 9, 25, 0, 30)
  const second = Date.UTC(2026, 9, 25, 1, 30)
  expect(instantOf(shown, 'Europe/Helsinki', first)).toBe(first)
  expect(instantOf(shown, 'Europe/Helsinki', second)).toBe(second)
})

test('each attempt that failed is told in a line, without what it carried', async () => {
  const lines: string[] = []
  const run = await WebhookWorld.start({ onFailedDelivery: (line) => lines.push(line) })
  await run.subscribe()
  run.reactions.push(500, 'hang-up', 404)
  const id = await run.publish()
  await run.running.webhooks?.clock.advance(600)
  const prefix = `Webhook ${id} to ${run.url}, attempt`
  expect(lines).toEqual([
    `${prefix} 1: answered 500; again in 30 s.`,
    `${prefix} 2: no connection, or it broke off; again in 120 s.`,
    `${prefix} 3: answered 404; not sent again.`,
  ])
})
