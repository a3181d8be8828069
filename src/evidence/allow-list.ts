import { masked, shownName } from './shape.ts'
import { isWord } from './words.ts'

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

/** Headers whose values are harmless. Others are shown by name only. */
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

/** Authentication schemes whose names are harmless. */
const schemes = new Set(['basic', 'bearer', 'digest', 'dpop', 'negotiate'])

/** Values short and harmlessValue enough to be shown; a plain parameter with a strange value is masked too. */
const harmlessValue = /^[\w .:+%/-]{0,64}$/

/**
 * An error name that has the form of one: at most 40 characters in words. What only RFC 6749, 5.2 allows, such as an
 * identifier or an address, is masked.
 */
export function errorName(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  return value.trim() !== '' && value.length <= 40 && value.split(' ').every(isWord) ? value : masked(value)
}

/** The value of a query or form parameter as it may be shown. */
export function parameterValue(name: string, value: string): string {
  if (name === 'error') return errorName(value) ?? ''
  return plainParameters.has(name) && harmlessValue.test(value) ? value : masked(value)
}

/** A query or form member as it may be shown. */
export function parameter(name: string, value: string): string {
  return `${shownName(name)}=${parameterValue(name, value)}`
}

/**
 * An address as it may be shown: origin and path, query values by the allow-list.
 * A fragment is shown by the names of its members.
 */
export function address(url: string | URL): string {
  const parsed = typeof url === 'string' ? safeUrl(url) : url
  if (!parsed) return masked(String(url))
  const query = [...parsed.searchParams].map(([name, value]) => parameter(name, value))
  const fragment = [...new URLSearchParams(parsed.hash.slice(1)).keys()]
  // Schemes of an application's own have no origin.
  const origin =
    parsed.origin === 'null' ? `${parsed.protocol}${parsed.host && `//${parsed.host}`}` : parsed.origin
  return (
    origin +
    pathOf(parsed) +
    (query.length > 0 ? `?${query.join('&')}` : '') +
    (fragment.length > 0 ? `#${fragment.map((name) => `${shownName(name)}=…`).join('&')}` : '')
  )
}

/** Path segments that look like identifiers (interaction ids, tokens in paths) are masked. */
function pathOf(url: URL): string {
  return url.pathname.split('/').map(shownName).join('/')
}

function safeUrl(url: string): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined
}

/** Headers by name; values only of harmless ones, scheme and error name of challenges, target of redirects. */
export function headers(
  all: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  const shown: Record<string, string> = {}
  for (const [rawName, rawValue] of Object.entries(all)) {
    if (rawValue === undefined) continue
    const name = rawName.toLowerCase()
    const value = typeof rawValue === 'string' ? rawValue : rawValue.join(', ')
    // Names are written by the target too.
    shown[shownName(name)] = headerValue(name, value)
  }
  return shown
}

function headerValue(name: string, value: string): string {
  if (name === 'location') return address(value)
  if (name === 'authorization') return `${schemeOf(value)} …`
  if (name === 'www-authenticate') {
    const error = /\berror="?([\w-]+)/.exec(value)?.[1]
    return `${schemeOf(value)}${error === undefined ? '' : ` error="${errorName(error)}"`} …`
  }
  return hasPlainValue(name, value) ? value : masked(value)
}

/** Whether a header's value may be shown: one of a harmless header that holds nothing but words and numbers. */
export function hasPlainValue(name: string, value: string): boolean {
  const pieces = value.split(/[\s,;:=/+*"'()]+/)
  return (
    plainHeaders.has(name.toLowerCase()) &&
    value.length <= 200 &&
    pieces.every((piece) => isWord(piece) || /^\d{1,10}$/.test(piece))
  )
}

function schemeOf(value: string): string {
  const scheme = value.split(' ', 1)[0] ?? ''
  return schemes.has(scheme.toLowerCase()) ? scheme : masked(scheme)
}

/** A media type as it may be shown. */
export function mediaType(value: string): string {
  return value.split(/[/+]/).every(isWord) ? value : masked(value)
}
