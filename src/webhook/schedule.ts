import type { Http } from '../http/http.ts'
import type { HttpResponse } from '../http/response.ts'

/**
 * The earliest and latest time of each retry, in seconds after the first attempt (section Limits). The delays of the
 * specification are approximate, and may begin at the first or at the previous attempt. So a retry is due between half
 * its own delay and 1.5 times the sum of the delays up to it. For example, the delays before attempt 3 are 30 s and
 * 120 s, so the attempt is due between 60 s and 225 s. The ranges do not overlap.
 */
export const attemptTimes = {
  2: rangeAfter(30),
  3: rangeAfter(30, 120),
  4: rangeAfter(30, 120, 600),
  5: rangeAfter(30, 120, 600, 3600),
} as const

/** The number of an attempt that is a retry. */
export type LaterAttempt = keyof typeof attemptTimes

export const lastAttempt = 5

/** Time after the last attempt, in seconds, in which a schedule that does not end makes a further attempt. */
export const endOfScheduleSeconds = 24 * 3600

function rangeAfter(...delays: readonly number[]) {
  return { notBefore: (delays.at(-1) ?? 0) / 2, notAfter: 1.5 * delays.reduce((sum, delay) => sum + delay) }
}

/** Time limit for `advanceClock`: the target may call several receivers in turn, which may take 10 s each. */
const timeoutMs = 120_000

/**
 * Advances the clock of webhook deliveries in a test deployment. The target first attempts all deliveries that become
 * due, and then responds with 200.
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
