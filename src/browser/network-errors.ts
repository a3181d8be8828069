import { shownHost } from '../evidence/allow-list.ts'
import { HttpFailure } from '../http/failures.ts'
import type { Failed } from './landing.ts'

/** Chromium's code for an error status without a body. */
export const emptyResponse = 'net::ERR_HTTP_RESPONSE_CODE_FAILURE'
export const aborted = 'net::ERR_ABORTED'

/** The code of a network error, such as `net::ERR_CONNECTION_REFUSED`, without addresses that the message contains. */
export function errorCode(message: string | undefined): string {
  return /net::[A-Z_0-9]+/.exec(message ?? '')?.[0] ?? 'the request was aborted'
}

/** Why the browser could not load from the target, and what to change. @param code of Chromium */
export function unreachable(code: string): Pick<Failed, 'reason' | 'variables' | 'advice'> {
  if (/CERT|SSL/.test(code)) {
    const reason = `the browser does not trust the target's certificate (${code})`
    const advice = 'set NODE_EXTRA_CA_CERTS to a file with the certificate authority'
    return { reason, variables: ['NODE_EXTRA_CA_CERTS'], advice }
  }
  if (/PROXY|TUNNEL/.test(code)) {
    const reason = `the browser could not connect through the proxy (${code})`
    return { reason, variables: ['HTTPS_PROXY', 'NO_PROXY'], advice: 'check HTTPS_PROXY and NO_PROXY' }
  }
  if (code === 'net::ERR_TOO_MANY_REDIRECTS') return { reason: 'the target redirected the browser in a loop' }
  return { reason: `the browser could not reach the target (${code})` }
}

/** The failure after a redirect to a host that is not configured. The host probably belongs to the login pages. */
export function unknownHost(url: string): HttpFailure {
  const parsed = URL.parse(url)
  const where = parsed ? shownHost(parsed.host) || parsed.protocol : 'an address that cannot be read'
  return new HttpFailure(
    'host-refused',
    `the target sent the browser to ${where}, which is not a configured host, so the browser did not go there`,
    {
      variables: ['LOGIN_RECIPE'],
      advice: 'if the login pages are on that host, add it under hosts in a login recipe (LOGIN_RECIPE)',
    },
  )
}
