import { counted } from '../text/format.ts'

/** Variables whose values tell nothing about anybody, so that they may be shown as they are. */
const plain: ReadonlySet<string> = new Set([
  'TARGET',
  'PRODUCTION_HOSTS',
  'CLIENT_AUTH_METHOD',
  'SCOPE',
  'LOGIN_RECIPE',
  'CLAIM_RECIPE',
  'REQUIRED_ACR',
  'ACR_ORDER',
  'EVENT_TIME_ZONE',
  'EVENT_WINDOW_FROM',
  'EVENT_WINDOW_TO',
  'WEBHOOK_RECEIVER_PORT',
  'ENABLE',
  'REQUESTS_PER_SECOND',
  'REQUEST_BUDGET',
  'LOGIN_BUDGET',
  'LOAD_MAX_RATE',
  'LOAD_MAX_REQUESTS',
  'LOAD_MAX_SECONDS',
  'ALLOW_PRODUCTION_LOAD',
  'LOAD_SOURCE_ADDRESSES',
  'NO_PROXY',
  'CHROMIUM_PATH',
  'SEED',
  'REPORT_DIR',
  'NODE_EXTRA_CA_CERTS',
])

const kinds: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['lower-case letters', /[a-z]/],
  ['upper-case letters', /[A-Z]/],
  ['digits', /\d/],
  ['white space', /\s/],
  ['signs', /[!-/:-@[-`{-~]/],
  ['characters beyond ASCII', /[^\0-\x7f]/],
]

/** Whether the value of a variable may be shown as it is. */
export function isShown(name: string): boolean {
  return plain.has(name)
}

/** Whether a variable holds an address. */
export function isAddress(name: string): boolean {
  return /_UR[LI]$/.test(name) || name === 'HTTPS_PROXY'
}

/**
 * A value as it may be shown: as it is where it is harmless, an address without user name, password and values of its
 * query, and of everything else only length and kinds of characters.
 */
export function shapeOfValue(name: string, value: string): string {
  const text = value.trim()
  if (isAddress(name)) return shapeOfAddress(text)
  if (isShown(name) && /^[\x20-\x7e]{1,200}$/.test(text)) return text
  return shapeOfText(text)
}

function shapeOfAddress(text: string): string {
  if (!URL.canParse(text)) return `no address: ${shapeOfText(text)}`
  const { protocol, host, pathname, username, password, search, hash } = new URL(text)
  const parts = [
    pathname === '/' ? (text.endsWith('/') ? 'with a trailing slash' : 'without a path') : `path ${pathname}`,
    ...(pathname !== '/' && pathname.endsWith('/') ? ['which ends in a slash'] : []),
    ...(username + password === '' ? [] : ['with a user name or password']),
    ...(search === '' ? [] : ['with a query']),
    ...(hash === '' ? [] : ['with a fragment']),
  ]
  return `${protocol}//${host}, ${parts.join(', ')}`
}

function shapeOfText(text: string): string {
  const found = kinds.filter(([, pattern]) => pattern.test(text)).map(([name]) => name)
  return `${counted(text.length, 'character')}: ${found.join(', ')}`
}
