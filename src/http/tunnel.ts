import { request } from 'node:http'
import { request as requestSecurely } from 'node:https'
import type { Duplex } from 'node:stream'
import { withoutBrackets } from './host.ts'

/** A proxy that answers, but opens no tunnel. */
export class TunnelRefused extends Error {
  readonly status: number

  constructor(status: number) {
    super(`the proxy answered ${status}`)
    this.name = 'TunnelRefused'
    this.status = status
  }
}

/**
 * A connection through an HTTP proxy (RFC 9110, 9.3.6).
 * @param authority `host:port` at its other end
 * @throws {TunnelRefused} where the proxy says no; other errors are of the network
 */
export function openTunnel(proxy: URL, authority: string, timeoutMs: number): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const secure = proxy.protocol === 'https:'
    const send = secure ? requestSecurely : request
    const asked = send({
      host: withoutBrackets(proxy.hostname),
      port: proxy.port || (secure ? 443 : 80),
      method: 'CONNECT',
      path: authority,
      timeout: timeoutMs,
    })
    asked
      .on('connect', (response, socket) => {
        if (response.statusCode === 200) return resolve(socket)
        socket.destroy()
        reject(new TunnelRefused(response.statusCode ?? 0))
      })
      .on('timeout', () => asked.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })))
      .on('error', reject)
      .end()
  })
}
