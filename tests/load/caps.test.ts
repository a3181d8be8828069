import { expect, test } from 'vitest'
import { bucketOfTokens, expiringCounter, type VirtualLimiter } from '../../bench/limiter/virtual-limiters.ts'
import type { Shot } from '../../load/engine/shot.ts'
import { peakOf } from './site.ts'
import { probes, runVirtually, type VirtualProbe } from './virtual-probes.ts'

const limiters: readonly (readonly [name: string, make: () => VirtualLimiter])[] = [
  ['a fixed window', () => expiringCounter(12, 5000)],
  ['a token bucket', () => bucketOfTokens(12, 2)],
  ['a target without a limiter', () => ({ decide: () => ({ admitted: true, waitMs: 0, delayMs: 0 }) })],
]
const names = Object.keys(probes) as VirtualProbe[]

test.each(limiters.flatMap(([name, make]) => [1, 2.5, 5].map((maxRate) => [name, maxRate, make] as const)))(
  'all probes together stay within the caps: %s, LOAD_MAX_RATE=%d',
  { timeout: 180_000 },
  async (_name, maxRate, make) => {
    const caps = { maxRequests: 150, maxSeconds: 120, maxRate }
    const sent: Shot[] = []
    await runVirtually(names, make(), caps, sent)
    const times = sent.map(({ sentAt }) => sentAt).sort((one, other) => one - other)
    expect(sent.length).toBeGreaterThan(10)
    expect(sent.length).toBeLessThanOrEqual(caps.maxRequests)
    expect(peakOf(times)).toBeLessThanOrEqual(Math.ceil(maxRate))
    expect(times.at(-1)).toBeLessThan(caps.maxSeconds * 1000)
  },
)
