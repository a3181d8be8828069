import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { describe, expect, onTestFinished, test } from 'vitest'
import { loopbackCertificate } from '../../src/webhook/certificate.ts'
import type { Delivery } from '../../src/webhook/delivery.ts'
import { type DeliveryHandler, type ListenerOptions, listen } from '../../src/webhook/listener.ts'

/** A listener that records deliveries; it ends with the test. */
async function listener(handler: DeliveryHandler, options: ListenerOptions = {}) {
  const log: Delivery[] = []
  const started = await listen((one) => {
    log.push(one)
    return handler(one)
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
    const responses = [{ status: 429 }, { status: 503, afterMs: 10 }, 'hang-up'] as const
    let count = 0
    const { url } = await listener(() => responses[count++] ?? { status: 200 })
    expect((await request(url, { method: 'POST' })).statusCode).toBe(429)
    expect((await request(url, { method: 'POST' })).statusCode).toBe(503)
    await expect(request(url, { method: 'POST' })).rejects.toThrow()
  })

  test('ends at once, even while it delays a response', async () => {
    const { log, started, url } = await listener(() => ({ status: 200, afterMs: 600_000 }))
    const response = request(url, { method: 'POST' })
    while (log.length === 0) await sleep(1)
    await started.close()
    expect((await response).statusCode).toBe(200)
    await expect(request(url, { method: 'POST' })).rejects.toThrow()
  })

  test('serves others after a sender that disconnects early', async () => {
    const { log, started, url } = await listener(() => ({ status: 200 }))
    const socket = connect(started.port, '127.0.0.1')
    socket.write('POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf')
    await sleep(20)
    socket.destroy()
    expect((await request(url, { method: 'POST' })).statusCode).toBe(200)
    expect(log).toHaveLength(1)
  })

  test('sends no response to an incomplete delivery, so that the service retries', {
    timeout: 15_000,
  }, async () => {
    const { log, started } = await listener(() => ({ status: 200 }))
    const socket = connect(started.port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    let received = ''
    socket.on('data', (data) => {
      received += data
    })
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.write('POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf')
    await closed
    expect(received).toBe('')
    expect(log).toEqual([])
  })

  test('responds with 400 to text that is not HTTP', async () => {
    const { started } = await listener(() => ({ status: 200 }))
    const socket = connect(started.port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.write('nonsense\r\n\r\n')
    const [data] = await once(socket, 'data')
    expect(String(data)).toMatch(/^HTTP\/1\.1 400 /)
  })

  test('keeps concurrent bodies within the memory limit', async () => {
    const { promise: opened, resolve: open } = Promise.withResolvers<void>()
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
