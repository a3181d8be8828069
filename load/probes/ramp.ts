import { counted, milliseconds } from '../../src/text/format.ts'
import { is429 } from '../engine/shot.ts'
import { isAccepted } from '../output/outcome.ts'
import type { Stage } from '../result.ts'
import { findingOf, type Probe, type ProbeContext } from './probe.ts'

/** Arrival rates in requests per second. The probe uses those below LOAD_MAX_RATE, and then LOAD_MAX_RATE. */
const rates = [1, 2, 5, 10, 20, 50, 100, 200]
/**
 * Largest number of single requests before the first rate, if earlier probes may have used up the limit. If the
 * limiter refuses all of them, the probe ends.
 */
const attempts = 5
/** Duration of each rate, in seconds. */
const stageSeconds = 5

/**
 * Longest duration of the probe in seconds, if no earlier probe left a wait.
 * @param timeoutSeconds time limit of a response: each rate starts after the responses of the previous one
 */
export function rampSeconds(requests: number, maxRate: number, timeoutSeconds: number): number {
  let [remaining, seconds] = [requests, 0]
  for (const rate of ratesUpTo(maxRate)) {
    const count = Math.min(Math.ceil(rate * stageSeconds), remaining)
    if (count > 0) seconds += count / rate + timeoutSeconds
    remaining -= count
  }
  return seconds
}

function ratesUpTo(maxRate: number): number[] {
  return [...rates.filter((rate) => rate < maxRate), maxRate]
}

/** Whether one of at most `attempts` requests is admitted. Each is sent after Retry-After has elapsed. */
async function recovers(context: ProbeContext): Promise<boolean> {
  context.phase('one request at a time, until one is admitted: an earlier probe may have used up the limit')
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const sent = await context.sendOne()
    if (!sent) break
    if (!is429(sent.shot)) return true
  }
  // The probe has ended, or all attempts were refused. Without a final 429, the limit may have recovered.
  return context.engine.shots.at(-1)?.status !== 429
}

/** At which rate does throttling start? The probe raises the arrival rate in steps, until the first 429. */
export const ramp: Probe = async (context) => {
  const { engine } = context
  const stages: Stage[] = []
  /** The highest completed rate without a 429. */
  let cleanRate = 0
  const findingsWith = (firstThrottled: number | null, headline: string, ...details: readonly string[]) => ({
    ...findingOf(headline, ...details),
    stages,
    observations: { 'first-throttled-rate': firstThrottled, 'last-clean-rate': cleanRate },
  })
  if (!context.startsFresh && !(await recovers(context)))
    return findingsWith(
      0,
      `throttled from the start: ${counted(engine.shots.length, 'single request')}, each after Retry-After had elapsed`,
    )
  for (const ratePerSecond of ratesUpTo(context.maxRate)) {
    const count = Math.min(Math.ceil(ratePerSecond * stageSeconds), context.remaining)
    if (count === 0 || engine.ended !== undefined) break
    context.phase(`${counted(count, 'request')} at ${counted(ratePerSecond, 'request')}/s`)
    const from = engine.now()
    const { shots, isRateMet, delayMs } = await context.paced(
      { ratePerSecond, count },
      (shot) => !is429(shot),
    )
    stages.push({ from, until: engine.now(), ratePerSecond })
    if (shots.some(is429)) {
      const before = engine.shots.filter(isAccepted).length
      return findingsWith(
        context.startsFresh ? ratePerSecond : null,
        `first 429 in the step with ${counted(ratePerSecond, 'request')}/s, after ${counted(before, 'accepted request')} of this probe`,
        `each step lasts at most ${stageSeconds} s, so the highest rate without 429 may be lower over a longer time`,
        ...context.unfreshNotes,
      )
    }
    const differing = context.differing(shots)
    if (differing !== undefined) return findingsWith(null, `at ${ratePerSecond} requests/s, ${differing}`)
    if (!isRateMet && engine.ended === undefined)
      return findingsWith(
        null,
        upTo(cleanRate, context.maxRate),
        `the step with ${counted(ratePerSecond, 'request')}/s does not count: this machine or LOAD_MAX_RATE delayed its requests by ${milliseconds(delayMs)}`,
      )
    // The probe ended during this step, for example because its requests are used up.
    if (!isRateMet) break
    cleanRate = ratePerSecond
  }
  return findingsWith(null, upTo(cleanRate, context.maxRate))
}

function upTo(cleanRate: number, maxRate: number): string {
  if (cleanRate === 0) return 'no rate was completed'
  return `no 429 up to ${cleanRate} requests/s, ${cleanRate === maxRate ? 'the maximum (LOAD_MAX_RATE)' : 'the highest completed rate'}`
}
