import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import { compactVerify, createRemoteJWKSet } from 'jose'
import { describe, expect, test, vi } from 'vitest'
import { instantOf } from '../../provider/hub/local-time.ts'
import { RetryClock } from '../../provider/webhook/retry-clock.ts'
import { isLoopback } from '../../provider/webhook/sender.ts'
import { type Reaction, WebhookFixture } from './webhook-fixture.ts'

const NOW = Date.UTC(2026, 5, 10, 9)

describe('delivery', () => {
  test('is a POST of JSON with the specified headers and a time in UTC', async () => {
    const fixture = await WebhookFixture.start()
    await fixture.subscribe()
    const at = Date.now() - 1000
    const id = await fixture.publish({ at })
    expect(fixture.deliveries).toHaveLength(1)
    const [{ method, url, headers, body }] = fixture.deliveries as [(typeof fixture.deliveries)[0]]
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

  test('has a signature that verifies with the key of its kid, by jose and by node:crypto', async () => {
    const fixture = await WebhookFixture.start()
    await fixture.subscribe()
    await fixture.publish()
    const { headers, body } = fixture.deliveries[0] as (typeof fixture.deliveries)[0]
    const jws = String(headers['x-service-signature'])
    const { payload, protectedHeader: header } = await compactVerify(
      jws,
      createRemoteJWKSet(new URL(fixture.running.jwksUrl)),
      { algorithms: ['RS256'] },
    )
    const digest = `SHA-256:${createHash('sha256').update(body).digest('hex')}`
    const timestamp = headers['x-service-timestamp']
    const nonce = headers['x-service-nonce']
    expect(JSON.parse(Buffer.from(payload).toString())).toEqual({ digest, timestamp, nonce })
    const { keys } = (await (await fixture.client.request(fixture.running.jwksUrl)).json()) as {
      keys: (JsonWebKey & { kid: string })[]
    }
    const jwk = keys.find(({ kid }) => kid === header.kid) as JsonWebKey
    const end = jws.lastIndexOf('.')
    const publicKey = createPublicKey({ key: jwk, format: 'jwk' })
    const signature = Buffer.from(jws.slice(end + 1), 'base64url')
    expect(verify('sha256', Buffer.from(jws.slice(0, end)), publicKey, signature)).toBe(true)
  })

  test('follows the filters and ends with the subscription', async () => {
    const fixture = await WebhookFixture.start()
    await fixture.subscribe({ event_filters: ['user.created', 'user.deleted'] })
    const { json } = await fixture.subscribe({ event_filters: [], target_url: `${fixture.url}/all` })
    await fixture.publish()
    await fixture.publish({ type: 'user.deleted' })
    const seen = () =>
      fixture.deliveries.map(({ url, headers }) => `${url} ${headers['x-service-event-id']}`).sort()
    expect(seen()).toEqual(['/hook event-2', '/hook/all event-1', '/hook/all event-2'])
    fixture.reactions.push(503)
    await fixture.publish()
    await fixture.manage('DELETE', `/${json.id}`)
    await fixture.publish()
    await fixture.advance(86_400)
    expect(seen()).toHaveLength(4)
  })

  test('to a target outside loopback is never sent, though the subscription is stored', async () => {
    const fixture = await WebhookFixture.start()
    const { status } = await fixture.subscribe({ target_url: 'https://receiver.invalid/hook' })
    await fixture.publish()
    expect([status, fixture.deliveries.length]).toEqual([201, 0])
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
  /** Seconds between publication and each attempt, on the retry clock, until the last one. */
  async function schedule(reactions: Reaction[]) {
    const fixture = await WebhookFixture.start({ now: () => NOW })
    await fixture.subscribe()
    fixture.reactions.push(...reactions)
    await fixture.publish()
    for (let hour = 0; hour < 6; hour++) await fixture.advance(3600)
    return { fixture, seconds: fixture.deliveries.map(({ at }) => (at - NOW) / 1000) }
  }

  test('follow after 30 s, 2 min, 10 min and 1 h, and end with the fifth attempt', async () => {
    const { fixture, seconds } = await schedule([503, 429, 'hang-up', 500, 502, 500])
    expect(seconds).toEqual([0, 30, 150, 750, 4350])
    expect(new Set(fixture.deliveries.map(({ body }) => body)).size).toBe(1)
    expect(new Set(fixture.deliveries.map(({ headers }) => headers['x-service-timestamp'])).size).toBe(1)
    expect(new Set(fixture.deliveries.map(({ headers }) => headers['x-service-nonce'])).size).toBe(5)
    expect(await fixture.searched()).toContain('event-1')
  })

  test.each([200, 202, 204, 301, 400, 401, 404, 410])('end with the status %i', async (status) => {
    expect((await schedule([500, status])).seconds).toEqual([0, 30])
  })

  test('are not even a second early', async () => {
    const fixture = await WebhookFixture.start({ now: () => NOW })
    await fixture.subscribe()
    fixture.reactions.push(500)
    await fixture.publish()
    await fixture.advance(29)
    expect(fixture.deliveries).toHaveLength(1)
    await fixture.advance(1)
    expect(fixture.deliveries).toHaveLength(2)
  })

  test('can be triggered over HTTP, and the response follows the last attempt', async () => {
    const fixture = await WebhookFixture.start()
    await fixture.subscribe()
    fixture.reactions.push(500, 500)
    await fixture.publish()
    const move = async (body: string, method = 'POST') => {
      const response = await fixture.client.request(fixture.running.variables.WEBHOOK_CLOCK_URL ?? '', {
        method,
        ...(body && { body }),
      })
      return [response.status, await response.json()]
    }
    expect(await move('{"advanceSeconds": 30}')).toEqual([200, { now: 30 }])
    expect(fixture.deliveries).toHaveLength(2)
    expect(await move('{"advanceSeconds": 120.5}')).toEqual([200, { now: 150.5 }])
    expect(fixture.deliveries).toHaveLength(3)
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
  test('starts tasks in order of time, including tasks scheduled during the move', async () => {
    const clock = new RetryClock(() => 0)
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

  test('follows real time', () => {
    vi.useFakeTimers({ now: 0 })
    try {
      const clock = new RetryClock(Date.now)
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

test('of two instants with the same local time, the one nearer to now is taken', () => {
  const shown = Date.UTC(2026, 9, 25, 3, 30)
  const first = Date.UTC(2026, 9, 25, 0, 30)
  const second = Date.UTC(2026, 9, 25, 1, 30)
  expect(instantOf(shown, 'Europe/Helsinki', first)).toBe(first)
  expect(instantOf(shown, 'Europe/Helsinki', second)).toBe(second)
})

test('each failed attempt is reported in one line, without its payload', async () => {
  const lines: string[] = []
  const fixture = await WebhookFixture.start({ onFailedDelivery: (line) => lines.push(line) })
  await fixture.subscribe()
  fixture.reactions.push(500, 'hang-up', 404)
  const id = await fixture.publish()
  await fixture.running.webhooks?.clock.advance(600)
  const prefix = `Webhook ${id} to ${fixture.url}, attempt`
  expect(lines).toEqual([
    `${prefix} 1: the response was 500; next attempt in 30 s.`,
    `${prefix} 2: no connection, or it was closed without a response; next attempt in 120 s.`,
    `${prefix} 3: the response was 404; no further attempt.`,
  ])
})
