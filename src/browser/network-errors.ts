import { HttpFailure } from '../http/failures.ts'

/** What Chromium calls an error status without a body. */
export const emptyResponse = 'net::ERR_HTTP_RESPONSE_CODE_FAILURE'
export const aborted = 'net::ERR_ABORTED'

/** The code of a network error, such as net::ERR_CONNECTION_REFUSED; library messages contain addresses. */
export function errorCode(message: string | undefined): string {
  return /net::[A-Z_0-9]+/.exec(message ?? '')?.[0] ?? 'the request was given up'
}

/** What happened, and what to do about it. */
export function unreachable(code: string): string {
  if (/CERT|SSL/.test(code)) {
    return `the browser does not trust the target's certificate (${code}); NODE_EXTRA_CA_CERTS names more authorities`
  }
  if (/PROXY|TUNNEL/.test(code)) {
    return `the browser did not get through the proxy (${code}); check HTTPS_PROXY and NO_PROXY`
  }
  if (code === 'net::ERR_TOO_MANY_REDIRECTS') return 'the target redirected the browser in a circle'
  return `the browser could not reach the target (${code})`
}

/** The target sent the browser to a host that is not one of its own, most likely for the login. */
export function unknownHost(url: string): HttpFailure {
  const parsed = URL.parse(url)
  const where = parsed ? parsed.host || parsed.protocol : 'an address that cannot be read'
  return new HttpFailure(
    'host-refused',
    `the target sent the browser to ${where}, which is not one of its hosts, so it was not followed; if the login is there, name it under hosts in a login recipe (LOGIN_RECIPE)`,
  )
}
