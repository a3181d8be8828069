import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { connect, getCACertificates, type TLSSocket } from 'node:tls'
import { withoutBrackets } from '../http/host.ts'
import { openTunnel } from '../http/tunnel.ts'

const timeoutMs = 5000

/**
 * Keys of servers whose certificates are valid only with NODE_EXTRA_CA_CERTS, as SHA-256 digests of
 * SubjectPublicKeyInfo (RFC 5280, 4.1) in base64. Chromium does not read that file, and to ignore errors for the key of
 * the authority would trust every server that sends the authority's certificate. So Node verifies each server, including
 * its name, and the browser accepts exactly that server's key.
 *
 * It takes one TLS handshake per host and no HTTP request. It omits hosts that it cannot reach or verify: the browser
 * reports their error.
 *
 * @param extraCertificates path of a PEM file
 * @param proxyFor the proxy for a host; undefined without one
 */
export async function trustedKeys(
  hosts: readonly string[],
  extraCertificates: string,
  proxyFor: (host: string) => URL | undefined,
): Promise<string[]> {
  const ca = [...getCACertificates('default'), readFileSync(extraCertificates, 'utf8')]
  const named = hosts.map((host) => host.replace(/:\*$/, ''))
  const keys = named.map((host) =>
    verifiedKey(new URL(`https://${host}`), ca, proxyFor(host)).catch(() => undefined),
  )
  return [...new Set((await Promise.all(keys)).filter((key) => key !== undefined))]
}

async function verifiedKey(url: URL, ca: string[], proxy: URL | undefined): Promise<string | undefined> {
  const host = withoutBrackets(url.hostname)
  const port = Number(url.port || 443)
  const tunnel = proxy && (await openTunnel(proxy, `${url.hostname}:${port}`, timeoutMs))
  const servername = isIP(host) ? {} : { servername: host }
  return new Promise((resolve, reject) => {
    const options = { ...(tunnel ? { socket: tunnel } : { host, port }), ca, ...servername }
    const socket: TLSSocket = connect(options, () => {
      const spki = socket.getPeerX509Certificate()?.publicKey.export({ type: 'spki', format: 'der' })
      socket.destroy()
      resolve(spki && createHash('sha256').update(spki).digest('base64'))
    })
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error('no response')))
    socket.on('error', reject)
  })
}
