import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { connect, getCACertificates, type TLSSocket } from 'node:tls'
import { withoutBrackets } from '../http/host.ts'
import { openTunnel } from '../http/tunnel.ts'

const timeoutMs = 5000

/**
 * Keys of servers whose certificates are good only thanks to NODE_EXTRA_CA_CERTS. Chromium does not read that
 * file, and to ignore errors for the authority's own key would trust anybody who sends its certificate along.
 * So Node verifies each server here, name included, and the browser is told to accept exactly its key.
 *
 * Costs one TLS handshake a host and no HTTP request. A host that cannot be reached or verified is left out:
 * the browser will say what is wrong with it.
 *
 * @param extraCertificates path of a PEM file
 * @param proxyFor the proxy on the way to a host; undefined: none
 * @returns SHA-256 digests of SubjectPublicKeyInfo (RFC 5280, 4.1) in base64
 */
export async function trustedKeys(
  hosts: readonly string[],
  extraCertificates: string,
  proxyFor: (host: string) => URL | undefined,
): Promise<string[]> {
  const ca = [...getCACertificates('default'), readFileSync(extraCertificates, 'utf8')]
  const keys = await Promise.all(
    hosts
      .map((host) => host.replace(/:\*$/, ''))
      .map((host) => keyOf(new URL(`https://${host}`), ca, proxyFor(host)).catch(() => undefined)),
  )
  return [...new Set(keys.filter((key) => key !== undefined))]
}

async function keyOf(url: URL, ca: readonly string[], proxy: URL | undefined): Promise<string | undefined> {
  const host = withoutBrackets(url.hostname)
  const port = Number(url.port || 443)
  const tunnel = proxy && (await openTunnel(proxy, `${url.hostname}:${port}`, timeoutMs))
  return new Promise((resolve, reject) => {
    const socket: TLSSocket = connect(
      {
        ...(tunnel ? { socket: tunnel } : { host, port }),
        ca: [...ca],
        ...(isIP(host) ? {} : { servername: host }),
      },
      () => {
        const spki = socket.getPeerX509Certificate()?.publicKey.export({ type: 'spki', format: 'der' })
        socket.destroy()
        resolve(spki && createHash('sha256').update(spki).digest('base64'))
      },
    )
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error('no answer')))
    socket.on('error', reject)
  })
}
