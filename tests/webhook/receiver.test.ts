import { setTimeout as sleep } from 'node:timers/promises'
import type { JWK } from 'jose'
import { Agent, request } from 'undici'
import { describe, expect, onTestFinished, test } from 'vitest'
import { KeySet, refetchIntervalMs } from '../../src/oauth/key-set.ts'
import { NonceStore } from '../../src/webhook/nonce-store.ts'
import { type ReceivedEvent, type ReceiverOptions, startReceiver } from '../../src/webhook/receiver.ts'
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

describe('the receiver', () => {
  test('acknowledges a genuine delivery and processes its event', async () => {
    const { deliver, handled, started } = await receiver()
    expect(await deliver()).toBe(204)
    await started.close()
    expect(handled).toEqual([{ id: 'event-1', type: 'ClaimValuesChanged', envelope: event }])
  })

  test('acknowledges before it processes, however long that takes', async () => {
    const { promise: opened, resolve: open } = Promise.withResolvers<void>()
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
    const { promise: opened, resolve: open } = Promise.withResolvers<void>()
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

  test('responds with 400 to a delivery that fails verification, and does not process it', async () => {
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

  test('acknowledges exactly one of concurrent deliveries with one nonce', async () => {
    const { deliver } = await receiver()
    const statuses = await Promise.all(Array.from({ length: 20 }, () => deliver()))
    expect(statuses.filter((status) => status === 204)).toHaveLength(1)
    expect(statuses.filter((status) => status === 400)).toHaveLength(19)
  })

  test('reports an event that could not be processed, which may be delivered again', async () => {
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

  test('accepts a genuine delivery while forged ones wait for a key', async () => {
    const { promise: opened, resolve: open } = Promise.withResolvers<void>()
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

  test('fetches a new key, however many unknown kids a forger has used before', async () => {
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
    const { promise: opened, resolve: open } = Promise.withResolvers<void>()
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

  test('ends a fetch of the key set before the time limit of the sender', {
    timeout: 15_000,
  }, async () => {
    const nonces = new NonceStore({ now: () => now })
    const { promise: opened, resolve: open } = Promise.withResolvers<void>()
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
