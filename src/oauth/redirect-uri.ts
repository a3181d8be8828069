/** RFC 3986, appendix B, with the components of the authority (3.2). */
const parts =
  /^(?<scheme>[^:/?#]+):(?<authority>\/\/(?<user>[^/?#@]*@)?(?<host>\[[^\]]*\]|[^:/?#]*)(?<port>:\d*)?)?(?<path>[^?#]*)(?<rest>.*)$/s

/**
 * Redirect URIs that differ from a registered one in exactly one part, with the name of the part. They are composed as
 * text, because a URL parser would also normalise other parts. Only parts that the URI has are altered, and no
 * alternative is equivalent to the registered URI (RFC 3986, 6.2.3). Other hosts are below the reserved top-level domain
 * `.invalid` (RFC 6761), or below the registered host, so that no third party can own them.
 */
export function alteredRedirectUris(registered: string): readonly (readonly [part: string, uri: string])[] {
  const found = parts.exec(registered)?.groups
  if (!found) return []
  const { scheme = '', authority, user = '', host = '', port = '', path = '', rest = '' } = found
  const hasHost = host !== ''
  const compose = (change: { scheme?: string; host?: string; port?: string; path?: string }): string =>
    `${change.scheme ?? scheme}:${
      authority === undefined ? '' : `//${user}${change.host ?? host}${change.port ?? port}`
    }${change.path ?? path}${rest}`
  const isWeb = /^https?$/i.test(scheme)
  const isRoot = path === '' || path === '/'
  const altered: [string, string | false][] = [
    ['host', hasHost && compose({ host: `${host.startsWith('[') ? '' : `${host}.`}plumbline.invalid` })],
    ['host below it', hasHost && isName(host) && compose({ host: `plumbline.${host}` })],
    ['port', hasHost && compose({ port: port === ':8443' ? ':9443' : ':8443' })],
    ['path', compose({ path: `${path.replace(/\/$/, '')}/more` })],
    ['trailing slash', !isRoot && compose({ path: path.endsWith('/') ? path.slice(0, -1) : `${path}/` })],
    ['letter case in its path', compose({ path: flipCase(path) })],
    ['scheme', isWeb && compose({ scheme: scheme.toLowerCase() === 'https' ? 'http' : 'https' })],
  ]
  return altered.filter((entry): entry is [string, string] => entry[1] !== false && entry[1] !== registered)
}

/**
 * Redirect URIs that only a comparison of the whole text tells from a web address that is registered, and the part:
 * with a user name, with a fragment, and with a dot segment that leads to another resource of the same folder.
 */
export function disguisedRedirectUris(registered: string): readonly (readonly [part: string, uri: string])[] {
  const found = parts.exec(registered)?.groups
  if (!found || !/^https?$/i.test(found.scheme ?? '')) return []
  const { scheme = '', user, host = '', port = '', path = '', rest = '' } = found
  const compose = (userName: string, ofPath: string) =>
    `${scheme}://${userName}${host}${port}${ofPath}${rest}`
  const disguised: [string, string | false][] = [
    ['user name', user === undefined && compose('plumbline@', path)],
    ['fragment', !rest.includes('#') && `${registered}#plumbline`],
    ['dot segment', compose(user ?? '', `${path.replace(/\/$/, '')}/../plumbline-elsewhere`)],
  ]
  return disguised.filter((entry): entry is [string, string] => entry[1] !== false)
}

/** Whether a host is a domain name, which can have others below it, and no IP address. */
function isName(host: string): boolean {
  return !host.startsWith('[') && !/^[\d.]+$/.test(host)
}

/** Changes the case of letters, except in percent-encoded octets, where it makes no difference (RFC 3986, 6.2.2.1). */
function flipCase(path: string): string {
  const change = (to: (text: string) => string): string =>
    path.replaceAll(/%[0-9A-Fa-f]{2}|[A-Za-z]/g, (part) => (part.length === 1 ? to(part) : part))
  const upper = change((letter) => letter.toUpperCase())
  return upper === path ? change((letter) => letter.toLowerCase()) : upper
}

/** Whether two addresses have the same scheme, user, host, port and path (RFC 3986, 6.2.2 and 6.2.3). */
export function sameAddress(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) =>
    URL.canParse(text) ? new URL(text).href.split(/[?#]/, 1)[0] : undefined,
  )
  return first !== undefined && first === second
}

/** The registered redirect URI with an additional query parameter. */
export function withAddedQuery(registered: string): string {
  const [address = '', fragment] = registered.split('#', 2)
  const added = `${address}${address.includes('?') ? '&' : '?'}plumbline=1`
  return fragment === undefined ? added : `${added}#${fragment}`
}
