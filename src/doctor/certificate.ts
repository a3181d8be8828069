import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect, type TLSSocket } from 'node:tls'
import { withoutBrackets } from '../http/host.ts'
import { counted } from '../text/format.ts'
import { type Diagnosis, diagnose } from './diagnosis.ts'

/** A certificate with fewer days of validity is a warning. */
const fewDays = 14
const dayMs = 24 * 3600 * 1000

interface Handshake {
  /** Variables that name the host. */
  readonly variables: readonly string[]
  /** The proxy, as a phrase in the message. */
  readonly through: string
  readonly timeoutMs: number
}

/** Validates the certificate of the server at the other end of a connection, and closes the connection. */
export async function inspectCertificate(
  connection: Duplex,
  url: URL,
  { variables, through, timeoutMs }: Handshake,
): Promise<Diagnosis> {
  let socket: TLSSocket
  try {
    socket = await handshake(connection, withoutBrackets(url.hostname), timeoutMs)
  } catch (error) {
    const { code = 'no answer' } = error as { code?: string }
    const what = `${url.host} accepts connections${through}, but the TLS handshake fails (${code})`
    const advice = `correct the scheme and port in ${variables.join(' and ')}: the server there does not speak TLS`
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
      return error(`is for other names (${valid})`, `correct the host in ${variables.join(' and ')}`)
    }
    default:
      return error(
        `is not from an authority that this machine trusts (${code})`,
        "set NODE_EXTRA_CA_CERTS to a PEM file with the certificate of that authority, for example your company's or the proxy's",
        ['NODE_EXTRA_CA_CERTS', ...variables],
      )
  }
}

function handshake(connection: Duplex, host: string, timeoutMs: number): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    // The handshake accepts every certificate, to find out what is wrong with it. No data is sent afterwards.
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
