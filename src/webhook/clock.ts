import type { Http } from '../http/http.ts'
import type { HttpResponse } from '../http/response.ts'

/** A receiver may take 10 s to respond, and the target may call several receivers in turn. */
const timeoutMs = 120_000

/**
 * Advances the clock of webhook deliveries in a test deployment. The response is 200 once all deliveries that became due
 * were attempted.
 * @throws {HttpFailure} if there is no response to judge
 */
export function advanceClock(http: Http, url: string, advanceSeconds: number): Promise<HttpResponse> {
  return http.send({
    method: 'POST',
    url: new URL(url),
    json: { advanceSeconds },
    retry: 'if-unprocessed',
    timeoutMs,
  })
}
