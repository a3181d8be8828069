import { timesByOutcome } from '../output/percentiles.ts'
import { latencyText, wholeMs } from '../output/words.ts'
import type { Probe } from './bench.ts'

/** Part of LOAD_MAX_RATE that is held where nobody said which rate. */
const defaultShare = 0.5

/** The rate that is held, in requests per second. */
export function heldRate(maxRate: number, wanted: number = maxRate * defaultShare): number {
  return Math.min(wanted, maxRate)
}

/** Whether a rate stays clean: a constant arrival rate for as long as the budget lasts, and how the latency behaves. */
export function hold(rate?: number): Probe {
  return {
    name: 'hold',
    question: 'does a rate stay clean?',
    async run(bench) {
      const ratePerSecond = heldRate(bench.maxRate, rate)
      const count = Math.min(
        bench.remaining,
        Math.floor((bench.engine.guard.remainingMs / 1000) * ratePerSecond),
      )
      bench.phase(`${ratePerSecond}/s, ${count} requests`)
      const from = bench.engine.now()
      const { shots, left, putOffMs, isRateMet } = await bench.paced({ ratePerSecond, count }, () => true)
      const throttled = shots.filter(({ status }) => status === 429).length
      const odd = bench.otherwise(shots)
      const { accepted } = timesByOutcome(shots)
      const seconds = Math.round((bench.engine.now() - from) / 1000)
      return {
        finding: [
          `${ratePerSecond}/s for ${seconds} s: ${throttled === 0 ? 'none' : throttled} of ${shots.length} throttled`,
          ...(accepted.count > 0 ? [`latency ${latencyText(accepted, ['p50', 'p99'])}`] : []),
          ...(odd === undefined ? [] : [odd]),
          ...(left > 0 ? [leftOut(left, throttled)] : []),
          ...(left === 0 && !isRateMet ? [putOff(putOffMs)] : []),
        ].join('; '),
        stages: [{ from, until: bench.engine.now(), ratePerSecond }],
        observations: {
          rate: ratePerSecond,
          clean: shots.every((shot) => bench.wasLetThrough(shot)) && (isRateMet || null),
          'latency-p99-ms': wholeMs(accepted.latencyMs?.p99),
          'service-p99-ms': wholeMs(accepted.serviceTimeMs?.p99),
        },
      }
    },
  }
}

/** What of the schedule never left, and why: whoever reads the percentiles has to know. */
function leftOut(left: number, throttled: number): string {
  return throttled > 0
    ? `${left} requests of the schedule were left out while the target asked to wait`
    : `${left} requests of the schedule were not sent: THE RATE WAS NOT MET`
}

/** The target is not to blame, so nothing is said of a rate that was never there. */
function putOff(ms: number): string {
  return `this machine or LOAD_MAX_RATE put the schedule off by ${(ms / 1000).toFixed(1)} s: THE RATE WAS NOT MET`
}
