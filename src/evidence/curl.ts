import { hasPlainValue, shownValue } from './allow-list.ts'
import { isWord } from './words.ts'

export interface CurlRequest {
  readonly method: string
  readonly url: URL
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly form?: readonly (readonly [name: string, value: string])[] | undefined
  readonly json?: Readonly<Record<string, unknown>> | undefined
}

/** Headers whose values come from the configuration, with their shell variables. */
const headerVariables: Readonly<Record<string, string>> = {
  'x-client-id': '$PARTNER_CLIENT_ID',
  'x-client-secret': '$PARTNER_CLIENT_SECRET',
}

/**
 * A curl command that repeats a request. Instead of each value outside the allow-list, the command contains a shell
 * variable, such as `$CODE_VERIFIER`. You set these variables first.
 */
export function curlCommand({ method, url, headers, form, json }: CurlRequest): string {
  const parts = ['curl', '--include']
  if (method !== 'GET') parts.push('--request', method)
  for (const [name, value] of headers) {
    if (name.toLowerCase() === 'content-type' && form) continue
    parts.push(...header(name, value))
  }
  for (const [name, value] of form ?? []) parts.push('--data-urlencode', member(name, value))
  if (form?.length === 0) parts.push('--data', '""')
  if (json) parts.push('--data', `"${jsonBody(json)}"`)
  const query = [...url.searchParams]
  // --url-query needs curl 7.87.
  if (query.length > 0 && method === 'GET' && !form) parts.push('--get')
  for (const [name, value] of query) {
    parts.push(method === 'GET' && !form ? '--data-urlencode' : '--url-query', member(name, value))
  }
  const path = url.pathname
    .split('/')
    .map((segment, index) => (isWord(segment) ? literal(segment) : `$PATH_SEGMENT_${index}`))
  // Otherwise, curl would expand brackets and braces, such as `[1-3]`, even in the value of a variable.
  if (/[[\]{}$]/.test(url.host + path)) parts.push('--globoff')
  parts.push(`"${url.origin}${path.join('/')}"`)
  return parts.join(' ')
}

function header(name: string, value: string): string[] {
  const lower = name.toLowerCase()
  if (lower === 'authorization') {
    return /^basic /i.test(value)
      ? ['--user', '"$CLIENT_ID:$CLIENT_SECRET"']
      : ['--header', '"Authorization: Bearer $ACCESS_TOKEN"']
  }
  const shown = headerVariables[lower] ?? (hasPlainValue(name, value) ? literal(value) : variable(name))
  return ['--header', `"${literal(name)}: ${shown}"`]
}

/** `name=value` for the option --data-urlencode of curl, which encodes only the value. The name is encoded here. */
function member(name: string, value: string): string {
  const shown = shownValue(name, value) === value ? literal(value) : variable(name)
  return `"${isWord(name) ? literal(encodeURIComponent(name)) : '$PARAMETER_NAME'}=${shown}"`
}

/** A JSON object for a shell's double quotes. Each string becomes a variable named after its member. */
function jsonBody(json: Readonly<Record<string, unknown>>): string {
  const members = Object.entries(json).map(([name, value]) => {
    const shown = typeof value === 'string' ? literal('"') + variable(name) + literal('"') : jsonValue(value)
    return `${literal(JSON.stringify(isWord(name) ? name : 'member'))}:${shown}`
  })
  return `{${members.join(',')}}`
}

/** A harmless value, or an array of harmless values, as JSON; otherwise a variable. */
function jsonValue(value: unknown): string {
  const isPlain = (item: unknown) =>
    typeof item === 'string' ? isWord(item) : item === null || typeof item !== 'object'
  const shown = Array.isArray(value) ? value.every(isPlain) : isPlain(value)
  return shown ? literal(JSON.stringify(value)) : '$VALUE'
}

function variable(name: string): string {
  return isWord(name) && /^[A-Za-z_]/.test(name) ? `$${name.replaceAll(/\W/g, '_').toUpperCase()}` : '$VALUE'
}

/** Text escaped for double quotes, in a script and at an interactive prompt. */
function literal(text: string): string {
  return text.replaceAll(/[\\"$`]/g, '\\$&').replaceAll('!', `"'!'"`)
}
