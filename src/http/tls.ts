import { isIP } from 'node:net'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'

/**
 * Opens a TLS connection. The handshake names the server, unless `host` is an IP address (RFC 6066, 3).
 * @param host name or IP address of the server; IPv6 without brackets
 * @param timeoutMs the connection fails with the code ETIMEDOUT if the server is silent for this long
 */
export function connectTls(options: ConnectionOptions, host: string, timeoutMs: number): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    // If `options` contains a socket, the host only serves to verify the certificate.
    const socket = connect({ ...options, host, ...(isIP(host) === 0 && { servername: host }) })
    const silent = () => socket.destroy(Object.assign(new Error('no response'), { code: 'ETIMEDOUT' }))
    socket.setTimeout(timeoutMs, silent)
    socket.once('secureConnect', () => resolve(socket)).on('error', reject)
  })
}
