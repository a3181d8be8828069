import { type Exchange, isGatewayRefusal } from '../evidence/exchange.ts'
import type { CheckExecution } from './execution.ts'
import { describe } from './expect.ts'
import { isAlike } from './host-refusal.ts'
import { unlessUndecided } from './obstacle.ts'
import type { RunContext } from './run-context.ts'
import { Inconclusive, Violation } from './verdict.ts'

export const blockAdvice = 'run the check again; if this happens often, set a lower REQUESTS_PER_SECOND'

/** A request that a gateway seems to have blocked for a short time. */
export interface ShortBlock {
  readonly exchange: Exchange
  readonly error: Inconclusive
}

/**
 * Finds out, after a violation, whether a gateway blocked the request for a short time. If the response was 403 without
 * JSON from a host that accepted requests before, sends the same request again, unless that could change something at
 * the target.
 * @returns undefined if the request was not sent again, or if the second response is 403 again or missing
 */
export async function shortBlock(
  run: RunContext,
  { evidence }: CheckExecution,
  error: unknown,
): Promise<ShortBlock | undefined> {
  if (!(error instanceof Violation)) return undefined
  const exchange = evidence.find(({ number }) => number === error.finding.exchange)
  const request = exchange && run.http.requestOf(exchange)
  if (!exchange || request?.retry !== 'safe' || !mayBeBlocked(run, exchange)) return undefined
  const again = await unlessUndecided(run.http.send(request))
  if (!again) return undefined
  const isRefusedAgain = isAlike(again, exchange)
  run.blockedRequests.record(isRefusedAgain)
  if (isRefusedAgain) return undefined
  const reason = `a gateway seems to have blocked a request for a short time: the response was 403 without JSON, and the response to the same request is now ${describe(again)}`
  return { exchange, error: new Inconclusive(reason, { cause: 'throttled', advice: blockAdvice }) }
}

function mayBeBlocked({ recorder, blockedRequests }: RunContext, { request, response }: Exchange): boolean {
  if (!response || !isGatewayRefusal(response)) return false
  return recorder.hasAccepted(request.url) && blockedRequests.mayRepeat
}
