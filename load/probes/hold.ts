import { counted } from '../../src/text/format.ts'
import { is429 } from '../engine/shot.ts'
import { throttledText } from '../output/outcome.ts'
import { latencyText, timesByOutcome, wholeMs } from '../output/percentiles.ts'
import { findingOf, type Probe } from './probe.ts'

/** Default rate, as a share of LOAD_MAX_RATE. */
const defaultShare = 0.5

/** The arrival rate of the probe `hold`, in requests per second. */
export function heldRate(maxRate: number, rate: number = maxRate * defaultShare): number {
  return Math.min(rate, maxRate)
}

/** Does the target accept a rate without 429? The probe keeps this rate as long as its requests and time last. */
export function hold(rate?: number): Probe {
  return async (context) => {
    const { engine } = context
    const ratePerSecond = heldRate(context.maxRate, rate)
    const mostInTime = Math.floor((engine.guard.remainingMs / 1000) * ratePerSecond)
    const count = Math.min(context.remaining, mostInTime)
    context.phase(`${counted(count, 'request')} at ${ratePerSecond}/s`)
    const from = engine.now()
    const { shots, unsent, delayMs, isRateMet } = await context.paced({ ratePerSecond, count }, () => true)
    const until = engine.now()
    const throttled = shots.filter(is429).length
    const differing = context.differing(shots)
    const { accepted } = timesByOutcome(shots)
    return {
      ...findingOf(
        `${ratePerSecond} requests/s for ${Math.round((until - from) / 1000)} s: ${throttledText(shots)}`,
        ...(throttled === 0 ? [] : context.unfreshNotes),
        ...(accepted.count > 0 ? [`latency ${latencyText(accepted)}`] : []),
        ...(differing === undefined ? [] : [differing]),
        ...(unsent > 0 ? [unsentText(unsent, throttled)] : []),
        ...(unsent === 0 && !isRateMet
          ? [
              `this machine or LOAD_MAX_RATE delayed the schedule by ${(delayMs / 1000).toFixed(1)} s: THE RATE WAS NOT MET`,
            ]
          : []),
      ),
      stages: [{ from, until, ratePerSecond }],
      observations: {
        rate: ratePerSecond,
        // Null: all requests were admitted at a lower rate, or requests before the probe may have caused a refusal.
        clean: shots.every((shot) => context.wasAdmitted(shot))
          ? isRateMet || null
          : context.startsFresh
            ? false
            : null,
        'latency-p99-ms': wholeMs(accepted.latencyMs?.p99),
        'service-p99-ms': wholeMs(accepted.serviceTimeMs?.p99),
      },
    }
  }
}

/** Describes the scheduled requests that were not sent: percentiles do not include them. */
function unsentText(unsent: number, throttled: number): string {
  return throttled > 0
    ? `${counted(unsent, 'scheduled request')} omitted during Retry-After`
    : `${counted(unsent, 'scheduled request')} not sent: THE RATE WAS NOT MET`
}
