import { describe, expect, test } from 'vitest'
import { VirtualExperiment } from '../../bench/limiter/virtual-experiment.ts'
import {
  banning,
  bucketOfTokens,
  clockCounter,
  countersPerKey,
  expiringBytes,
  expiringCounter,
  leakyMeter,
  leakyQueue,
  logOfTimes,
  renewing,
  twoCounters,
  type VirtualLimiter,
  withWiderLimit,
} from '../../bench/limiter/virtual-limiters.ts'
import { characterise, type DataPoint, type Experiment, simulationOf } from '../../load/limiter/index.ts'
import { seeded } from '../../load/seeded.ts'

const LIMITS = { maxRequests: 600, maxMs: 24 * 3_600_000 }

function experiment(
  limiter: VirtualLimiter,
  { retryAfter = true, othersPerSecond = 0, seed = 7 } = {},
): VirtualExperiment {
  return new VirtualExperiment(limiter, { latencyMs: 30, retryAfter, lost: 0, othersPerSecond }, seeded(seed))
}

describe('a limiter is identified by its responses', () => {
  const limiters: readonly (readonly [string, () => VirtualLimiter, object])[] = [
    [
      'window of the first request',
      () => expiringCounter(10, 60_000),
      { kind: 'fixed-window', capacity: 10, windowMs: 60_000 },
    ],
    [
      'window of the clock',
      () => clockCounter(10, 60_000),
      { kind: 'fixed-window', capacity: 10, windowMs: 60_000 },
    ],
    [
      'sliding window log',
      () => logOfTimes(10, 60_000),
      { kind: 'sliding-log', capacity: 10, windowMs: 60_000 },
    ],
    [
      'sliding window counter',
      () => twoCounters(10, 60_000),
      { kind: 'sliding-counter', capacity: 10, windowMs: 60_000 },
    ],
    ['token bucket', () => bucketOfTokens(10, 0.5), { kind: 'token-bucket', capacity: 10, rate: 0.5 }],
    [
      'leaky bucket as a meter, which admits the same requests',
      () => leakyMeter(10, 0.5),
      { kind: 'token-bucket', capacity: 10, rate: 0.5 },
    ],
  ]
  test.each(limiters)('%s', async (_name, limiter, truth) => {
    for (const retryAfter of [true, false]) {
      const asked = experiment(limiter(), { retryAfter })
      const found = await characterise(asked, LIMITS)
      expect(found).toMatchObject({ result: 'identified', ...truth })
      expect(asked.early).toBe(0)
      if (found.result !== 'identified') continue
      const { explained, nextBest } = found.proof
      expect(explained - nextBest.explained >= 2 || nextBest.needsCoincidence).toBe(true)
    }
  })

  test('a note states up to which size a wider limit is excluded', async () => {
    const asked = experiment(expiringCounter(10, 60_000))
    const found = await characterise(asked, LIMITS)
    if (found.result !== 'identified') throw new Error('the window is not identified')
    expect(found.notes.at(-1)).toMatch(
      /^A second limit over a longer window would go unnoticed if it admits at least \d+ requests in \d+ s\.$/,
    )
  })

  test('a queue, by the even spacing of its responses', async () => {
    const found = await characterise(experiment(leakyQueue(10, 2)), LIMITS)
    expect(found).toMatchObject({ result: 'identified', kind: 'leaky-bucket', rate: 2 })
  })

  test.each([
    ['a token bucket of 40 at 5/s', () => bucketOfTokens(40, 5), true, { kind: 'token-bucket', rate: 5 }],
    ['a token bucket of 40 at 5/s', () => bucketOfTokens(40, 5), false, { kind: 'token-bucket', rate: 5 }],
    ['60 in each window', () => expiringCounter(60, 60_000), true, { kind: 'fixed-window', capacity: 60 }],
    ['60 in each minute', () => clockCounter(60, 60_000), true, { kind: 'fixed-window', capacity: 60 }],
    ['60 in any 60 s', () => logOfTimes(60, 60_000), true, { kind: 'sliding-log', capacity: 60 }],
    ['60 by two counters', () => twoCounters(60, 60_000), true, { kind: 'sliding-counter', capacity: 60 }],
  ] as const)('%s: 200 requests and 120 s suffice', async (_name, limiter, retryAfter, truth) => {
    const found = await characterise(experiment(limiter(), { retryAfter }), {
      maxRequests: 200,
      maxMs: 120_000,
    })
    expect(found).toMatchObject({ result: 'identified', ...truth })
  })

  test.each([5, 15, 27, 45])(
    '60 in each minute, of which the first ends after %d s, with and without Retry-After: 200 requests and 120 s suffice',
    async (endsAfterS) => {
      for (const retryAfter of [true, false]) {
        const asked = experiment(minutesFrom(60 - endsAfterS), { retryAfter })
        const found = await characterise(asked, { maxRequests: 200, maxMs: 120_000 })
        expect(found).toMatchObject({ kind: 'fixed-window', capacity: 60, windowMs: 60_000 })
        const isConfirmed = retryAfter ? endsAfterS !== 27 : endsAfterS === 45
        expect(JSON.stringify(found).includes('Bans that grow')).toBe(!isConfirmed)
      }
    },
  )

  test('a second, wider limit above it is a note', async () => {
    const limiter = withWiderLimit(expiringCounter(8, 1000), expiringCounter(60, 60_000))
    const found = await characterise(experiment(limiter), LIMITS)
    expect(found).toMatchObject({
      result: 'identified',
      kind: 'fixed-window',
      capacity: 8,
      windowMs: 1000,
      notes: expect.arrayContaining([
        expect.stringMatching(/^There is a second, wider limit: after 60 admitted/),
      ]),
    })
  })

  test.each([
    ['fixed-window', () => expiringCounter(20, 60_000), 0.07],
    ['sliding-log', () => logOfTimes(25, 20_000), 0.25],
    ['token-bucket', () => bucketOfTokens(20, 0.5), 0.1],
  ] as const)(
    'with other traffic on the same key, which is estimated: %s',
    async (kind, limiter, othersPerSecond) => {
      for (const seed of [11, 13]) {
        const found = await characterise(experiment(limiter(), { othersPerSecond, seed }), LIMITS)
        expect(found).toMatchObject({ result: 'identified', kind })
        // Absent if a limiter without other traffic explains every response.
        const other = found.result === 'identified' ? found.otherTraffic : undefined
        const perSecond = other?.perSecond ?? othersPerSecond
        expect(perSecond).toBeGreaterThan(othersPerSecond / 3)
        expect(perSecond).toBeLessThan(othersPerSecond * 3)
      }
    },
  )

  test.each([1, 2, 3, 4])(
    'where limits of one size per address and client began at different times: seed %i',
    async (seed) => {
      const random = seeded(seed)
      const begun = [
        { agoMs: 20_000 + 30_000 * random(), hits: 3 },
        { agoMs: 15_000 * random(), hits: 1 },
        { agoMs: 0, hits: 0 },
      ]
      const conditions = { latencyMs: 15, retryAfter: true, lost: 0, othersPerSecond: 0 }
      const asked = new VirtualExperiment(countersPerKey(20, 60_000, begun), conditions, random)
      const found = await characterise(asked, LIMITS)
      expect(found).toMatchObject({
        result: 'identified',
        kind: 'fixed-window',
        capacity: 20,
        windowMs: 60_000,
      })
      expect(found).not.toHaveProperty('otherTraffic')
      if (found.result === 'identified' && found.proof.observations < found.requests)
        expect(found.notes[0]).toMatch(/^Omitted: the first \d+ responses, before an idle period\./)
      expect(asked.early).toBe(0)
    },
  )

  test('an identified limiter can be simulated', async () => {
    const found = await characterise(experiment(bucketOfTokens(10, 0.5)), LIMITS)
    if (found.result !== 'identified') throw new Error('the bucket is not identified')
    const simulation = simulationOf(found)
    for (let taken = 0; taken < 10; taken += 1) simulation?.record(0, true)
    expect(simulation?.nextAdmission(0)).toBe(2000)
  })
})

describe('no limiter is identified', () => {
  test('where no 429 comes within the requests allowed', async () => {
    const found = await characterise(experiment({ decide: always(true) }), { ...LIMITS, maxRequests: 40 })
    expect(found).toMatchObject({ result: 'not-throttled', admitted: 40, requests: 40 })
  })

  test('where everything is refused', async () => {
    const found = await characterise(experiment({ decide: always(false) }), { ...LIMITS, maxRequests: 40 })
    expect(found).toMatchObject({
      result: 'not-identified',
      reason: expect.stringMatching(/^every request was refused/),
    })
  })

  test('where Retry-After exceeds the time left, which the probe does not wait for', async () => {
    const asked = experiment(expiringCounter(5, 86_400_000))
    const found = await characterise(asked, { ...LIMITS, maxMs: 60_000 })
    expect(found).toMatchObject({
      result: 'not-identified',
      requests: 6,
      reason: expect.stringMatching(/wait 86\d{3} s/),
    })
    expect(asked.now()).toBeLessThan(60_000)
  })

  test('where more than a third of the rate is other traffic, although some limiter explains every response', async () => {
    for (const limiter of [bucketOfTokens(20, 0.1), expiringCounter(20, 60_000)]) {
      const found = await characterise(experiment(limiter, { othersPerSecond: 0.2 }), {
        ...LIMITS,
        maxRequests: 120,
      })
      expect(found.result).toBe('not-identified')
    }
  }, 120_000)

  test.each([
    ['restarts the wait', () => renewing(10, 10_000)],
    ['starts a ban', () => banning(10, 10_000, 30_000)],
  ] as const)(
    'where each refusal %s, with or without Retry-After',
    async (_, limiter) => {
      for (const retryAfter of [true, false]) {
        for (const seed of [1, 2, 3]) {
          const conditions = { latencyMs: 20, retryAfter, lost: 0, othersPerSecond: 0 }
          const asked = new VirtualExperiment(limiter(), conditions, seeded(seed))
          const found = await characterise(asked, { maxRequests: 200, maxMs: 3_600_000 })
          expect(found.result).toBe('not-identified')
        }
      }
    },
    120_000,
  )

  test('where the requests run out before one kind is left, and what is known is kept', async () => {
    const found = await characterise(experiment(expiringCounter(10, 60_000)), { ...LIMITS, maxRequests: 12 })
    expect(found).toMatchObject({ result: 'not-identified', requests: 12, known: { capacity: { high: 10 } } })
  })

  test('if the budget ends before two kinds differ, both are named, with the excluded kinds and the budget that would decide', async () => {
    const limits = { maxRequests: 200, maxMs: 120_000 }
    const found = await characterise(experiment(expiringCounter(60, 60_000), { retryAfter: false }), limits)
    if (found.result !== 'not-identified') throw new Error('it is identified')
    expect(found.reason).toMatch(
      /^the budget ran out with 2 kinds left \(fixed window of 60 .*sliding window log of 60/,
    )
    expect(found.reason).toContain('excluded: token bucket, sliding window counter')
    const { requests = 0, ms = 0 } = found.needs ?? {}
    const again = await characterise(experiment(expiringCounter(60, 60_000), { retryAfter: false }), {
      maxRequests: requests,
      maxMs: ms,
    })
    expect(again).toMatchObject({ result: 'identified', kind: 'fixed-window', capacity: 60 })
  })

  test.each([
    ['fixed-window', () => expiringCounter(10, 60_000)],
    ['sliding-log', () => logOfTimes(10, 60_000)],
    ['token-bucket', () => bucketOfTokens(10, 0.1)],
    ['sliding-counter', () => twoCounters(10, 60_000)],
  ] as const)('after too few requests, of which none excludes the kind: %s', async (kind, limiter) => {
    for (const maxMs of [6000, 12_000, 20_000, 45_000]) {
      const found = await characterise(experiment(limiter(), { retryAfter: false }), { ...LIMITS, maxMs })
      expect(found).toMatchObject({ known: { kinds: expect.arrayContaining([kind]) } })
    }
  })

  test('where the sizes of responses differ, so that a limit by bytes is possible', async () => {
    const sizes = [900, 1100, 1000, 1300, 700]
    const found = await characterise(experiment(expiringBytes(10_000, 60_000, sizes)), LIMITS)
    if (found.result !== 'not-identified') throw new Error('it is identified')
    const same = await characterise(experiment(expiringBytes(10_000, 60_000, [1000, 1005])), LIMITS)
    expect(same).toMatchObject({ result: 'identified', kind: 'fixed-window', capacity: 10 })
  })

  test('where the probe is cancelled halfway', async () => {
    const inner = experiment(expiringCounter(10, 60_000))
    const ended: Experiment = {
      epochOffset: inner.epochOffset,
      now: () => inner.now(),
      send: (at): Promise<DataPoint | undefined> =>
        inner.requests < 15 ? inner.send(at) : Promise.resolve(undefined),
    }
    const found = await characterise(ended, LIMITS)
    expect(found).toMatchObject({ result: 'not-identified', requests: 15 })
  })
})

/** 60 in each minute; the first request comes so many seconds after its begin. */
function minutesFrom(seconds: number): VirtualLimiter {
  const minutes = clockCounter(60, 60_000)
  let firstAt: number | undefined
  return {
    decide(at) {
      firstAt ??= at
      return minutes.decide(at - firstAt + seconds * 1000)
    },
  }
}

const always = (admitted: boolean) => () => ({ admitted, waitMs: 1000, delayMs: 0 })
