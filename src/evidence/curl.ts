import { parameterValue } from './allow-list.ts'

/** What is needed to write a request down as a curl command. */
export interface CurlRequest {
  readonly method: string
  readonly url: URL
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly form?: readonly (readonly [name: string, value: string])[]
}

/** Header values that name a variable of the configuration. */
const headerVariables: Readonly<Record<string, string>> = {
  'x-client-id': '$PARTNER_CLIENT_ID',
  'x-client-secret': '$PARTNER_CLIENT_SECRET',
}

/**
 * The request as a curl command a person can run after setting the variables it names.
 * Values outside the allow-list become variables named after their parameter.
 */
export function curlCommand({ method, url, headers, form }: CurlRequest): string {
  const parts = ['curl', '--include']
  if (method !== 'GET') parts.push('--request', method)
  for (const [name, value] of headers) {
    const lower = name.toLowerCase()
    if (lower === 'content-type' && form) continue
    if (lower === 'authorization') {
      if (value.startsWith('Basic ')) parts.push('--user', '"$CLIENT_ID:$CLIENT_SECRET"')
      else parts.push('--header', '"Authorization: Bearer $ACCESS_TOKEN"')
      continue
    }
    parts.push('--header', `"${name}: ${headerVariables[lower] ?? value}"`)
  }
  for (const [name, value] of form ?? []) parts.push('--data-urlencode', `"${name}=${shown(name, value)}"`)
  const query = [...url.searchParams].map(
    ([name, value]) => `${name}=${shown(name, value).replaceAll('+', '%2B').replaceAll(' ', '%20')}`,
  )
  parts.push(`"${url.origin}${url.pathname}${query.length > 0 ? `?${query.join('&')}` : ''}"`)
  return parts.join(' ')
}

function shown(name: string, value: string): string {
  const plain = parameterValue(name, value)
  return plain === value ? value : `$${name.replaceAll(/\W/g, '_').toUpperCase()}`
}
