import { counted } from '../../src/text/format.ts'
import { isAccepted } from '../output/outcome.ts'
import type { Bench, Probe } from './bench.ts'

/** Arrival rates that are tried one after the other, in requests per second; LOAD_MAX_RATE ends them. */
const rates = [1, 2, 5, 10, 20, 50, 100, 200]
/** Requests that are tried before the first rate, where they are throttled. */
const attempts = 5
/** How long each rate is kept up, in seconds. */
const stageSeconds = 5

/**
 * How long it takes at most, where no probe before it has left a wait, in seconds.
 * @param answerSeconds longest wait for an answer: each rate begins when those to the one before have come
 */
export function rampSeconds(requests: number, maxRate: number, answerSeconds: number): number {
  let [left, seconds] = [requests, 0]
  for (const rate of steps(maxRate)) {
    const count = Math.min(Math.ceil(rate * stageSeconds), left)
    if (count > 0) seconds += count / rate + answerSeconds
    left -= count
  }
  return seconds
}

function steps(maxRate: number): number[] {
  return [...rates.filter((rate) => rate < maxRate), maxRate]
}

/**
 * Whether a request is answered, at the latest after a few waits: what a probe before this one used up is not where
 * throttling begins.
 */
async function recovers(bench: Bench): Promise<boolean> {
  bench.phase('single requests, until one is answered')
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const sent = await bench.one()
    if (!sent) break
    if (sent.shot.status !== 429) return true
  }
  return bench.engine.shots.at(-1)?.status !== 429
}

/** Where throttling begins: arrival rates in steps, up to the first 429. */
export const ramp: Probe = {
  name: 'ramp',
  question: 'where does throttling begin?',
  async run(bench) {
    const stages = []
    let held = 0
    if (bench.engine.guard.spent > 0 && !(await recovers(bench)))
      return {
        finding: `throttled from the beginning: ${counted(bench.engine.shots.length, 'single request')}, each after the wait that was asked for`,
        observations: { 'first-throttled-rate': 0, 'last-clean-rate': 0 },
      }
    for (const ratePerSecond of steps(bench.maxRate)) {
      const count = Math.min(Math.ceil(ratePerSecond * stageSeconds), bench.remaining)
      if (count === 0 || bench.engine.ended !== undefined) break
      bench.phase(`${ratePerSecond}/s for ${stageSeconds} s`)
      const from = bench.engine.now()
      const { shots, isRateMet } = await bench.paced({ ratePerSecond, count }, ({ status }) => status !== 429)
      stages.push({ from, until: bench.engine.now(), ratePerSecond })
      if (shots.some(({ status }) => status === 429)) {
        const before = bench.engine.shots.filter(isAccepted).length
        return {
          finding: `throttling began at ${ratePerSecond}/s, after ${before} requests that were answered`,
          stages,
          observations: { 'first-throttled-rate': ratePerSecond, 'last-clean-rate': held },
        }
      }
      const odd = bench.otherwise(shots)
      if (odd !== undefined)
        return {
          finding: `at ${ratePerSecond}/s, ${odd}`,
          stages,
          observations: { 'first-throttled-rate': null, 'last-clean-rate': held },
        }
      if (!isRateMet) break
      held = ratePerSecond
    }
    return {
      finding: held === 0 ? 'no rate was kept up to its end' : `nothing was throttled up to ${held}/s`,
      stages,
      observations: { 'first-throttled-rate': null, 'last-clean-rate': held },
    }
  },
}
