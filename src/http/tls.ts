import { isIP } from 'node:net'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'

/**
 * Opens a TLS connection, and names the server in its handshake (RFC 6066, 3).
 * @param host of the server, which the handshake names unless it is an IP address: IPv6 without brackets
 * @param timeoutMs after which a silent server fails with the code ETIMEDOUT
 */
export function connectTls(options: ConnectionOptions, host: string, timeoutMs: number): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    // Over a socket, the host serves to verify the certificate.
    const socket = connect({ ...options, host, ...(isIP(host) === 0 && { servername: host }) })
    const silent = () => socket.destroy(Object.assign(new Error('no response'), { code: 'ETIMEDOUT' }))
    socket.setTimeout(timeoutMs, silent)
    socket.once('secureConnect', () => resolve(socket)).on('error', reject)
  })
}
