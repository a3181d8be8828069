/** RFC 3986, appendix B, with the components of the authority (3.2). */
const parts =
  /^(?<scheme>[^:/?#]+):(?<authority>\/\/(?<user>[^/?#@]*@)?(?<host>\[[^\]]*\]|[^:/?#]*)(?<port>:\d*)?)?(?<path>[^?#]*)(?<afterPath>.*)$/s

interface Parts {
  readonly scheme: string
  /** Without an authority, user, host and port are empty. */
  readonly hasAuthority: boolean
  readonly user: string
  readonly host: string
  readonly port: string
  readonly path: string
  /** Query and fragment. */
  readonly afterPath: string
}

/** A redirect URI that differs from the registered one in one respect. */
interface AlteredRedirectUri {
  readonly uri: string
  /** The difference, such as `with a trailing slash`; follows "the redirect URI". */
  readonly how: string
}

type Alterations = Readonly<Record<string, AlteredRedirectUri | false>>

/** Names of alterations, such as `trailing slash`. */
export type UriAlteration = keyof ReturnType<typeof alterations>

/**
 * A redirect URI that differs from a registered one in exactly one respect. It is composed as text, because a URL
 * parser would also normalise other parts. Another host is below `.invalid` (RFC 6761) or below the registered host, so
 * that no third party can own it.
 * @returns undefined if the registered redirect URI has no such part
 */
export function alteredRedirectUri(
  registered: string,
  alteration: UriAlteration,
): AlteredRedirectUri | undefined {
  const original = partsOf(registered)
  const altered = original && alterations(registered, original)[alteration]
  return altered && altered.uri !== registered ? altered : undefined
}

function partsOf(registered: string): Parts | undefined {
  const groups = parts.exec(registered)?.groups
  if (!groups) return undefined
  const { scheme = '', authority, user = '', host = '', port = '', path = '', afterPath = '' } = groups
  return { scheme, hasAuthority: authority !== undefined, user, host, port, path, afterPath }
}

function alterations(registered: string, original: Parts) {
  return { ...otherAddresses(original), ...otherParts(registered, original), ...otherSpellings(original) }
}

/** Redirect URIs that differ from the registered one even after normalisation (RFC 3986, 6.2.3). */
function otherAddresses(original: Parts) {
  const { scheme, host, port, path } = original
  const altered = alter(original)
  const hasHost = host !== ''
  const isRoot = path === '' || path === '/'
  const otherPort = port === ':8443' ? ':9443' : ':8443'
  const otherScheme = scheme.toLowerCase() === 'https' ? 'http' : 'https'
  const flipped = flipCase(path)
  return {
    host:
      hasHost &&
      (host.startsWith('[')
        ? altered('on the host `plumbline.invalid`', { host: 'plumbline.invalid' })
        : altered('with `.plumbline.invalid` after its host', { host: `${host}.plumbline.invalid` })),
    'host below it':
      hasHost &&
      isDomainName(host) &&
      altered('with `plumbline.` before its host', { host: `plumbline.${host}` }),
    port: hasHost && altered(`with the port ${otherPort.slice(1)}`, { port: otherPort }),
    path: altered('with `/more` after its path', { path: `${path.replace(/\/$/, '')}/more` }),
    'trailing slash':
      !isRoot &&
      (path.endsWith('/')
        ? altered('without its trailing slash', { path: path.slice(0, -1) })
        : altered('with a trailing slash', { path: `${path}/` })),
    'letter case': altered(`with its path in ${flipped.to} case`, { path: flipped.text }),
    scheme: alterWeb(original)(`with the scheme ${otherScheme}`, { scheme: otherScheme }),
  } satisfies Alterations
}

/**
 * Redirect URIs with an added part. A target may accept them if it compares only some parts, such as the beginning of
 * the path.
 */
function otherParts(registered: string, original: Parts) {
  const { user, path, afterPath } = original
  const altered = alterWeb(original)
  return {
    query: { how: 'with one more query parameter', uri: withAddedQuery(registered) },
    'user name': user === '' && altered('with `plumbline@` before its host', { user: 'plumbline@' }),
    fragment:
      !afterPath.includes('#') &&
      altered('with the fragment `#plumbline`', { afterPath: `${afterPath}#plumbline` }),
    'dot segment': altered('with `/../plumbline-elsewhere` after its path', {
      path: `${path.replace(/\/$/, '')}/../plumbline-elsewhere`,
    }),
    'double slash': altered('with a second slash before its path', { path: `/${path || '/'}` }),
  } satisfies Alterations
}

/** Other spellings of a registered web address, which are equal after normalisation (RFC 3986, 6.2). */
function otherSpellings(original: Parts) {
  const { scheme, host, port, path } = original
  const altered = alterWeb(original)
  const flipped = flipCase(host)
  const standardPort = scheme.toLowerCase() === 'https' ? ':443' : ':80'
  return {
    'case of its host': altered(`with its host in ${flipped.to} case`, { host: flipped.text }),
    'standard port':
      port === standardPort
        ? altered('without its port, the standard one', { port: '' })
        : port === '' && altered(`with the standard port ${standardPort.slice(1)}`, { port: standardPort }),
    'encoded letter': altered('with a percent-encoded letter in its path', { path: encodeLetter(path) }),
    'redundant dot segment': altered('with `/.` before its path', { path: `/.${path || '/'}` }),
  } satisfies Alterations
}

function alter({ scheme, hasAuthority, user, host, port, path, afterPath }: Parts) {
  return (how: string, change: Partial<Parts>): AlteredRedirectUri => {
    const authority = hasAuthority
      ? `//${change.user ?? user}${change.host ?? host}${change.port ?? port}`
      : ''
    return {
      how,
      uri: `${change.scheme ?? scheme}:${authority}${change.path ?? path}${change.afterPath ?? afterPath}`,
    }
  }
}

/** Like `alter` for http and https URIs. For any other scheme, every alteration is false. */
function alterWeb(original: Parts) {
  return /^https?$/i.test(original.scheme) ? alter(original) : () => false as const
}

/** Whether a host can have subdomains: it is not an IP address. */
function isDomainName(host: string): boolean {
  return !host.startsWith('[') && !/^[\d.]+$/.test(host)
}

/** Changes the case of all letters outside percent-encoded octets, whose case does not matter (RFC 3986, 6.2.2.1). */
function flipCase(text: string): { readonly to: 'upper' | 'lower'; readonly text: string } {
  const change = (to: (letter: string) => string): string =>
    text.replaceAll(/%[0-9A-Fa-f]{2}|[A-Za-z]/g, (part) => (part.length === 1 ? to(part) : part))
  const upper = change((letter) => letter.toUpperCase())
  return upper === text
    ? { to: 'lower', text: change((letter) => letter.toLowerCase()) }
    : { to: 'upper', text: upper }
}

/** Percent-encodes the last letter that is not part of an encoded octet. */
function encodeLetter(path: string): string {
  const octetsAndCharacters = path.match(/%[0-9A-Fa-f]{2}|./g) ?? []
  const last = octetsAndCharacters.findLastIndex((part) => /^[A-Za-z]$/.test(part))
  return octetsAndCharacters
    .map((part, index) => (index === last ? `%${part.charCodeAt(0).toString(16).toUpperCase()}` : part))
    .join('')
}

/** Whether two addresses have the same normalised scheme, user, host, port and path (RFC 3986, 6.2.2 and 6.2.3). */
export function sameAddress(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) =>
    URL.canParse(text) ? new URL(text).href.split(/[?#]/, 1)[0] : undefined,
  )
  return first !== undefined && first === second
}

function withAddedQuery(registered: string): string {
  const [address = '', fragment] = registered.split('#', 2)
  const added = `${address}${address.includes('?') ? '&' : '?'}plumbline=1`
  return fragment === undefined ? added : `${added}#${fragment}`
}

/** A request with an altered redirect URI, in words. @param how as returned by `alteredRedirectUri` */
export function requestWithRedirectUri(how: string): string {
  return `the valid request, except for its redirect URI: the registered one ${how}`
}
