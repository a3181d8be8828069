import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { loadClaimRecipe, loadLoginRecipe } from '../browser/index.ts'
import { cutOff, type Environment, type SourcedValue } from '../target/environment.ts'
import { isLoopback } from '../target/safety.ts'
import type { Target } from '../target/target.ts'
import { type VariableName, variableNames, variables } from '../target/variables.ts'
import { counted } from '../text/format.ts'
import { type Diagnosis, diagnose, diagnosesOf } from './diagnosis.ts'

/** Every variable that is set. */
export type Sources = ReadonlyMap<VariableName, SourcedValue>

/** A variable, its source, and the shape of its value (`shapeOfValue`). Both are null if the variable is not set. */
export interface ShownVariable {
  readonly name: string
  readonly source: string | null
  readonly shape: string | null
}

/**
 * Every variable, set or not.
 * @param target the value of the option `--target`, which takes the place of TARGET
 */
export function shownVariables(sources: Sources, target?: string): ShownVariable[] {
  return variableNames.map((name) => {
    if (name === 'TARGET' && target !== undefined) return { name, source: '--target', shape: target }
    const sourced = sources.get(name)
    const shape = sourced ? shapeOfValue(name, sourced.value) : null
    return { name, source: sourced?.source ?? null, shape }
  })
}

const warn = (name: string, what: string, advice: string) =>
  diagnose.warning('configuration', `${name} ${what}`, [name], advice)
const fail = (name: string, what: string, advice: string) =>
  diagnose.error('configuration', `${name} ${what}`, [name], advice)

/** Diagnoses mistakes in the values of variables, before their validation. */
export function valueDiagnoses(sources: Sources, env: Environment): Diagnosis[] {
  const found: Diagnosis[] = []
  for (const [name, sourced] of sources) {
    found.push(...mistakesIn(name, sourced))
    const file = sourced.overriddenFile
    if (file !== undefined && name !== 'TARGET') {
      const what = `in ${file} is ignored: the environment has another value`
      found.push(warn(name, what, `unset ${name} in the environment to use ${file}`))
    }
  }
  const secret = sources.get('CLIENT_SECRET')?.value.trim()
  if (secret !== undefined && secret === sources.get('CLIENT_ID')?.value.trim())
    found.push(warn('CLIENT_SECRET', 'equals CLIENT_ID', 'set it to the secret'))
  for (const name of ['https_proxy', 'HTTP_PROXY', 'http_proxy']) {
    const what = `is not set; Plumbline does not read ${name}, which is set`
    if (env[name] && !sources.has('HTTPS_PROXY'))
      found.push(warn('HTTPS_PROXY', what, 'set HTTPS_PROXY if you need a proxy'))
  }
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    const advice = 'unset it; NODE_EXTRA_CA_CERTS adds a certificate authority'
    found.push(warn('NODE_TLS_REJECT_UNAUTHORIZED', 'is 0, so Node accepts every certificate', advice))
  }
  return found
}

/** Diagnoses of the files that variables name, of the report directory, and of host names. */
export function fileDiagnoses(target: Target, sources: Sources): Diagnosis[] {
  const { loginRecipe, claimRecipe } = target
  return [
    ...recipeDiagnoses('LOGIN_RECIPE', loginRecipe, loadLoginRecipe, target.name),
    // Reports a valid recipe only if the user set it, because the embedded provider sets a recipe of its own.
    ...recipeDiagnoses(
      'CLAIM_RECIPE',
      claimRecipe,
      (path) => loadClaimRecipe(path, target),
      target.name,
    ).filter(({ severity }) => severity !== 'ok' || sources.has('CLAIM_RECIPE')),
    ...authorityDiagnoses(sources.get('NODE_EXTRA_CA_CERTS')),
    ...reportDiagnoses(target),
    ...hostDiagnoses(target),
  ]
}

/** Parts of the host names of test deployments. */
const testWords =
  /(?:^|[.-])(?:uat|test|tst|stage|staging|stg|dev|int|qa|sandbox|preprod|acc|demo|local)\d*(?=[.-]|$)/i

/** Warns of hosts that may belong to production, because a UAT run sends wrong credentials. */
function hostDiagnoses({ name, hosts }: Target): Diagnosis[] {
  if (name !== 'uat') return []
  const doubtful = hosts.filter((host) => !testWords.test(host) && !isLoopback(host.replace(/:\d+$/, '')))
  return doubtful.map((host) => {
    const what = `is uat, but the host name ${host} does not look like that of a test deployment`
    return warn('TARGET', what, 'make sure that it is not production; if it is, list it in PRODUCTION_HOSTS')
  })
}

function recipeDiagnoses(
  name: string,
  path: string | undefined,
  load: (path: string) => unknown,
  target: string,
): Diagnosis[] {
  if (path === undefined) return []
  try {
    load(path)
    return [diagnose.ok('configuration', `${name} points to a valid recipe`, [name])]
  } catch (error) {
    return diagnosesOf('configuration', error, [name], target)
  }
}

/** Diagnoses NODE_EXTRA_CA_CERTS, which Node reads only from the environment, when it starts. */
function authorityDiagnoses(sourced: SourcedValue | undefined): Diagnosis[] {
  if (!sourced) return []
  const { source, value } = sourced
  const name = 'NODE_EXTRA_CA_CERTS'
  if (source !== 'the environment')
    return [fail(name, `is set in ${source}, where Node does not look`, 'set it in the environment')]
  try {
    if (readFileSync(value, 'utf8').includes('-----BEGIN CERTIFICATE-----')) return []
    return [fail(name, 'points to a file without certificates', 'set it to a PEM file')]
  } catch {
    return [
      fail(name, 'points to a file that cannot be read', `for example ${name}=${variables[name].example}`),
    ]
  }
}

function reportDiagnoses({ reportDir }: Target): Diagnosis[] {
  let directory = resolve(reportDir)
  while (!existsSync(directory)) directory = dirname(directory)
  try {
    accessSync(directory, constants.W_OK)
    return []
  } catch {
    const what = `leads to ${directory}, which is not writable`
    return [fail('REPORT_DIR', what, 'use a directory of your own, for example REPORT_DIR=reports')]
  }
}

const kindsOfCharacters: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['lower-case letters', /[a-z]/],
  ['upper-case letters', /[A-Z]/],
  ['digits', /\d/],
  ['white space', /\s/],
  ['punctuation', /[!-/:-@[-`{-~]/],
  ['characters beyond ASCII', /[^\0-\x7f]/],
]

/**
 * The shape of a value, which may be shown:
 * - of a setting, the value itself
 * - of an address, the address without user name, password and query
 * - of an identifier or secret, the length and the kinds of characters
 */
function shapeOfValue(name: VariableName, value: string): string {
  const text = value.trim()
  const { kind } = variables[name]
  if (kind === 'address') return shapeOfAddress(text)
  return kind === 'setting' && /^[\x20-\x7e]{1,200}$/.test(text) ? text : shapeOfText(text)
}

function shapeOfAddress(text: string): string {
  if (!URL.canParse(text))
    return text.includes('://')
      ? `not a URL: ${shapeOfText(text)}`
      : 'no scheme: an address begins with https://'
  const { protocol, host, pathname, username, password, search, hash } = new URL(text)
  const parts = [
    pathname === '/' && text.endsWith('/') && 'with a trailing slash',
    pathname !== '/' && `path ${pathname}`,
    pathname !== '/' && pathname.endsWith('/') && 'which ends in a slash',
    username + password !== '' && 'with a user name or password',
    search !== '' && 'with a query',
    hash !== '' && 'with a fragment',
  ]
  return [`${protocol}//${host}`, ...parts.filter(Boolean)].join(', ')
}

function shapeOfText(text: string): string {
  const found = kindsOfCharacters.filter(([, pattern]) => pattern.test(text)).map(([name]) => name)
  return `${counted(text.length, 'character')}: ${found.join(', ')}`
}

/** Hosts and addresses reserved for documentation (RFC 2606, RFC 5737). */
const placeholder = /\bexample\.com\b|\b192\.0\.2\./

/** Diagnoses of common mistakes in one value, the likeliest first. */
function mistakesIn(name: VariableName, { value, source, cut }: SourcedValue): Diagnosis[] {
  const { kind, example } = variables[name]
  const text = value.trim()
  const path = kind === 'address' && URL.canParse(text) ? new URL(text).pathname : ''
  const found: Diagnosis[] = []
  const rule = (severity: 'error' | 'warning') => (applies: boolean, what: string, advice: string) => {
    if (applies)
      found.push(diagnose[severity]('configuration', `${name} in ${source} ${what}`, [name], advice))
  }
  const [failIf, warnIf] = [rule('error'), rule('warning')]
  // `readEnvironment` refuses values of other kinds that are cut off.
  failIf(cut && kind === 'setting', cutOff.what, cutOff.advice)
  warnIf(
    /^(['"`‘’“”]).*(['"`‘’“”])$/s.test(text),
    'begins and ends with quotes, which are part of the value',
    'remove the quotes: only .env files need them',
  )
  warnIf(
    /^\$\{?\w+\}?$|^%\w+%$|\$\{\{.*\}\}|^<.*>$/.test(text),
    'looks like a placeholder that was not replaced',
    'let the CI job or the shell insert the value, or write the value itself',
  )
  warnIf(
    text === 'change-me' || (text === example && (kind !== 'setting' || placeholder.test(example))),
    'is the example value',
    'use the value of the deployment',
  )
  const hasWhiteSpace = kind !== 'setting' && /\s/.test(text)
  warnIf(hasWhiteSpace, 'contains white space', 'copy the value again, without line breaks')
  const hasInvisible = /[\u200b-\u200f\u2060\ufeff\u00a0]/.test(text)
  warnIf(hasInvisible, 'contains an invisible character', 'type the value, or copy it from plain text')
  warnIf(
    kind === 'secret' && text !== value,
    'has white space around it, which Plumbline removes',
    'remove it; a secret cannot begin or end with white space',
  )
  failIf(
    name === 'IDP_BASE_URL' && /\/\.well-known\/|\/mga\/sps\//.test(path),
    'contains the path of an endpoint',
    'remove the path: {base_url} ends before /.well-known and /mga',
  )
  failIf(
    name === 'PARTNER_API_URL' && /\/events(?:\/search)?\/?$/.test(path),
    'contains the path of the event search',
    'remove /events/search: {partner_api_url} ends before it',
  )
  failIf(
    name === 'JWKS_URL' && path.endsWith('/openid-configuration'),
    'is the address of the discovery document',
    'set it to the address of the key set, or unset it: Plumbline then uses the address in discovery',
  )
  warnIf(
    name.endsWith('REDIRECT_URI') && text.includes('#'),
    'has a fragment, which a redirect URI must not have (RFC 6749, 3.1.2)',
    'use the registered value, character for character',
  )
  return found
}
