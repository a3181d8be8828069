import type { IncomingHttpHeaders } from 'node:http'
import { counted, milliseconds } from '../../src/text/format.ts'
import type { Characterisation, Identified, Interval } from '../limiter/index.ts'

/** A limit that a response announces (draft-ietf-httpapi-ratelimit-headers and the older X-RateLimit fields). */
interface Announced {
  readonly limit?: number
  readonly windowMs?: number
  readonly remaining?: number
}

/** The limit in the rate limit fields of a response; undefined without such fields. Malformed fields are ignored. */
export function announcedIn(headers: IncomingHttpHeaders): Announced | undefined {
  const field = (name: string) => String(headers[name] ?? headers[`x-${name}`] ?? '')
  // In the draft, q is the limit, w the window in seconds, and r the number of remaining requests.
  const policy = field('ratelimit-policy')
  const current = field('ratelimit')
  const limitField = field('ratelimit-limit')
  const limit =
    wholeNumber(policy, /;\s*q=(\d+)/) ??
    wholeNumber(current, /\blimit=(\d+)/) ??
    wholeNumber(limitField, /^(\d+)/)
  const seconds = wholeNumber(policy, /;\s*w=(\d+)/) ?? wholeNumber(limitField, /;\s*w=(\d+)/)
  const remaining =
    wholeNumber(current, /;\s*r=(\d+)/) ??
    wholeNumber(current, /\bremaining=(\d+)/) ??
    wholeNumber(field('ratelimit-remaining'), /^(\d+)$/)
  if (limit === undefined && remaining === undefined) return undefined
  return {
    ...(limit !== undefined && { limit }),
    ...(seconds !== undefined && { windowMs: seconds * 1000 }),
    ...(remaining !== undefined && { remaining }),
  }
}

function wholeNumber(text: string, pattern: RegExp): number | undefined {
  const digits = pattern.exec(text.trim())?.[1]
  const value = Number(digits)
  return digits !== undefined && Number.isSafeInteger(value) ? value : undefined
}

/** The rate limit fields of all responses of a probe. */
export class Announcements {
  #first: Announced | undefined
  /** Number of requests with a 429 although the response before it announced remaining requests. */
  #refusedAnyway = 0
  /** Remaining requests that the previous response announced; undefined after a 429. */
  #remaining: number | undefined

  add(headers: IncomingHttpHeaders, wasThrottled: boolean): void {
    const announced = announcedIn(headers)
    this.#first ??= announced
    if (wasThrottled && this.#remaining !== undefined && this.#remaining > 0) this.#refusedAnyway += 1
    // Remaining requests in a 429 are ignored: they may be those of the next window.
    this.#remaining = wasThrottled ? undefined : announced?.remaining
  }

  /** Compares the announced limit with the responses, in one clause; undefined without an announcement. */
  comparedWith(found: Characterisation): string | undefined {
    if (this.#first === undefined) return undefined
    const { limit, windowMs } = this.#first
    const size = limit === undefined ? 'the remaining requests' : counted(limit, 'request')
    const name = `announced: ${size}${windowMs === undefined ? '' : ` in ${milliseconds(windowMs)}`}`
    const contradictions = [
      ...(this.#refusedAnyway > 0
        ? [
            `${counted(this.#refusedAnyway, 'request')} refused although the previous response announced remaining requests`,
          ]
        : []),
      ...(found.result === 'identified' ? differences(this.#first, found) : []),
    ]
    if (contradictions.length > 0) return `${name}, but ${contradictions.join(', and ')}`
    return found.result === 'identified' ? `${name}, which agrees with the responses` : name
  }

  get observations(): Readonly<Record<string, number | null>> {
    if (this.#first === undefined) return {}
    const { limit = null, windowMs = null } = this.#first
    return { 'announced-limit': limit, 'announced-window-ms': windowMs }
  }
}

function differences(
  { limit, windowMs }: Announced,
  { capacity, capacityInterval, windowMs: found, windowInterval }: Identified,
): string[] {
  const isOutside = (value?: number, interval?: Interval) =>
    value !== undefined && interval !== undefined && (value < interval.low || value > interval.high)
  const size = capacityInterval ?? (capacity === undefined ? undefined : { low: capacity, high: capacity })
  return [
    ...(isOutside(limit, size) ? [`the limiter admits ${capacity} requests at once`] : []),
    ...(found !== undefined && isOutside(windowMs, windowInterval)
      ? [`its window is ${milliseconds(found)}`]
      : []),
  ]
}
