import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect, type TLSSocket } from 'node:tls'
import { withoutBrackets } from '../http/host.ts'
import { counted } from '../text/format.ts'
import { type Finding, finding } from './finding.ts'

/** A certificate that ends sooner is told, in days. */
const soonDays = 14
const dayMs = 24 * 3600 * 1000

export interface Handshake {
  /** Variables that name the host. */
  readonly variables: readonly string[]
  /** How it was reached, for the sentence. */
  readonly way: string
  readonly timeoutMs: number
}

/** Chain, host name and end of validity of the certificate at the other end of a connection, which ends here. */
export async function inspectCertificate(
  connection: Duplex,
  url: URL,
  { variables, way, timeoutMs }: Handshake,
): Promise<Finding[]> {
  const host = withoutBrackets(url.hostname)
  let socket: TLSSocket
  try {
    socket = await handshake(connection, host, timeoutMs)
  } catch (error) {
    const { code = 'no answer' } = error as { code?: string }
    return [
      finding(
        'network',
        'error',
        `${url.host} takes connections${way}, but no TLS handshake succeeds (${code})`,
        {
          variables,
          advice: `correct scheme and port in ${variables.join(' and ')}: something else than https answers there`,
        },
      ),
    ]
  }
  const certificate = socket.getPeerX509Certificate()
  const problem = socket.authorizationError as unknown
  const protocol = socket.getProtocol()
  socket.destroy()
  const end = certificate ? new Date(certificate.validTo) : undefined
  if (problem) {
    const code = typeof problem === 'string' ? problem : ((problem as { code?: string }).code ?? 'unknown')
    return [untrusted(code, url, variables, end, certificate?.subjectAltName)]
  }
  const days = end ? Math.floor((end.getTime() - Date.now()) / dayMs) : Number.POSITIVE_INFINITY
  const told = `${url.host} is reached${way} by ${protocol}, its certificate holds`
  if (days >= soonDays)
    return [finding('network', 'ok', `${told} for ${counted(days, 'day')} more`, { variables })]
  return [
    finding('network', 'warning', `${told} for only ${counted(days, 'day')} more`, {
      variables,
      advice: 'tell those who run the target',
    }),
  ]
}

/** What is behind the commonest reasons of OpenSSL not to believe a certificate. */
function untrusted(
  code: string,
  url: URL,
  variables: readonly string[],
  end: Date | undefined,
  names: string | undefined,
): Finding {
  if (code === 'CERT_HAS_EXPIRED') {
    return finding('network', 'error', `the certificate of ${url.host} has expired on ${dayOf(end)}`, {
      variables,
      advice: 'tell those who run the target, or correct the clock of this machine',
    })
  }
  if (code === 'CERT_NOT_YET_VALID') {
    return finding('network', 'error', `the certificate of ${url.host} is not valid yet`, {
      variables,
      advice: 'correct the clock of this machine, or tell those who run the target',
    })
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const valid = (names ?? '').replaceAll(/DNS:|IP Address:/g, '').slice(0, 200)
    return finding(
      'network',
      'error',
      `the certificate of ${url.host} is for other names (${valid || 'none'})`,
      {
        variables,
        advice: `correct the host in ${variables.join(' and ')}`,
      },
    )
  }
  return finding(
    'network',
    'error',
    `the certificate of ${url.host} was signed by nobody whom this machine trusts (${code})`,
    {
      variables: ['NODE_EXTRA_CA_CERTS', ...variables],
      advice:
        "set NODE_EXTRA_CA_CERTS to a file with the certificate of the authority that signed it, for example a company's or a proxy's",
    },
  )
}

function handshake(connection: Duplex, host: string, timeoutMs: number): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    // Whether it can be believed is what is asked here; nothing is sent over it.
    const socket = connect({
      socket: connection,
      rejectUnauthorized: false,
      host,
      ...(isIP(host) ? {} : { servername: host }),
    })
    socket.setTimeout(timeoutMs, () => socket.destroy(Object.assign(new Error(), { code: 'ETIMEDOUT' })))
    socket.once('secureConnect', () => resolve(socket))
    socket.once('error', reject)
  })
}

function dayOf(date: Date | undefined): string {
  return date && !Number.isNaN(date.getTime()) ? date.toISOString().slice(0, 10) : 'an unknown day'
}
