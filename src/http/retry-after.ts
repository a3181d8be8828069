/** A longer delay counts as this one, 68 years, as for Cache-Control (RFC 9111, 1.2.2): its end is a valid date. */
const longestSeconds = 2 ** 31

/**
 * The wait that Retry-After requires (RFC 9110, 10.2.3), in milliseconds. If its value is a date, the wait begins at
 * the Date of the response, so that a wrong local clock does not matter. Without a valid Date, it begins now.
 * @param value value of Retry-After
 * @param date value of Date in the same response
 * @returns undefined if the header is absent or not valid
 */
export function retryAfterMs(value: string | undefined, date: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const text = value.trim()
  if (/^\d+$/.test(text)) return Math.min(Number(text), longestSeconds) * 1000
  const then = httpDate(text)
  if (then === undefined) return undefined
  const now = date === undefined ? Number.NaN : Date.parse(date)
  return Math.max(0, then - (Number.isNaN(now) ? Date.now() : now))
}

/**
 * Parses the three date formats that recipients must accept (RFC 9110, 5.6.7).
 * @returns milliseconds since the epoch; undefined if the text is not a date
 */
function httpDate(text: string): number | undefined {
  const imfFixdate = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/
  const rfc850 = /^[A-Z][a-z]{5,8}, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT$/
  const asctime = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/
  if (!imfFixdate.test(text) && !rfc850.test(text) && !asctime.test(text)) return undefined
  const time = Date.parse(asctime.test(text) ? `${text} GMT` : text)
  return Number.isNaN(time) ? undefined : time
}

/**
 * How long to wait after a response before its request is sent again, in milliseconds. Without a valid Retry-After,
 * or with 0, the result is a back-off, so that a run never sends in a tight loop.
 * @param header returns the value of a header of the response
 * @param attempt number of the attempt that has just failed, from 0
 */
export function waitAfter(header: (name: string) => string | undefined, attempt: number): number {
  return retryAfterMs(header('retry-after'), header('date')) || backoffMs(attempt)
}

/**
 * Exponential back-off with jitter, in milliseconds: 0.5 to 1 s after attempt 0, 1 to 2 s after attempt 1, and so on,
 * at most 15 to 30 s.
 */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  const longest = Math.min(30_000, 1000 * 2 ** attempt)
  return longest / 2 + (longest / 2) * random()
}
