import { lookup } from 'node:dns/promises'
import { connect, isIP, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { proxyFor } from '../browser/network-rules.ts'
import { withoutBrackets } from '../http/host.ts'
import { openTunnel, TunnelRefused } from '../http/tunnel.ts'
import { isLoopback } from '../target/safety.ts'
import type { Target } from '../target/target.ts'
import { inspectCertificate } from './certificate.ts'
import { type Diagnosis, diagnose } from './diagnosis.ts'

const timeoutMs = 5000

interface Origin {
  readonly url: URL
  /** Variables that name its host. */
  readonly variables: readonly string[]
}

/**
 * Examines name, port, proxy and TLS of every host of the target in turn, with one connection and handshake each. The
 * only HTTP request is CONNECT to a proxy.
 */
export async function examineNetwork(target: Target): Promise<{
  readonly diagnoses: readonly Diagnosis[]
  readonly unreachable: ReadonlySet<string>
}> {
  const diagnoses: Diagnosis[] = []
  const unreachable = new Set<string>()
  for (const origin of originsOf(target)) {
    const diagnosis = await examineOrigin(origin, proxyFor(origin.url.host, target.proxy))
    diagnoses.push(diagnosis)
    if (diagnosis.severity === 'error') unreachable.add(origin.url.origin)
  }
  return { diagnoses, unreachable }
}

function originsOf({ issuer, partnerApiUrl, jwksUrl }: Target): Origin[] {
  const urls = {
    ...(issuer && { IDP_BASE_URL: issuer }),
    ...(partnerApiUrl && { PARTNER_API_URL: partnerApiUrl }),
    ...(jwksUrl && { JWKS_URL: jwksUrl }),
  }
  const named = Map.groupBy(Object.entries(urls), ([, url]) => new URL(url).origin)
  return [...named].map(([origin, entries]) => ({
    url: new URL(origin),
    variables: entries.map(([name]) => name),
  }))
}

async function examineOrigin({ url, variables }: Origin, proxy: URL | undefined): Promise<Diagnosis> {
  const { host, hostname } = proxy ?? url
  const names = proxy ? ['HTTPS_PROXY'] : variables
  if (!(await resolves(withoutBrackets(hostname)))) {
    const advice = `correct the host in ${names.join(' and ')}, or the DNS of this machine`
    return diagnose.error('network', `the name ${withoutBrackets(hostname)} does not resolve`, names, advice)
  }
  let connection: Duplex
  try {
    connection = proxy
      ? await openTunnel(proxy, `${url.hostname}:${portOf(url)}`, timeoutMs)
      : await connected(withoutBrackets(url.hostname), portOf(url))
  } catch (error) {
    if (error instanceof TunnelRefused) return refusedTunnel(host, url.host, error.status)
    // Codes contain no address; messages may.
    const { code = 'the connection was closed' } = error as { code?: string }
    const where = names.join(' and ')
    return diagnose.error(
      'network',
      `${host} does not accept a connection (${code})`,
      names,
      code === 'ETIMEDOUT' && !proxy
        ? `a firewall may block it: set HTTPS_PROXY if you need a proxy, or correct ${where}`
        : `correct the host and port in ${where}, or start the server there`,
    )
  }
  if (url.protocol !== 'https:') {
    connection.destroy()
    return diagnose.ok('network', `${url.host} accepts connections`, variables)
  }
  const through = proxy ? ` through the proxy ${host}` : ''
  return inspectCertificate(connection, url, { variables, through, timeoutMs })
}

function refusedTunnel(proxy: string, host: string, status: number): Diagnosis {
  const why = status === 407 ? 'asks for credentials' : `refuses it (${status})`
  return diagnose.error(
    'network',
    `Plumbline asked the proxy ${proxy} for a connection to ${host}; the proxy ${why}`,
    ['HTTPS_PROXY', 'NO_PROXY'],
    `configure the proxy to permit ${host}, correct HTTPS_PROXY, or add the host to NO_PROXY`,
  )
}

async function resolves(name: string): Promise<boolean> {
  if (isIP(name) > 0 || isLoopback(name)) return true
  return lookup(name).then(
    () => true,
    () => false,
  )
}

function connected(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: timeoutMs })
    socket
      .once('connect', () => {
        socket.setTimeout(0)
        resolve(socket)
      })
      .once('timeout', () => socket.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })))
      .once('error', reject)
  })
}

function portOf({ port, protocol }: URL): number {
  return Number(port || (protocol === 'https:' ? 443 : 80))
}
