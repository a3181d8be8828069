import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { JWK } from 'jose'
import { Agent, request } from 'undici'
import { describe, expect, onTestFinished, test } from 'vitest'
import { KeySet, refetchIntervalMs } from '../../src/oauth/key-set.ts'
import { loopbackCertificate } from '../../src/webhook/certificate.ts'
import type { Delivery } from '../../src/webhook/delivery.ts'
import type { ReceivedEvent } from '../../src/webhook/inbox.ts'
import { type DeliveryHandler, type ListenerOptions, listen } from '../../src/webhook/listener.ts'
import { NonceStore } from '../../src/webhook/nonce-store.ts'
import { type ReceiverOptions, startReceiver } from '../../src/webhook/receiver.ts'
import { keyByKid, otherRsa } from '../oauth/forged.ts'
import { type Changes, delivery, event, hash, now } from './deliveries.ts'

/** A receiver that stores the events it passes on, and a function that delivers to it; both end with the test. */
async function receiver(options: Partial<ReceiverOptions> = {}) {
  const handled: ReceivedEvent[] = []
  const failed: string[] = []
  const refused: string[][] = []
  const unjudged: string[] = []
  const started = await startReceiver({
    path: '/hook',
    keyByKid,
    nonces: new NonceStore({ now: () => now }),
    now: () => now,
    handle: (one) => void handled.push(one),
    onFailure: ({ id }) => failed.push(id),
    onRefusal: (_, { findings }) => refused.push(findings.map(({ rule }) => rule)),
    onUnjudged: (_, error) => unjudged.push((error as Error).message),
    ...options,
  })
  onTestFinished(() => started.close())
  const agent = new Agent()
  onTestFinished(() => agent.close())
  const deliver = async (changes: Changes = {}, { path = '/hook', method = 'POST' as const } = {}) => {
    const { headers, body } = delivery(changes)
    const { statusCode, body: rest } = await request(`http://127.0.0.1:${started.port}${path}`, {
      method,
      headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
      body,
      dispatcher: agent,
    })
    await rest.dump()
    return statusCode
  }
  return { started, deliver, handled, failed, refused, unjudged }
}

/** A delivery of another event, or of the same one with another nonce. */
function ofEvent(id: string, nonce = `nonce of ${id}`): Changes {
  const body = JSON.stringify({ ...event, id })
  return { body, headers: { eventId: id, nonce }, claims: { nonce, digest: `SHA-256:${hash(body)}` } }
}

/** A promise that a test settles. */
function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

describe('the receiver', () => {
  test('acknowledges a genuine delivery and processes its event', async () => {
    const { deliver, handled, started } = await receiver()
    expect(await deliver()).toBe(204)
    await started.close()
    expect(handled).toEqual([{ id: 'event-1', type: 'ClaimValuesChanged', envelope: event }])
  })

  test('acknowledges before it processes, however long that takes', async () => {
    const { open, opened } = gate()
    const { deliver, handled, started } = await receiver({ handle: () => opened })
    expect(await deliver(ofEvent('a'))).toBe(204)
    expect(await deliver(ofEvent('b'))).toBe(204)
    expect(started.waiting).toBe(2)
    expect(handled).toEqual([])
    open()
  })

  test('processes one event at a time, in order of arrival', async () => {
    const order: string[] = []
    const { deliver, started } = await receiver({
      handle: async ({ id }) => {
        order.push(`begin ${id}`)
        await sleep(id === 'a' ? 20 : 0)
        order.push(`end ${id}`)
      },
    })
    for (const id of ['a', 'b', 'c']) expect(await deliver(ofEvent(id))).toBe(204)
    await started.close()
    expect(order).toEqual(['begin a', 'end a', 'begin b', 'end b', 'begin c', 'end c'])
  })

  test('processes all acknowledged events before it ends', async () => {
    const { open, opened } = gate()
    const handled: string[] = []
    const { deliver, started } = await receiver({
      handle: async ({ id }) => {
        await opened
        handled.push(id)
      },
    })
    for (const id of ['a', 'b', 'c']) await deliver(ofEvent(id))
    const closed = started.close()
    expect(await Promise.race([closed.then(() => 'closed'), sleep(20, 'waiting')])).toBe('waiting')
    await expect(deliver(ofEvent('d'))).rejects.toThrow()
    open()
    await closed
    expect(handled).toEqual(['a', 'b', 'c'])
  })

  test('the response to a delivery that fails verification is 400, and it is not processed', async () => {
    const { deliver, handled, refused } = await receiver()
    expect(await deliver({ key: otherRsa.privateKey })).toBe(400)
    expect(await deliver({ headers: { signature: undefined } })).toBe(400)
    expect(await deliver({ body: '{}' })).toBe(400)
    expect(refused).toEqual([['signature'], ['signed'], ['digest', 'envelope']])
    expect(handled).toEqual([])
  })

  test('processes an event once, however often it is delivered', async () => {
    const { deliver, handled, started } = await receiver()
    expect(await deliver(ofEvent('a', 'first'))).toBe(204)
    expect(await deliver(ofEvent('a', 'second'))).toBe(204)
    await Promise.all(['third', 'fourth'].map((nonce) => deliver(ofEvent('a', nonce))))
    await started.close()
    expect(handled.map(({ id }) => id)).toEqual(['a'])
  })

  test('of concurrent deliveries with one nonce exactly one is acknowledged', async () => {
    const { deliver } = await receiver()
    const statuses = await Promise.all(Array.from({ length: 20 }, () => deliver()))
    expect(statuses.filter((status) => status === 204)).toHaveLength(1)
    expect(statuses.filter((status) => status === 400)).toHaveLength(19)
  })

  test('an event that could not be processed is reported, and may be delivered again', async () => {
    let broken = true
    const handled: string[] = []
    const { deliver, failed, started } = await receiver({
      handle: ({ id }) => {
        if (broken) throw new Error('disk full')
        handled.push(id)
      },
    })
    expect(await deliver(ofEvent('a', 'first'))).toBe(204)
    while (failed.length === 0) await sleep(1)
    broken = false
    expect(await deliver(ofEvent('a', 'second'))).toBe(204)
    await started.close()
    expect({ failed, handled }).toEqual({ failed: ['a'], handled: ['a'] })
  })

  test('continues if an observer throws', async () => {
    const handled: string[] = []
    const fails = () => {
      throw new Error('no log')
    }
    const { deliver, started } = await receiver({
      handle: ({ id }) => {
        if (id === 'a') throw new Error('disk full')
        handled.push(id)
      },
      onFailure: fails,
      onRefusal: fails,
      onUnjudged: fails,
      keyByKid: async (kid) => (kid === 'later' ? Promise.reject(new Error('no key set')) : keyByKid(kid)),
    })
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve))
    expect(await deliver(ofEvent('a'))).toBe(204)
    expect(await deliver(ofEvent('b'))).toBe(204)
    expect((await warned).message).toBe('no log')
    expect(await deliver({ body: '{}' })).toBe(400)
    expect(await deliver({ jws: { kid: 'later' } })).toBe(503)
    await started.close()
    expect(handled).toEqual(['b'])
  })

  test('forged deliveries that wait for a key do not displace a genuine one', async () => {
    const { open, opened } = gate()
    const { deliver } = await receiver({
      limit: 2,
      keyByKid: async (kid) => {
        if (kid === 'forged') await opened
        return keyByKid(kid)
      },
    })
    const forged = [1, 2, 3].map(() => deliver({ jws: { kid: 'forged' } }))
    await sleep(50)
    expect(await deliver()).toBe(204)
    open()
    expect(await Promise.all(forged)).toEqual([400, 400, 400])
  })

  test('a new key is fetched, however many unknown kids a forger has used before', async () => {
    const published: JWK[] = []
    let clock = now
    const keys = new KeySet(
      async () => [...published],
      () => clock,
    )
    const { deliver, handled } = await receiver({ keyByKid: (kid) => keys.currentKey(kid) })
    expect(await deliver({ jws: { kid: 'forged' } })).toBe(400)
    const key = await keyByKid('good')
    if (key) published.push(key)
    clock += 1
    // The delivery is not judged yet, and after a 400 the service would not retry.
    expect(await deliver()).toBe(503)
    clock += refetchIntervalMs
    expect(await deliver()).toBe(204)
    expect(handled).toHaveLength(1)
  })

  test('responds with 503, and uses no nonce, if it cannot judge or store a delivery', async () => {
    const nonces = new NonceStore({ now: () => now })
    let keys: typeof keyByKid = async () => Promise.reject(new Error('no key set'))
    const { open, opened } = gate()
    const { deliver, unjudged } = await receiver({
      nonces,
      keyByKid: (kid) => keys(kid),
      handle: () => opened,
      limit: 1,
    })
    expect(await deliver()).toBe(503)
    expect(unjudged).toEqual(['no key set'])
    keys = keyByKid
    expect(await deliver(ofEvent('a'))).toBe(204)
    expect(await deliver(ofEvent('b'))).toBe(503)
    expect(nonces.size).toBe(1)
    open()
  })

  test('responds with 503 if the nonce store is full', async () => {
    const { deliver, unjudged } = await receiver({ nonces: new NonceStore({ capacity: 1, now: () => now }) })
    expect(await deliver(ofEvent('a'))).toBe(204)
    expect(await deliver(ofEvent('b'))).toBe(503)
    expect(unjudged).toEqual(['the nonce store is full: 1 nonces within the retention period'])
  })

  test('a fetch of the key set ends before the time limit of the sender', {
    timeout: 15_000,
  }, async () => {
    const nonces = new NonceStore({ now: () => now })
    const { open, opened } = gate()
    const { deliver, started } = await receiver({
      nonces,
      keyByKid: async (kid) => {
        await opened
        return keyByKid(kid)
      },
    })
    expect(await deliver()).toBe(503)
    open()
    await started.close()
    expect(nonces.size).toBe(0)
  })

  test('accepts one path and one method', async () => {
    const { deliver, refused } = await receiver()
    expect(await deliver({}, { path: '/other' })).toBe(404)
    expect(await deliver({}, { path: '/hook/more' })).toBe(404)
    expect(await deliver({}, { method: 'PUT' as 'POST' })).toBe(405)
    expect(await deliver({}, { path: '/hook?x=1' })).toBe(204)
    expect(refused).toEqual([])
  })
})

/** A listener that records deliveries; it ends with the test. */
async function listener(answering: DeliveryHandler, options: ListenerOptions = {}) {
  const log: Delivery[] = []
  const started = await listen((one) => {
    log.push(one)
    return answering(one)
  }, options)
  onTestFinished(() => started.close())
  return { log, started, url: `http${options.certificate ? 's' : ''}://127.0.0.1:${started.port}/hook` }
}

describe('the listener', () => {
  test('keeps the bytes of a body and every value of a header', async () => {
    const { log, url } = await listener(() => ({ status: 200 }))
    const body = Buffer.from([0, 0xff, 0x0d, 0x0a, 0x7b])
    const { statusCode } = await request(url, {
      method: 'POST',
      body,
      headers: ['X-Service-Nonce', 'a', 'x-service-nonce', 'b'],
    })
    expect(statusCode).toBe(200)
    expect(log[0]?.body.equals(body)).toBe(true)
    expect(log[0]?.headers['x-service-nonce']).toBe('a, b')
  })

  test('rejects a body that is too large', async () => {
    const { log, url } = await listener(() => ({ status: 200 }), { bodyLimit: 10 })
    expect((await request(url, { method: 'POST', body: 'x'.repeat(10) })).statusCode).toBe(200)
    expect((await request(url, { method: 'POST', body: 'x'.repeat(11) })).statusCode).toBe(413)
    expect(log).toHaveLength(1)
  })

  test('sends the response of its handler: a status, a delayed status, or no response', async () => {
    const answers = [{ status: 429 }, { status: 503, afterMs: 10 }, 'hang-up'] as const
    let count = 0
    const { url } = await listener(() => answers[count++] ?? { status: 200 })
    expect((await request(url, { method: 'POST' })).statusCode).toBe(429)
    expect((await request(url, { method: 'POST' })).statusCode).toBe(503)
    await expect(request(url, { method: 'POST' })).rejects.toThrow()
  })

  test('ends at once, even while it delays a response', async () => {
    const { log, started, url } = await listener(() => ({ status: 200, afterMs: 600_000 }))
    const answered = request(url, { method: 'POST' })
    while (log.length === 0) await sleep(1)
    await started.close()
    expect((await answered).statusCode).toBe(200)
    await expect(request(url, { method: 'POST' })).rejects.toThrow()
  })

  test('a sender that disconnects early does not affect others', async () => {
    const { log, started, url } = await listener(() => ({ status: 200 }))
    const socket = connect(started.port, '127.0.0.1')
    socket.write('POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf')
    await sleep(20)
    socket.destroy()
    expect((await request(url, { method: 'POST' })).statusCode).toBe(200)
    expect(log).toHaveLength(1)
  })

  test('an incomplete delivery gets no response, so that the service retries', {
    timeout: 15_000,
  }, async () => {
    const { log, started } = await listener(() => ({ status: 200 }))
    const socket = connect(started.port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    let answer = ''
    socket.on('data', (data) => {
      answer += data
    })
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.write('POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf')
    await closed
    expect(answer).toBe('')
    expect(log).toEqual([])
  })

  test('the response to text that is not HTTP is 400', async () => {
    const { started } = await listener(() => ({ status: 200 }))
    const socket = connect(started.port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.write('nonsense\r\n\r\n')
    const [data] = await once(socket, 'data')
    expect(String(data)).toMatch(/^HTTP\/1\.1 400 /)
  })

  test('concurrent bodies stay within the memory limit', async () => {
    const { open, opened } = gate()
    const { log, url } = await listener(
      async () => {
        await opened
        return { status: 200 }
      },
      { bodyLimit: 10, bodiesLimit: 15 },
    )
    const first = request(url, { method: 'POST', body: 'x'.repeat(10) })
    while (log.length === 0) await sleep(1)
    expect((await request(url, { method: 'POST', body: 'x'.repeat(10) })).statusCode).toBe(503)
    open()
    expect((await first).statusCode).toBe(200)
    expect((await request(url, { method: 'POST', body: 'x'.repeat(10) })).statusCode).toBe(200)
  })

  test('closes soon, even if a client holds a connection without a TLS handshake', {
    timeout: 15_000,
  }, async () => {
    const { started } = await listener(() => ({ status: 204 }), { certificate: await loopbackCertificate() })
    const socket = connect(started.port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    const startedAt = performance.now()
    await started.close()
    expect(performance.now() - startedAt).toBeLessThan(7000)
  })

  test('uses TLS with a self-signed certificate for loopback addresses', async () => {
    const certificate = await loopbackCertificate()
    const { log, url } = await listener(() => ({ status: 204 }), { certificate })
    const trusting = new Agent({ connect: { ca: certificate.cert } })
    onTestFinished(() => trusting.close())
    expect((await request(url, { method: 'POST', dispatcher: trusting })).statusCode).toBe(204)
    await expect(request(url, { method: 'POST' })).rejects.toThrow(/self-signed/)
    expect(log).toHaveLength(1)
  })
})
