import type { Probe } from './bench.ts'

/** Arrival rates that are tried one after the other, in requests per second; LOAD_MAX_RATE ends them. */
const rates = [1, 2, 5, 10, 20, 50, 100, 200]
/** How long each rate is kept up, in seconds. */
const stageSeconds = 5

/** How long it takes at most, where nobody has to be waited for, in seconds. */
export function rampSeconds(requests: number, maxRate: number): number {
  let [left, seconds] = [requests, 0]
  for (const rate of steps(maxRate)) {
    const count = Math.min(Math.ceil(rate * stageSeconds), left)
    seconds += count / rate
    left -= count
  }
  return seconds
}

function steps(maxRate: number): number[] {
  return [...rates.filter((rate) => rate < maxRate), maxRate]
}

/** Where throttling begins: arrival rates in steps, up to the first 429. */
export const ramp: Probe = {
  name: 'ramp',
  question: 'where does throttling begin?',
  async run(bench) {
    const stages = []
    let held = 0
    for (const ratePerSecond of steps(bench.maxRate)) {
      const count = Math.min(Math.ceil(ratePerSecond * stageSeconds), bench.remaining)
      if (count === 0 || bench.engine.ended !== undefined) break
      bench.phase(`${ratePerSecond}/s for ${stageSeconds} s`)
      const from = bench.engine.now()
      const { shots } = await bench.paced({ ratePerSecond, count }, ({ status }) => status !== 429)
      stages.push({ from, until: bench.engine.now(), ratePerSecond })
      if (shots.some(({ status }) => status === 429)) {
        const before = bench.engine.shots.filter(({ status = 0 }) => status < 400).length
        return {
          finding: `throttling began at ${ratePerSecond}/s, after ${before} requests that were answered`,
          stages,
          observations: { 'first-throttled-rate': ratePerSecond, 'last-clean-rate': held },
        }
      }
      if (shots.length < count) break
      held = ratePerSecond
    }
    return {
      finding: held === 0 ? 'no rate was kept up to its end' : `nothing was throttled up to ${held}/s`,
      stages,
      observations: { 'first-throttled-rate': null, 'last-clean-rate': held },
    }
  },
}
