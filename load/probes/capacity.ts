import { counted } from '../../src/text/format.ts'
import { closedLoop } from '../engine/closed-loop.ts'
import { maxConnections } from '../engine/connections.ts'
import { countsOf, throttledText } from '../output/outcome.ts'
import { latencyText, timesByOutcome, wholeMs } from '../output/percentiles.ts'
import { findingOf, type Probe } from './probe.ts'

/**
 * Which throughput does the server reach? The probe sends all remaining requests in a closed model, without pacing, and
 * ignores Retry-After. So it may load only the embedded provider, and servers reserved for the tester.
 */
export const capacity: Probe = async ({ source, engine, signal, phase, remaining }) => {
  const request = source.next()
  if (!request) return { finding: 'there is no request to send', observations: {} }
  // A source that repeats one request always returns the same object. Neither of these two requests is sent yet.
  if (source.next() !== request)
    return {
      finding: 'no request was sent: this probe repeats one request, but requests of this endpoint differ',
      observations: {},
    }
  phase(`${remaining} requests over ${maxConnections} connections`)
  const spentBefore = engine.guard.spent
  await closedLoop(engine, request, signal)
  const { shots } = engine
  const { sent, throttled, unanswered, timedOut, reconnects } = countsOf(
    shots,
    engine.guard.spent - spentBefore,
  )
  const { accepted, answered } = timesByOutcome(shots)
  if (answered.count === 0)
    return { finding: `no response to ${counted(sent, 'request')}, ${timedOut} timed out`, observations: {} }
  const from = shots.reduce((first, { sentAt }) => Math.min(first, sentAt), Number.POSITIVE_INFINITY)
  const until = shots.reduce((last, { endedAt }) => Math.max(last, endedAt), 0)
  const rate = Math.round((answered.count * 1000) / Math.max(1, until - from))
  return {
    ...findingOf(
      `${rate} responses/s over ${maxConnections} connections`,
      ...(accepted.count > 0 ? [`latency of 2xx and 3xx ${latencyText(accepted)}`] : []),
      throttledText(shots),
      ...(unanswered > 0 ? [`${unanswered} without a response, ${timedOut} of them timed out`] : []),
      ...(reconnects > 0 ? [counted(reconnects, 'reconnect')] : []),
    ),
    observations: {
      'requests-per-second': rate,
      'latency-p99-ms': wholeMs(accepted.latencyMs?.p99),
      throttled: throttled > 0,
    },
  }
}
