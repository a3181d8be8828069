import { errorName } from '../evidence/allow-list.ts'
import { masked } from '../evidence/shape.ts'
import type { HttpResponse } from '../http/response.ts'
import { tokenNames } from '../oauth/disclosed-tokens.ts'
import { isGiven } from '../text/json.ts'
import { type Finding, Violation } from './verdict.ts'

/** How an endpoint refuses a request: `[400, 'invalid_grant']`. */
export type RefusalError = readonly [status: number, error: string]

/** A judged response. It has an exchange if Plumbline recorded its request. */
type Judged = Partial<Pick<HttpResponse, 'exchange'>>

/**
 * Expectations of a check. Each states the expected and the actual value, without secrets, and is counted: a check that
 * ends without an expectation is inconclusive.
 */
export class Expect {
  readonly #note: (text: string) => void
  #count = 0
  #request: string | undefined
  /** The last judged response: a finding refers to its exchange. */
  #judged: Judged | undefined

  constructor(note: (text: string) => void) {
    this.#note = note
  }

  get count(): number {
    return this.#count
  }

  /**
   * Describes the request for the findings that follow: as the valid request, or by its one difference from the valid
   * request.
   * @param judged its response, if the next expectations judge only this response and get texts about it
   */
  describeRequest(request: string, judged?: Judged): void {
    this.#request = request
    this.#judged = judged
  }

  /**
   * Expects a condition to hold.
   * @param actual a response for the finding to describe, or a text about the response that was judged last
   * @param advice what to check before you blame the target
   * @throws {Violation} if the condition does not hold
   */
  that(condition: boolean, expected: string, actual: string | HttpResponse, advice?: string): void {
    this.#count += 1
    if (typeof actual !== 'string') this.#judged = actual
    if (condition) return
    this.violated({ expected, actual: typeof actual === 'string' ? actual : describe(actual) }, advice)
  }

  /** Reports a violation that the check itself has established. @throws {Violation} always */
  violated(violation: Omit<Finding, 'request' | 'exchange'>, advice?: string): never {
    this.#count += 1
    const exchange = this.#judged?.exchange && { exchange: this.#judged.exchange.number }
    throw new Violation({ request: this.#request ?? null, ...exchange, ...violation }, advice)
  }

  /** Expects one of these statuses. */
  status(response: HttpResponse, ...expected: readonly number[]): void {
    this.that(expected.includes(response.status), `status ${expected.join(' or ')}`, response)
  }

  /** Expects a refusal with any status of 300 or above. */
  anyRefusal(response: HttpResponse): void {
    const { status } = response
    this.#judged = response
    this.that(status >= 300, 'a refusal with any status', `status ${status}`)
  }

  /**
   * Expects the token endpoint to issue no token, and to return a status of 300 or above.
   * @param advice what to check before you blame the target
   */
  refused(response: HttpResponse, advice?: string): void {
    this.#expectNoTokens(isTokenRefusal(response), response, advice)
  }

  /** Expects the token endpoint to issue no token, with any status. */
  issuesNothing(response: HttpResponse): void {
    this.#expectNoTokens(issuesNothing(response), response)
  }

  #expectNoTokens(condition: boolean, response: HttpResponse, advice?: string): void {
    const issued = issuedIn(response)
    const actual = issued.length > 0 ? `${response.status} with ${issued.join(', ')}` : describe(response)
    this.#judged = response
    this.that(condition, 'a refusal without tokens', actual, advice)
  }

  /**
   * Expects one of the permitted pairs of status and error; the first pair is the documented one, and a response with
   * another pair adds a note. A finding lists the nearest pairs first: those with the actual error, then those with
   * the actual status.
   */
  permittedError(response: HttpResponse, ...permitted: readonly RefusalError[]): void {
    const { status, object } = response
    const distance = ([expected, error]: RefusalError) =>
      object?.error === error ? 0 : status === expected ? 1 : 2
    const pairs = permitted.toSorted((a, b) => distance(a) - distance(b)).map((pair) => pair.join(' '))
    const name = errorName(object?.error)
    const actual = name ? `${status} ${name}` : describe(response)
    this.#judged = response
    this.that(isPermittedError(response, ...permitted), pairs.join(', or '), actual)
    const [first] = permitted
    if (first && !isPermittedError(response, first))
      this.#note(
        `the error is ${actual}, which is also permitted; the documented error is ${first.join(' ')}`,
      )
  }

  /** Expects a string that is not blank. */
  text(value: unknown, what: string): string {
    this.that(isText(value), `${what} as a non-empty string`, `${what}: ${kindOfText(value)}`)
    return String(value)
  }

  /** Expects the body of a response to be a JSON object. */
  object(response: HttpResponse): Readonly<Record<string, unknown>> {
    this.that(response.object !== undefined, 'a JSON object', response)
    return response.object ?? {}
  }
}

/** Whether a value is a string that is not blank. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

/** Whether a response has one of the permitted pairs of status and error. */
export function isPermittedError(
  { status, object }: HttpResponse,
  ...permitted: readonly RefusalError[]
): boolean {
  return permitted.some(([expected, error]) => status === expected && object?.error === error)
}

/** Whether a response of the token endpoint contains no token, and has a status of 300 or above. */
export function isTokenRefusal(response: HttpResponse): boolean {
  return issuesNothing(response) && response.status >= 300
}

/** Whether a response of the token endpoint contains no token, whatever its status. */
export function issuesNothing(response: HttpResponse): boolean {
  return issuedIn(response).length === 0
}

/** Names of the token members that have a value; if there are none, the kinds of tokens anywhere in the response. */
function issuedIn({ object, disclosedTokens }: HttpResponse): readonly string[] {
  const issued = tokenNames.filter((name) => isGiven(object?.[name]))
  return issued.length > 0 ? issued : disclosedTokens
}

/** A response in few words: its status, and its error name or the kind of its body. */
export function describe(response: HttpResponse): string {
  return `${response.status} ${describeBody(response)}`
}

function describeBody(response: HttpResponse): string {
  if (response.text === '') return 'without a body'
  if (response.json === undefined) {
    if (response.mediaType === 'text/html') return 'with an HTML page'
    return response.isUtf8 ? 'with a body that is not JSON' : 'with a body that is not UTF-8, thus not JSON'
  }
  if (response.object === undefined) return 'with JSON that is not an object'
  const { error } = response.object
  const name = errorName(error)
  if (name !== undefined) return `with error=${name}`
  if (error !== undefined) return `with a JSON body whose "error" is ${kindOf(error)}`
  return response.status < 400 ? 'with a JSON body' : 'with a JSON body that has no "error" member'
}

/** The kind of a JSON value, never the value. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'absent'
  if (value === null) return 'null'
  if (value === '') return 'an empty string'
  if (Array.isArray(value))
    return `an array with ${value.length === 1 ? '1 element' : `${value.length} elements`}`
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** The kind of a value that should be a string. A string of blanks counts as empty. */
export function kindOfText(value: unknown): string {
  return kindOf(typeof value === 'string' ? value.trim() : value)
}

/**
 * Describes the wrong value of a member without showing it: `no nonce`, `a different nonce`, `nonce: null`.
 */
export function differentValue(name: string, value: unknown): string {
  if (value === undefined) return `no ${name}`
  return typeof value === 'string' && value !== '' ? `a different ${name}` : `${name}: ${kindOf(value)}`
}

/**
 * Quotes a value that is not a secret, such as an issuer or a media type. The target chooses the value, so it may
 * contain anything: a value with unusual characters or with more than 100 characters is masked.
 */
export function quotedOrMasked(value: unknown): string {
  if (typeof value !== 'string') return kindOf(value)
  return /^[\w .:/+-]{1,100}$/.test(value) ? JSON.stringify(value) : masked(value)
}
