import { createServer } from 'node:net'
import { describe, type TestContext, test } from 'vitest'
import { Recorder } from '../../src/evidence/recorder.ts'
import { Http } from '../../src/http/http.ts'
import { client, failureOf, site } from './site.ts'

describe.concurrent('a proxy', () => {
  async function proxied(bypass: string, onTestFinished: TestContext['onTestFinished']) {
    const target = await site()
    const tunnels: string[] = []
    const proxy = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', (data) => {
        tunnels.push(data.toString('latin1').split('\r\n', 1)[0] ?? '')
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n"proxy"')
      })
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void proxy.close())
    const address = proxy.address() as { port: number }
    const { budget } = client([target.host])
    const http = new Http(budget, new Recorder(), { url: `http://127.0.0.1:${address.port}`, bypass })
    onTestFinished(() => http.close())
    const response = await http.send({ method: 'GET', url: target.url('/x'), retry: 'after-429-or-503' })
    return { target, tunnels, text: response.text }
  }

  test('is used for http addresses, too', async ({ expect, onTestFinished }) => {
    const { target, tunnels, text } = await proxied('', onTestFinished)
    expect(text).toBe('"proxy"')
    expect(tunnels).toEqual([`GET http://${target.host}/x HTTP/1.1`])
    expect(target.log).toEqual([])
  })

  test.for(['127.0.0.1', 'example.com, 127.0.0.1', '*'])(
    'is bypassed for NO_PROXY=%s',
    async (bypass, { expect, onTestFinished }) => {
      const { target, tunnels } = await proxied(bypass, onTestFinished)
      expect(tunnels).toEqual([])
      expect(target.log).toHaveLength(1)
    },
  )

  test('that is unreachable is reported without its password', async ({ expect, onTestFinished }) => {
    const { budget } = client(['127.0.0.1:2'])
    const http = new Http(budget, new Recorder(), { url: 'http://user:canary@127.0.0.1:1', bypass: '' })
    onTestFinished(() => http.close())
    const failure = await failureOf(
      http.send({ method: 'GET', url: new URL('http://127.0.0.1:2/'), retry: 'after-429-or-503' }),
    )
    expect(failure.kind).toBe('unreachable')
    expect(failure.message).not.toContain('canary')
  })
})
