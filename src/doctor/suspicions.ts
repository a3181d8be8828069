import type { SourcedValue } from '../target/sources.ts'
import { examples } from '../target/variables.ts'
import type { Severity } from './finding.ts'
import { isAddress, isShown } from './value-shape.ts'

/** Something about a value that is seldom meant. */
export interface Suspicion {
  readonly severity: Extract<Severity, 'error' | 'warning'>
  /** Follows the name of the variable. */
  readonly what: string
  readonly advice: string
}

/** In examples of what everybody has to have of their own: hosts and addresses of documentation (RFC 2606, RFC 5737). */
const nobodys = /\bexample\.com\b|\b192\.0\.2\./

/** Whether the example of a variable is a value that somebody may well mean: a number, a name that many share. */
function isMeant(name: string, example: string): boolean {
  return isShown(name) && !nobodys.test(example)
}

interface Rule {
  readonly severity: Suspicion['severity']
  readonly applies: (name: string, text: string, sourced: SourcedValue) => boolean
  readonly what: (sourced: SourcedValue) => string
  readonly advice: string
}

const isOneWord = (name: string) => isAddress(name) || /_(?:ID|SECRET|PASSWORD|USER)$/.test(name)
const endsIn = (endings: RegExp) => (text: string) =>
  URL.canParse(text) && endings.test(new URL(text).pathname)

const rules: readonly Rule[] = [
  {
    severity: 'error',
    applies: (_name, _text, { cut }) => cut,
    what: ({ source }) => `is cut off at a # in ${source}`,
    advice: 'put the value in single quotes',
  },
  {
    severity: 'warning',
    applies: (_name, text) => /^(['"`‘’“”]).*(['"`‘’“”])$/s.test(text),
    what: () => 'begins and ends with quotes, which are part of the value',
    advice: 'take the quotes away where they are not meant: only .env files take them off',
  },
  {
    severity: 'warning',
    applies: (_name, text) => /^\$\{?\w+\}?$|^%\w+%$|\$\{\{.*\}\}|^<.*>$/.test(text),
    what: () => 'looks like the name of another variable that nobody has put in',
    advice: 'have the CI job or the shell put in the value, or write it out',
  },
  {
    severity: 'warning',
    applies: (name, text) => text === 'change-me' || (text === examples[name] && !isMeant(name, text)),
    what: () => 'is the value of the example',
    advice: 'put in the value of the deployment',
  },
  {
    severity: 'warning',
    applies: (name, text) => isOneWord(name) && /\s/.test(text),
    what: () => 'has white space inside',
    advice: 'copy it again, without line ends',
  },
  {
    severity: 'warning',
    applies: (_name, text) => /[\u200b-\u200f\u2060\ufeff\u00a0]/.test(text),
    what: () => 'has a character that cannot be seen',
    advice: 'type it, or copy it from a plain text',
  },
  {
    severity: 'warning',
    applies: (name, text, { value }) => /SECRET|PASSWORD/.test(name) && text !== value,
    what: () => 'has white space around it, which is left out',
    advice: 'take it away; a secret that begins or ends with white space cannot be used',
  },
  {
    severity: 'error',
    applies: (name, text) => name === 'IDP_BASE_URL' && endsIn(/\/\.well-known\/|\/mga\/sps\//)(text),
    what: () => 'holds the path of an endpoint',
    advice: 'leave that path away: {base_url} is what stands before /.well-known and /mga',
  },
  {
    severity: 'error',
    applies: (name, text) => name === 'PARTNER_API_URL' && endsIn(/\/events(?:\/search)?\/?$/)(text),
    what: () => 'holds the path of the event search',
    advice: 'leave /events/search away: {partner_api_url} is what stands before it',
  },
  {
    severity: 'error',
    applies: (name, text) => name === 'JWKS_URL' && endsIn(/\/openid-configuration$/)(text),
    what: () => 'is the address of the discovery document',
    advice: 'name the key set, or leave it out to have it found by discovery',
  },
  {
    severity: 'warning',
    applies: (name, text) => /REDIRECT_URI$/.test(name) && text.includes('#'),
    what: () => 'has a fragment, which a redirect URI must not have (RFC 6749, 3.1.2)',
    advice: 'use the registered value character for character',
  },
]

/** What of a value is seldom meant, the likeliest mistake first. */
export function suspicions(name: string, sourced: SourcedValue): Suspicion[] {
  const text = sourced.value.trim()
  return rules
    .filter(({ applies }) => applies(name, text, sourced))
    .map(({ severity, what, advice }) => ({ severity, what: what(sourced), advice }))
}
