import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  bucketOfTokens,
  clockCounter,
  expiringCounter,
  logOfTimes,
  twoCounters,
  type VirtualLimiter,
} from '../../bench/limiter/virtual-limiters.ts'
import { type Observation, readings } from '../../load/limiter/experiment.ts'
import { fixedWindow, gridWindow } from '../../load/limiter/models/fixed-window.ts'
import { type LimiterParameters, MAX_PERIOD_MS, type Model } from '../../load/limiter/models/model.ts'
import { slidingCounter } from '../../load/limiter/models/sliding-counter.ts'
import { slidingLog } from '../../load/limiter/models/sliding-log.ts'
import { tokenBucket } from '../../load/limiter/models/token-bucket.ts'

type Make = (capacity: number, windowMs: number) => VirtualLimiter

const PAIRS: readonly (readonly [string, Model, Make])[] = [
  ['fixed window', fixedWindow, expiringCounter],
  ['window of the clock', gridWindow, clockCounter],
  ['sliding log', slidingLog(false), (capacity, windowMs) => logOfTimes(capacity, windowMs)],
  [
    'sliding log, refusals count',
    slidingLog(true),
    (capacity, windowMs) => logOfTimes(capacity, windowMs, true),
  ],
  ['sliding counter', slidingCounter(false), (capacity, windowMs) => twoCounters(capacity, windowMs)],
  [
    'sliding counter, whole',
    slidingCounter(true),
    (capacity, windowMs) => twoCounters(capacity, windowMs, { whole: true }),
  ],
  [
    'token bucket',
    tokenBucket,
    (capacity, windowMs) => bucketOfTokens(capacity, (capacity * 1000) / windowMs),
  ],
]

/** Some limiter, and pauses between requests to it: bursts, and waits of up to three windows. */
const histories = fc.record({
  capacity: fc.integer({ min: 1, max: 30 }),
  windowMs: fc.integer({ min: 4000, max: 100_000 }),
  begin: fc.integer({ min: 0, max: 1_000_000 }),
  pauses: fc.array(
    fc.oneof(
      { weight: 8, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.double({ min: 0, max: 3, noNaN: true }) },
    ),
    { minLength: 1, maxLength: 120 },
  ),
  decided: fc.double({ min: 0, max: 1, noNaN: true }),
  lost: fc.array(fc.nat({ max: 119 }), { maxLength: 2 }),
})

function observe(
  limiter: VirtualLimiter,
  { windowMs, begin, pauses, decided, lost }: typeof histories extends fc.Arbitrary<infer T> ? T : never,
): Observation[] {
  let now = begin
  return pauses.map((pause, index) => {
    const sentAt = now + pause * windowMs
    now = sentAt + 30
    const { admitted } = limiter.decide(sentAt + 30 * decided)
    const outcome = lost.includes(index) ? 'unknown' : admitted ? 'admitted' : 'throttled'
    return { sentAt, endedAt: now, outcome }
  })
}

test.each(PAIRS)('the truth is never ruled out: %s', (_name, model, make) => {
  fc.assert(
    fc.property(histories, (history) => {
      const { capacity, windowMs } = history
      const observations = observe(make(capacity, windowMs), history)
      const truth = model === tokenBucket ? windowMs / capacity : windowMs
      const fit = model.fit(capacity, { low: truth / 10, high: MAX_PERIOD_MS })
      expect(readings(observations).every((reading) => fit.observe(reading))).toBe(true)
      expect(fit.periods().low).toBeLessThanOrEqual(truth * 1.000001)
      expect(fit.periods().high).toBeGreaterThanOrEqual(truth * 0.999999)
    }),
    { numRuns: 60, seed: 5 },
  )
})

test.each(PAIRS)('the simulation admits what the limiter admits: %s', (_name, model, make) => {
  fc.assert(
    fc.property(histories, (history) => {
      const { capacity, windowMs } = history
      const limiter = make(capacity, windowMs)
      const period = model === tokenBucket ? windowMs / capacity : windowMs
      const parameters: LimiterParameters = {
        capacity,
        period,
        ...(model.kind !== 'token-bucket' && { start: 0 }),
      }
      const simulation = model.simulate(parameters)
      let at = history.begin
      for (const pause of history.pauses) {
        at += 30 + Math.round(pause * windowMs)
        const { admitted } = limiter.decide(at)
        const next = simulation.nextAdmission(at)
        // Within a millisecond of the boundary, the two may round differently.
        if (Math.abs(next - at) > 1 || admitted) expect(next <= at + 1).toBe(admitted)
        simulation.record(at, admitted)
      }
    }),
    { numRuns: 60, seed: 6 },
  )
})
