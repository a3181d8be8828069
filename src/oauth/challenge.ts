import type { HttpResponse } from '../http/response.ts'

/** One challenge of a WWW-Authenticate header (RFC 9110, 11.6.1). */
export interface Challenge {
  /** Scheme in lower case. */
  readonly scheme: string
  /** Unquoted parameters by name in lower case. */
  readonly parameters: Readonly<Record<string, string>>
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const parameter = new RegExp(`^(${token})\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|(${token}))`)
/** A scheme, with an optional value that is not a list of parameters (RFC 9110, 11.2). */
const schemeStart = new RegExp(`^(${token})(?:\\s+([A-Za-z0-9._~+/-]+=*)(?=\\s*(?:,|$)))?`)

/**
 * Parses the challenges of a WWW-Authenticate header.
 * @returns undefined if the header does not follow the grammar
 */
export function challenges(header: string): Challenge[] | undefined {
  const found: { scheme: string; parameters: Record<string, string> }[] = []
  let remaining = afterSeparators(header)
  while (remaining !== '') {
    const pair = parameter.exec(remaining)
    const current = found.at(-1)
    if (pair && current) {
      const [whole, name = '', quoted, bare] = pair
      current.parameters[name.toLowerCase()] = quoted?.replaceAll(/\\(.)/g, '$1') ?? bare ?? ''
      remaining = remaining.slice(whole.length)
    } else {
      const start = schemeStart.exec(remaining)
      if (!start) return undefined
      found.push({ scheme: (start[1] ?? '').toLowerCase(), parameters: {} })
      remaining = remaining.slice(start[0].length)
    }
    remaining = afterSeparators(remaining)
  }
  return found
}

function afterSeparators(text: string): string {
  return text.replace(/^[\s,]+/, '')
}

/** The Bearer challenges of a response (RFC 6750, 3); empty if WWW-Authenticate is absent or malformed. */
export function bearerChallenges(response: HttpResponse): Challenge[] {
  const found = challenges(response.header('www-authenticate') ?? '') ?? []
  return found.filter(({ scheme }) => scheme === 'bearer')
}
