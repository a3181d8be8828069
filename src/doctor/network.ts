import { lookup } from 'node:dns/promises'
import { connect, isIP, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { proxyFor } from '../browser/network-rules.ts'
import { withoutBrackets } from '../http/host.ts'
import { openTunnel, TunnelRefused } from '../http/tunnel.ts'
import { isLoopback } from '../target/safety.ts'
import type { Target } from '../target/target.ts'
import { inspectCertificate } from './certificate.ts'
import { type Finding, finding } from './finding.ts'

const timeoutMs = 5000

/** Whether each origin of the target can be reached, with what was found. */
export interface Reachability {
  readonly findings: readonly Finding[]
  /** Origins that cannot be reached. */
  readonly unreachable: ReadonlySet<string>
}

interface Place {
  readonly url: URL
  /** Variables that name this host. */
  readonly variables: readonly string[]
}

/**
 * Name, port, proxy and TLS of every host of the target, one after the other: a connection and a handshake each, and
 * no HTTP request but a proxy's CONNECT.
 */
export async function examineNetwork(target: Target): Promise<Reachability> {
  const findings: Finding[] = []
  const unreachable = new Set<string>()
  for (const place of placesOf(target)) {
    const found = await examineHost(place, proxyFor(place.url.host, target.proxy))
    findings.push(...found)
    if (found.some(({ severity }) => severity === 'error')) unreachable.add(place.url.origin)
  }
  return { findings, unreachable }
}

function placesOf({ issuer, partnerApiUrl, jwksUrl }: Target): Place[] {
  const named = [
    ['IDP_BASE_URL', issuer],
    ['PARTNER_API_URL', partnerApiUrl],
    ...(jwksUrl === undefined ? [] : [['JWKS_URL', jwksUrl] as const]),
  ] as const
  const urls = named.map(([name, text]) => ({ name, url: new URL(text) }))
  return [...new Set(urls.map(({ url }) => url.origin))].map((origin) => ({
    url: new URL(origin),
    variables: urls.filter(({ url }) => url.origin === origin).map(({ name }) => name),
  }))
}

async function examineHost({ url, variables }: Place, proxy: URL | undefined): Promise<Finding[]> {
  const near = proxy ?? url
  const nearVariables = proxy ? ['HTTPS_PROXY'] : variables
  const error = (what: string, names: readonly string[], advice: string) => [
    finding('network', 'error', what, { variables: names, advice }),
  ]
  const name = withoutBrackets(near.hostname)
  if (!(await resolves(name))) {
    return error(
      `the name ${name} does not resolve`,
      nearVariables,
      `correct the host in ${nearVariables.join(' and ')}, or the DNS of this machine`,
    )
  }
  let connection: Duplex
  try {
    connection = proxy
      ? await openTunnel(proxy, `${url.hostname}:${portOf(url)}`, timeoutMs)
      : await connected(withoutBrackets(url.hostname), portOf(url))
  } catch (failure) {
    if (failure instanceof TunnelRefused) {
      const why = failure.status === 407 ? 'asks for credentials' : `refuses it (${failure.status})`
      return error(
        `the proxy ${near.host} was asked for a connection to ${url.host} and ${why}`,
        ['HTTPS_PROXY', 'NO_PROXY'],
        `have the proxy allow ${url.host}, correct HTTPS_PROXY, or name the host in NO_PROXY`,
      )
    }
    const code = codeOf(failure)
    return error(
      `${near.host} does not take a connection (${code})`,
      nearVariables,
      code === 'ETIMEDOUT' && !proxy
        ? `a firewall may be in between: set HTTPS_PROXY where one is needed, or correct ${nearVariables.join(' and ')}`
        : `correct host and port in ${nearVariables.join(' and ')}, or start what should listen there`,
    )
  }
  const way = proxy ? ` through the proxy ${proxy.host}` : ''
  if (url.protocol !== 'https:') {
    connection.destroy()
    return [finding('network', 'ok', `${url.host} takes connections`, { variables })]
  }
  return inspectCertificate(connection, url, { variables, way, timeoutMs })
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

/** Codes hold no address; messages may. */
function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : 'it broke off'
}
