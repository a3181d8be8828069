import type { Http } from '../http/http.ts'
import type { HttpResponse } from '../http/response.ts'

/** Receivers may take ten seconds for an answer, and several may be asked one after the other. */
const timeoutMs = 120_000

/**
 * Asks a test deployment to move the clock of its webhook deliveries. It answers 200 after all that became due by it were attempted.
 * @throws {HttpFailure} where there is no answer that can be judged
 */
export function advanceClock(http: Http, url: string, advanceSeconds: number): Promise<HttpResponse> {
  return http.send({
    method: 'POST',
    url: new URL(url),
    json: { advanceSeconds },
    repeat: 'once',
    timeoutMs,
  })
}
