import { masked, shownName } from './shape.ts'
import { isWord } from './words.ts'

// What evidence may show of requests and responses. Everything else is masked.

/** Query and form parameters whose values are harmless protocol words, numbers or times. */
const plainParameters = new Set([
  'response_type',
  'code_challenge_method',
  'prompt',
  'scope',
  'grant_type',
  'token_type_hint',
  'acr_values',
  'auth_level',
  'from',
  'to',
  'page',
  'pageSize',
])

/** Headers whose values are harmless words, numbers or times. */
const plainHeaders = new Set([
  'accept',
  'age',
  'allow',
  'cache-control',
  'connection',
  'content-length',
  'content-type',
  'date',
  'expires',
  'pragma',
  'ratelimit',
  'ratelimit-limit',
  'ratelimit-policy',
  'ratelimit-remaining',
  'ratelimit-reset',
  'retry-after',
  'strict-transport-security',
  'vary',
])

/** Authentication schemes that may be shown. Any other text in their place may be a secret. */
const schemes = new Set(['basic', 'bearer', 'digest', 'dpop', 'negotiate'])

const harmlessValue = /^[\w .:+%/-]{0,64}$/

/** An error name, masked unless it is harmless; undefined if the value is not a string. */
export function errorName(value: unknown): string | undefined {
  return typeof value === 'string' ? shownError(value) : undefined
}

/**
 * An error name, masked unless it consists of words with at most 40 characters in total. RFC 6749, section 5.2 permits
 * longer names. Quotation marks show white space at its beginning and end.
 */
function shownError(value: string): string {
  if (value.trim() === '' || value.length > 40 || !value.split(' ').every(isWord)) return masked(value)
  return value === value.trim() ? value : `"${value}"`
}

/** The value of a query or form parameter, masked unless it is harmless. */
export function shownValue(name: string, value: string): string {
  if (name === 'error') return shownError(value)
  return plainParameters.has(name) && harmlessValue.test(value) ? value : masked(value)
}

export function shownParameter(name: string, value: string): string {
  return `${shownName(name)}=${shownValue(name, value)}`
}

/** An address with masks for all parts that may be secret. Of a fragment, only names are shown: `#access_token=…`. */
export function shownAddress(url: string | URL): string {
  const parsed = URL.parse(String(url))
  if (!parsed) return masked(String(url))
  const query = [...parsed.searchParams].map(([name, value]) => shownParameter(name, value))
  const fragment = [...new URLSearchParams(parsed.hash.slice(1)).keys()]
  const host = parsed.host && `//${shownHost(parsed.host)}`
  return (
    parsed.protocol +
    host +
    shownPath(parsed) +
    (query.length > 0 ? `?${query.join('&')}` : '') +
    (fragment.length > 0 ? `#${fragment.map((name) => `${shownName(name)}=…`).join('&')}` : '')
  )
}

/** Host labels with at most this many characters are always shown, such as `ip-10-24-31-7`. */
const longestShownLabel = 19

/** A host with its port, if any. Labels with more than 19 characters are masked unless they look like words. */
export function shownHost(host: string): string {
  const isShown = (label: string) => label.length <= longestShownLabel || isWord(label)
  return host
    .split('.')
    .map((label) => (isShown(label) ? label : masked(label)))
    .join('.')
}

/** The path of an address. Segments that look like identifiers or tokens are masked. */
function shownPath(url: URL): string {
  return url.pathname.split('/').map(shownName).join('/')
}

/**
 * Headers by name in lower case. Shows harmless values, the scheme of credentials, the scheme and error of a challenge
 * (WWW-Authenticate), and the address of a redirect. Other values are masked.
 */
export function shownHeaders(
  all: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  const shown: Record<string, string> = {}
  for (const [rawName, rawValue] of Object.entries(all)) {
    if (rawValue === undefined) continue
    const name = rawName.toLowerCase()
    const value = typeof rawValue === 'string' ? rawValue : rawValue.join(', ')
    // The target chooses names too, so a name can be a secret.
    shown[shownName(name)] = headerValue(name, value)
  }
  return shown
}

function headerValue(name: string, value: string): string {
  if (name === 'location') return shownAddress(value)
  if (name === 'authorization') return credentialsOf(value)
  if (name === 'www-authenticate') {
    const error = /\berror="?([\w-]+)/.exec(value)?.[1]
    return `${schemeOf(value)}${error === undefined ? '' : ` error="${shownError(error)}"`} …`
  }
  return hasPlainValue(name, value) ? value : masked(value)
}

/** Whether a header is harmless and its value consists of words and numbers, so that the value may be shown. */
export function hasPlainValue(name: string, value: string): boolean {
  const pieces = value.split(/[\s,;:=/+*"'()]/)
  return (
    plainHeaders.has(name.toLowerCase()) &&
    value.length <= 200 &&
    pieces.every((piece) => isWord(piece) || /^\d{1,10}$/.test(piece))
  )
}

/** The value of an Authorization header with masked credentials. Equal credentials have equal digests. */
function credentialsOf(value: string): string {
  const space = value.indexOf(' ')
  return space === -1 ? schemeOf(value) : `${schemeOf(value)} ${masked(value.slice(space + 1))}`
}

function schemeOf(value: string): string {
  const scheme = value.replace(/ .*/s, '')
  return schemes.has(scheme.toLowerCase()) ? scheme : masked(scheme)
}

/** A media type, masked unless it consists of words. */
export function shownMediaType(value: string): string {
  return value.split(/[/+]/).every(isWord) ? value : masked(value)
}
