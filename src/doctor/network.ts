import { lookup } from 'node:dns/promises'
import { connect, isIP, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { proxyFor } from '../browser/network-rules.ts'
import { withoutBrackets } from '../http/host.ts'
import { connectTls } from '../http/tls.ts'
import { openTunnel, TunnelRefused } from '../http/tunnel.ts'
import { isLoopback } from '../target/safety.ts'
import type { Target } from '../target/target.ts'
import { counted, listText } from '../text/format.ts'
import { type Diagnosis, diagnose } from './diagnosis.ts'

const timeoutMs = 5000

interface Origin {
  readonly url: URL
  /** Variables that contain this origin. */
  readonly variables: readonly string[]
}

/**
 * Examines name, port, proxy and TLS of every host of the target in turn, with one connection and handshake each. The
 * only HTTP request is CONNECT to a proxy.
 */
export async function examineNetwork(target: Target): Promise<{
  readonly diagnoses: readonly Diagnosis[]
  /** Origins whose diagnosis is an error. */
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
  const where = listText(names)
  const inAllNames = (what: string, advice: string): Diagnosis => ({
    ...diagnose.error('network', what, names, advice),
    inAll: true,
  })
  if (!(await resolves(withoutBrackets(hostname)))) {
    const advice = `correct the host in ${where}, or the DNS of this machine`
    return inAllNames(`the name ${withoutBrackets(hostname)} does not resolve`, advice)
  }
  let connection: Duplex
  try {
    connection = proxy
      ? await openTunnel(proxy, `${url.hostname}:${portOf(url)}`, timeoutMs)
      : await connected(withoutBrackets(url.hostname), portOf(url))
  } catch (error) {
    if (error instanceof TunnelRefused) return refusedTunnel(host, url.host, error.status)
    // Show only the code of the error: its message may contain an address.
    const { code = 'the connection was closed' } = error as { code?: string }
    return inAllNames(
      `${host} does not accept a connection (${code})`,
      code === 'ETIMEDOUT' && !proxy
        ? `a firewall may block it: set HTTPS_PROXY if you need a proxy, or correct the host and port in ${where}`
        : `start the server there, or correct the host and port in ${where}`,
    )
  }
  if (url.protocol !== 'https:') {
    connection.destroy()
    return diagnose.ok('network', `${url.host} accepts connections`, variables)
  }
  const through = proxy ? ` through the proxy ${host}` : ''
  return inspectCertificate(connection, url, variables, through)
}

function refusedTunnel(proxy: string, host: string, status: number): Diagnosis {
  const why = status === 407 ? 'requires credentials' : `refuses it (${status})`
  return diagnose.error(
    'network',
    `Plumbline asked the proxy ${proxy} for a connection to ${host}; the proxy ${why}`,
    ['HTTPS_PROXY', 'NO_PROXY'],
    `configure the proxy to permit ${host}, correct HTTPS_PROXY, or add the host to NO_PROXY`,
  )
}

async function resolves(name: string): Promise<boolean> {
  const isKnown = isIP(name) > 0 || isLoopback(name)
  return isKnown || (await lookup(name).catch(() => undefined)) !== undefined
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

/** A certificate that expires in fewer days is a warning. */
const fewDays = 14
const dayMs = 24 * 3600 * 1000

/**
 * Validates the certificate of the server at the other end of a connection, and closes the connection.
 * @param variables variables that contain the host
 * @param through the proxy, as a phrase in the message
 */
async function inspectCertificate(
  connection: Duplex,
  url: URL,
  variables: readonly string[],
  through: string,
): Promise<Diagnosis> {
  let socket: TLSSocket
  try {
    const host = withoutBrackets(url.hostname)
    // Accepts an invalid certificate, to find out what is wrong with it. No data is sent afterwards.
    socket = await connectTls({ socket: connection, rejectUnauthorized: false }, host, timeoutMs)
  } catch (error) {
    const { code = 'no answer' } = error as { code?: string }
    const what = `${url.host} accepts connections${through}, but the TLS handshake fails (${code})`
    const advice = `correct the scheme and port in ${listText(variables)}: the server there does not speak TLS`
    return diagnose.error('network', what, variables, advice)
  }
  const certificate = socket.getPeerX509Certificate()
  const problem = socket.authorizationError as unknown
  const protocol = socket.getProtocol()
  socket.destroy()
  const end = certificate ? new Date(certificate.validTo) : undefined
  if (problem) {
    const code = typeof problem === 'string' ? problem : ((problem as { code?: string }).code ?? 'unknown')
    return untrusted(code, url, variables, end, certificate?.subjectAltName)
  }
  const days = end ? Math.floor((end.getTime() - Date.now()) / dayMs) : Number.POSITIVE_INFINITY
  const reached = `${url.host} answers${through} with ${protocol}; its certificate is valid for`
  if (days >= fewDays) return diagnose.ok('network', `${reached} ${counted(days, 'more day')}`, variables)
  const advice = 'ask the operators of the target to renew it'
  return diagnose.warning('network', `${reached} only ${counted(days, 'more day')}`, variables, advice)
}

/** Explains the most common OpenSSL codes for an untrusted certificate. */
function untrusted(
  code: string,
  { host }: URL,
  variables: readonly string[],
  end: Date | undefined,
  names = '',
): Diagnosis {
  const error = (what: string, advice: string, concerned = variables) =>
    diagnose.error('network', `the certificate of ${host} ${what}`, concerned, advice)
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return error(
        `expired on ${dayOf(end)}`,
        'ask the operators of the target to renew it, or correct the clock of this machine',
      )
    case 'CERT_NOT_YET_VALID':
      return error(
        'is not valid yet',
        'correct the clock of this machine, or ask the operators of the target',
      )
    case 'ERR_TLS_CERT_ALTNAME_INVALID': {
      const valid = names.replaceAll(/DNS:|IP Address:/g, '').slice(0, 200) || 'none'
      return error(`is for other names (${valid})`, `correct the host in ${listText(variables)}`)
    }
    default:
      return error(
        `is not from an authority that this machine trusts (${code})`,
        "set NODE_EXTRA_CA_CERTS to a PEM file with the certificate of that authority, for example your company's or the proxy's",
        ['NODE_EXTRA_CA_CERTS', ...variables],
      )
  }
}

function dayOf(date: Date | undefined): string {
  return date && !Number.isNaN(date.getTime()) ? date.toISOString().slice(0, 10) : 'an unknown day'
}
