import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type Answer, client, failureOf, reset, siteWithClient } from './site.ts'

describe.concurrent('an unreadable response', () => {
  test('is larger than any lawful one: the evidence has the failure', async ({ expect }) => {
    const { recorder, get } = await siteWithClient((response) =>
      response.end(Buffer.alloc(9 * 1024 * 1024, 'a')),
    )
    const exchanges: unknown[] = []
    const failure = await recorder.collectInto(exchanges as never[], () =>
      failureOf(get('/', 'after-429-or-503')),
    )
    expect(failure).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('larger than') })
    expect(exchanges).toEqual([expect.objectContaining({ failure: failure.message })])
  })

  test.each([
    ['is not gzip', Buffer.from('{}'), 'Z_DATA_ERROR'],
    ['is half a gzip file', gzipSync('{"said":"canary"}').subarray(0, 20), 'Z_BUF_ERROR'],
  ])('has a body that %s: the target is reachable, and the message has the code', async (_, body, code) => {
    const { host, url, http } = await siteWithClient((response) =>
      response.writeHead(200, { 'Content-Encoding': 'gzip, x-canary' }).end(body),
    )
    const get = http.send({ method: 'GET', url: url('/a?code=canary'), retry: 'after-429-or-503' })
    expect(await failureOf(get)).toMatchObject({
      kind: 'unavailable',
      message: `GET http://${host}/a returned a body that cannot be decoded (${code})`,
    })
  })

  test.each<readonly [string, Answer]>([
    [
      'breaks off',
      (response) => {
        response.writeHead(200, { 'Content-Length': 100 }).write('half')
        setTimeout(() => response.socket?.destroy(), 20)
      },
    ],
    ['is not HTTP', (response) => response.socket?.end('SSH-2.0-canary\r\n\r\n')],
    ['ends with a reset', reset],
  ])('%s: the target is unreachable', async (_, broken) => {
    const { get } = await siteWithClient(broken)
    const failure = await failureOf(get('/?code=canary', 'after-429-or-503'))
    expect(failure).toMatchObject({ name: 'HttpFailure', kind: 'unreachable' })
    expect(failure.message).not.toContain('canary')
  })

  test.each<readonly [string, Answer]>([
    ['never begins', () => undefined],
    ['stops in the middle', (response) => void response.writeHead(200).write('half')],
    [
      'trickles',
      (response) => {
        response.writeHead(200)
        const drops = setInterval(() => response.write('.'), 100)
        response.on('close', () => clearInterval(drops))
      },
    ],
  ])('%s: the request times out', async (_, slow) => {
    const { get } = await siteWithClient(slow, {}, { timeoutMs: 400 })
    const failure = await failureOf(get('/?code=canary', 'after-429-or-503'))
    expect(failure.kind).toBe('timed-out')
    expect(failure.message).not.toContain('canary')
  })

  test('is missing at a closed port: the message contains no secret', async ({ expect }) => {
    const { http } = client(['127.0.0.1:1'])
    const failure = await failureOf(
      http.send({
        method: 'POST',
        url: new URL('http://127.0.0.1:1/token?code=canary-query'),
        headers: [['Authorization', 'Bearer canary-header']],
        form: [['code', 'canary-form']],
        retry: 'after-429-or-503',
      }),
    )
    expect(failure).toMatchObject({ kind: 'unreachable', message: expect.stringContaining('ECONNREFUSED') })
    expect(failure.message).not.toContain('canary')
  })
})
