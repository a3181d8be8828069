/**
 * Redirect URIs that differ from a registered one in exactly one part, and the part.
 * Other hosts are below the reserved top-level domain `.invalid` (RFC 6761), so nobody can own them.
 */
export function alteredRedirectUris(registered: string): readonly (readonly [part: string, uri: string])[] {
  const alter = (change: (url: URL) => void): string => {
    const url = new URL(registered)
    change(url)
    return url.href
  }
  const { pathname } = new URL(registered)
  return [
    ['host', alter((url) => (url.hostname = `${url.hostname}.plumbline.invalid`))],
    ['port', alter((url) => (url.port = url.port === '8443' ? '9443' : '8443'))],
    ['path', alter((url) => (url.pathname = `${pathname.replace(/\/$/, '')}/more`))],
    [
      'trailing slash',
      alter((url) => (url.pathname = pathname.endsWith('/') ? pathname.slice(0, -1) : `${pathname}/`)),
    ],
    ['letter case in its path', alter((url) => (url.pathname = flipCase(pathname)))],
    [
      'scheme',
      registered.replace(/^(\w+):/, (_, scheme: string) => (scheme === 'https' ? 'http:' : 'https:')),
    ],
  ].filter((entry): entry is [string, string] => entry[1] !== registered)
}

function flipCase(text: string): string {
  const upper = text.toUpperCase()
  return upper === text ? text.toLowerCase() : upper
}
