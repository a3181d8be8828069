/**
 * The wait that a Retry-After header asks for (RFC 9110, 10.2.3), in milliseconds.
 * An HTTP-date is compared with the answer's own Date, so that two clocks do not matter.
 * @returns undefined where the header is absent or is neither form
 */
export function retryAfterMs(value: string | undefined, date: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const text = value.trim()
  if (/^\d+$/.test(text)) return Number(text) * 1000
  if (!/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(text)) return undefined
  const then = Date.parse(text)
  if (Number.isNaN(then)) return undefined
  const now = date === undefined ? Number.NaN : Date.parse(date)
  return Math.max(0, then - (Number.isNaN(now) ? Date.now() : now))
}

/** Exponential back-off with jitter: base 1 s doubling, at most 30 s. `attempt` counts from 0. */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  const full = Math.min(30_000, 1000 * 2 ** attempt)
  return full / 2 + (full / 2) * random()
}
