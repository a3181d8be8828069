import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { connect, getCACertificates, type TLSSocket } from 'node:tls'
import { withoutBrackets } from '../http/host.ts'
import { openTunnel } from '../http/tunnel.ts'

const timeoutMs = 5000

/**
 * Keys of servers whose certificates are good only thanks to NODE_EXTRA_CA_CERTS, as SHA-256 digests of
 * SubjectPublicKeyInfo (RFC 5280, 4.1) in base64. Chromium does not read that file, and to ignore errors for the
 * authority's own key would trust every server that sends its certificate along. So Node verifies each server here,
 * name included, and the browser accepts exactly its key.
 *
 * Costs one TLS handshake a host and no HTTP request. A host that cannot be reached or verified is left out: the browser
 * reports what is wrong with it.
 *
 * @param extraCertificates path of a PEM file
 * @param proxyFor the proxy on the way to a host; undefined: none
 */
export async function trustedKeys(
  hosts: readonly string[],
  extraCertificates: string,
  proxyFor: (host: string) => URL | undefined,
): Promise<string[]> {
  const ca = [...getCACertificates('default'), readFileSync(extraCertificates, 'utf8')]
  const named = hosts.map((host) => host.replace(/:\*$/, ''))
  const keys = named.map((host) =>
    keyOf(new URL(`https://${host}`), ca, proxyFor(host)).catch(() => undefined),
  )
  return [...new Set((await Promise.all(keys)).filter((key) => key !== undefined))]
}

async function keyOf(url: URL, ca: string[], proxy: URL | undefined): Promise<string | undefined> {
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
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error('no answer')))
    socket.on('error', reject)
  })
}
