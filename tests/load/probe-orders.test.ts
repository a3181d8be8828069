import { describe, expect, test } from 'vitest'
import {
  bucketOfTokens,
  clockCounter,
  expiringCounter,
  logOfTimes,
  twoCounters,
  type VirtualLimiter,
} from '../../bench/limiter/virtual-limiters.ts'
import type { Findings } from '../../load/probes/probe.ts'
import { probes, runVirtually, type VirtualProbe } from './virtual-probes.ts'

const limiters: readonly (readonly [kind: string, make: () => VirtualLimiter])[] = [
  ['fixed-window', () => expiringCounter(12, 5000)],
  ['fixed-window', () => clockCounter(12, 5000)],
  ['sliding-log', () => logOfTimes(12, 5000)],
  ['sliding-counter', () => twoCounters(12, 5000)],
  ['token-bucket', () => bucketOfTokens(12, 2)],
]

const names = Object.keys(probes) as VirtualProbe[]
const pairs = names.flatMap((first) => names.map((second) => [first, second] as const))

describe.each(limiters)('%s', (kind, make) => {
  const results = new Map<VirtualProbe, Findings | undefined>()
  const alone = async (name: VirtualProbe) => {
    if (!results.has(name)) results.set(name, (await runVirtually([name], make()))[0])
    return results.get(name)
  }

  test.each([...pairs, ['limiter', 'ramp', 'recovery'], ['recovery', 'ramp', 'limiter']] as const)(
    'the limiter is identified, and other probes report what they report alone, or an unknown state: %s, %s, %s',
    async (...order: readonly (VirtualProbe | undefined)[]) => {
      const sequence = order.filter((name) => name !== undefined)
      const found = await runVirtually(sequence, make())
      for (const [index, name] of sequence.entries()) {
        const findings = found[index]
        if (findings === undefined) throw new Error(`${name} has no findings`)
        if (name === 'limiter') expect(findings.observations.kind).toBe(kind)
        else expectSame(name, findings, await alone(name))
      }
    },
  )
})

/** Windows of the clock start anywhere, so that a rate is only compared with its neighbours. */
const rates = [1, 2, 5, 10, 20]

function expectSame(
  name: VirtualProbe,
  { observations, finding }: Findings,
  alone: Findings | undefined,
): void {
  const isUnknown = finding.includes('unknown state')
  if (name === 'anatomy') expect([isUnknown, finding === alone?.finding]).toContain(true)
  if (name === 'recovery') expect(observations['retry-after']).toBe(alone?.observations['retry-after'])
  if (name === 'hold') expect([alone?.observations.clean, null]).toContain(observations.clean)
  if (name === 'ramp' && isUnknown) expect(observations['first-throttled-rate']).toBeNull()
  if (name === 'ramp' && !isUnknown) {
    const rank = (rate: unknown) => rates.indexOf(Number(rate))
    const expected = rank(alone?.observations['first-throttled-rate'])
    expect(Math.abs(rank(observations['first-throttled-rate']) - expected)).toBeLessThanOrEqual(1)
  }
}
