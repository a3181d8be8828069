/** Limits of untrusted JSON. */
interface JsonLimits {
  /** Levels of nested arrays and objects. */
  readonly depth: number
  /** Items of arrays and members of objects in total. A member counts twice. */
  readonly members: number
}

/** The error for untrusted JSON that exceeds a limit. */
export class JsonExcess extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'JsonExcess'
  }
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Finds which limit a JSON text exceeds, without parsing the text: recursion over a deep value would overflow the
 * stack, and a wide value would exhaust the memory.
 * @returns a clause such as `nests deeper than 64 levels`; undefined within the limits, even if the text is not JSON
 */
export function jsonExcess(text: string, { depth: deepest, members: most }: JsonLimits): string | undefined {
  let depth = 0
  let members = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (code === openBracket || code === openBrace) depth += 1
    else if (code === closeBracket || code === closeBrace) depth -= 1
    else if (code === comma || code === colon) members += 1
    if (depth > deepest) return `nests deeper than ${deepest} levels`
    // A member of an object counts twice, for its colon and its comma: it takes about twice the memory of an item.
    if (members > most) return `contains more than ${most} values`
  }
  return undefined
}

/** The position of the closing quotation mark of a string, or the end of the text. */
function endOfString(text: string, begin: number): number {
  let end = text.indexOf('"', begin + 1)
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end < 0 ? text.length : end
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes += 1
  return backslashes % 2 === 1
}

/**
 * Parses untrusted JSON.
 * @throws {JsonExcess} beyond the limits; {SyntaxError} if the text is not JSON
 */
export function parseJson(text: string, limits: JsonLimits): unknown {
  const excess = jsonExcess(text, limits)
  if (excess !== undefined) throw new JsonExcess(excess)
  return JSON.parse(text)
}

/** The JSON value of a trusted text; undefined if it is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Members of objects and items of arrays at all depths of a JSON value. A value precedes the values inside it. */
export function membersIn(json: unknown): [name: string, value: unknown][] {
  if (typeof json !== 'object' || json === null) return []
  return Object.entries(json).flatMap((member) => [member, ...membersIn(member[1])])
}

/** Objects at all depths of a JSON value, including the value itself. */
export function objectsIn(json: unknown): Readonly<Record<string, unknown>>[] {
  return [json, ...membersIn(json).map(([, value]) => value)].filter(isObject)
}

/** Whether a value is present: not undefined, null or an empty string. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

/** Whether a JSON value is an object and not an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
