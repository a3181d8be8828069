import type { SourcedValue } from '../target/environment.ts'
import { type VariableName, variables } from '../target/variables.ts'
import { counted } from '../text/format.ts'
import { type Diagnosis, diagnose } from './diagnosis.ts'

const kindsOfCharacters: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['lower-case letters', /[a-z]/],
  ['upper-case letters', /[A-Z]/],
  ['digits', /\d/],
  ['white space', /\s/],
  ['punctuation', /[!-/:-@[-`{-~]/],
  ['characters beyond ASCII', /[^\0-\x7f]/],
]

/**
 * A value as it may be shown: a setting literally, an address without user name, password and query, an identifier or
 * secret as its length and kinds of characters.
 */
export function shapeOfValue(name: VariableName, value: string): string {
  const text = value.trim()
  const { kind } = variables[name]
  if (kind === 'address') return shapeOfAddress(text)
  return kind === 'setting' && /^[\x20-\x7e]{1,200}$/.test(text) ? text : shapeOfText(text)
}

function shapeOfAddress(text: string): string {
  if (!URL.canParse(text)) return `not a URL: ${shapeOfText(text)}`
  const { protocol, host, pathname, username, password, search, hash } = new URL(text)
  const root = text.endsWith('/') ? 'with a trailing slash' : 'without a path'
  const parts = [
    pathname === '/' ? root : `path ${pathname}`,
    pathname !== '/' && pathname.endsWith('/') && 'which ends in a slash',
    username + password !== '' && 'with a user name or password',
    search !== '' && 'with a query',
    hash !== '' && 'with a fragment',
  ]
  return `${protocol}//${host}, ${parts.filter(Boolean).join(', ')}`
}

function shapeOfText(text: string): string {
  const found = kindsOfCharacters.filter(([, pattern]) => pattern.test(text)).map(([name]) => name)
  return `${counted(text.length, 'character')}: ${found.join(', ')}`
}

/** Hosts and addresses reserved for documentation (RFC 2606, RFC 5737). */
const placeholder = /\bexample\.com\b|\b192\.0\.2\./

/** Diagnoses of common mistakes in one value, the likeliest first. */
export function mistakesIn(name: VariableName, { value, source, cut }: SourcedValue): Diagnosis[] {
  const { kind, example } = variables[name]
  const text = value.trim()
  const path = kind === 'address' && URL.canParse(text) ? new URL(text).pathname : ''
  const found: Diagnosis[] = []
  const rule = (severity: 'error' | 'warning') => (applies: boolean, what: string, advice: string) => {
    if (applies)
      found.push(diagnose[severity]('configuration', `${name} in ${source} ${what}`, [name], advice))
  }
  const [fail, warn] = [rule('error'), rule('warning')]
  fail(cut, 'is cut off at a #, which begins a comment', 'put the value in single quotes')
  warn(
    /^(['"`‘’“”]).*(['"`‘’“”])$/s.test(text),
    'begins and ends with quotes, which are part of the value',
    'remove the quotes: only .env files need them',
  )
  warn(
    /^\$\{?\w+\}?$|^%\w+%$|\$\{\{.*\}\}|^<.*>$/.test(text),
    'looks like a placeholder that was not replaced',
    'let the CI job or the shell insert the value, or write the value itself',
  )
  warn(
    text === 'change-me' || (text === example && (kind !== 'setting' || placeholder.test(example))),
    'is the example value',
    'use the value of the deployment',
  )
  const words = kind !== 'setting' && /\s/.test(text)
  warn(words, 'contains white space', 'copy the value again, without line breaks')
  const invisible = /[\u200b-\u200f\u2060\ufeff\u00a0]/.test(text)
  warn(invisible, 'contains an invisible character', 'type the value, or copy it from plain text')
  warn(
    kind === 'secret' && text !== value,
    'has white space around it, which Plumbline removes',
    'remove it; a secret cannot begin or end with white space',
  )
  fail(
    name === 'IDP_BASE_URL' && /\/\.well-known\/|\/mga\/sps\//.test(path),
    'contains the path of an endpoint',
    'remove the path: {base_url} ends before /.well-known and /mga',
  )
  fail(
    name === 'PARTNER_API_URL' && /\/events(?:\/search)?\/?$/.test(path),
    'contains the path of the event search',
    'remove /events/search: {partner_api_url} ends before it',
  )
  fail(
    name === 'JWKS_URL' && path.endsWith('/openid-configuration'),
    'is the address of the discovery document',
    'set it to the address of the key set, or unset it: discovery names the key set',
  )
  warn(
    name.endsWith('REDIRECT_URI') && text.includes('#'),
    'has a fragment, which a redirect URI must not have (RFC 6749, 3.1.2)',
    'use the registered value, character for character',
  )
  return found
}
