import type { Http } from '../http/http.ts'
import type { HttpResponse } from '../http/response.ts'

/**
 * When each retry is due, in seconds after the first attempt (section Limits). The schedule is approximate, and does not
 * define whether a delay counts from the first or from the previous attempt. The earliest time is half the delay, the
 * latest is 1.5 times the sum of all delays so far. The ranges do not overlap, so the time identifies the attempt.
 */
export const attemptTimes = {
  2: rangeAfter(30),
  3: rangeAfter(30, 120),
  4: rangeAfter(30, 120, 600),
  5: rangeAfter(30, 120, 600, 3600),
} as const

/** The numbers of the retries. */
export type LaterAttempt = keyof typeof attemptTimes

export const lastAttempt = 5

/** Seconds after the last attempt within which a further attempt would occur if the schedule continued. */
export const longAfter = 24 * 3600

function rangeAfter(...delays: readonly number[]) {
  return { notBefore: (delays.at(-1) ?? 0) / 2, notAfter: 1.5 * delays.reduce((sum, delay) => sum + delay) }
}

/** A receiver may take 10 s to respond, and the target may call several receivers in turn. */
const timeoutMs = 120_000

/**
 * Advances the clock of webhook deliveries in a test deployment. The response is 200 after all deliveries that became
 * due have been attempted.
 * @throws {HttpFailure} if there is no response to judge
 */
export function advanceClock(http: Http, url: string, advanceSeconds: number): Promise<HttpResponse> {
  return http.send({
    method: 'POST',
    url: new URL(url),
    json: { advanceSeconds },
    retry: 'after-429-or-503',
    timeoutMs,
  })
}
