import type { Exchange } from '../evidence/exchange.ts'
import type { CheckExecution } from './execution.ts'
import { describe } from './expect.ts'
import { isAlike } from './host-refusal.ts'
import { unlessUndecided } from './obstacle.ts'
import type { RunContext } from './run-context.ts'
import { Inconclusive, type Violation } from './verdict.ts'

export const blockAdvice = 'run the check again; if this happens often, set a lower REQUESTS_PER_SECOND'

/**
 * Finds out, after a violation, whether a gateway has blocked its request for a short time: a host that accepted requests
 * refused it with 403 without JSON, and now responds to the same request in another way. The errors of its services have
 * JSON. Only requests that change nothing are sent again.
 */
export async function shortBlock(
  run: RunContext,
  { evidence }: CheckExecution,
  { finding }: Violation,
): Promise<Inconclusive | undefined> {
  const judged = evidence.find(({ number }) => number === finding.exchange)
  const request = judged && run.http.requestOf(judged)
  if (!judged || request?.retry !== 'safe' || !mayBeBlocked(run, judged)) return undefined
  const again = await unlessUndecided(run.http.send(request))
  if (!again) return undefined
  run.blockedRequests.record(isAlike(again, judged))
  if (!isAlike(again, judged))
    return new Inconclusive(
      `a gateway seems to have blocked a request for a short time: the response was 403 without JSON, and the response to the same request is now ${describe(again)}`,
      {
        cause: 'throttled',
        advice: blockAdvice,
      },
    )
  return undefined
}

/** Whether a gateway may have sent a response in place of the service. With Retry-After it would throttle the request. */
function mayBeBlocked({ recorder, blockedRequests }: RunContext, exchange: Exchange): boolean {
  const { status, headers = {}, body } = exchange.response ?? {}
  if (status !== 403 || headers['retry-after'] !== undefined || /json/.test(body?.mediaType ?? ''))
    return false
  return recorder.hasAccepted(exchange.request.url) && blockedRequests.mayRepeat
}
