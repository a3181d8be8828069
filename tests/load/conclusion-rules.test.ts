import { describe, expect, test } from 'vitest'
import type { Candidate } from '../../load/limiter/candidates.ts'
import { fixedWindow, gridWindow } from '../../load/limiter/models/fixed-window.ts'
import type { Model } from '../../load/limiter/models/model.ts'
import { slidingCounter } from '../../load/limiter/models/sliding-counter.ts'
import { slidingLog } from '../../load/limiter/models/sliding-log.ts'
import { tokenBucket } from '../../load/limiter/models/token-bucket.ts'
import { bucketCandidate, candidate, concluded, logCandidate, spanning } from './fake-candidates.ts'
import { admitted, observed } from './scripted-experiment.ts'

describe('there is no conclusion', () => {
  test('without candidates, with several kinds, or without precision', async () => {
    expect(await concluded([])).toBe('undecided')
    expect(await concluded([logCandidate, bucketCandidate])).toBe('undecided')
    expect(await concluded([candidate(slidingLog(false), 3, 500, 1000)])).toBe('undecided')
    const spent = await concluded([logCandidate, bucketCandidate], {}, spanning, { maxRequests: 4 })
    expect(spent).toBe('undecided')
  })

  test('while the budget lasts and another kind leaves one data point unexplained', async () => {
    const changes = { plausible: [logCandidate, bucketCandidate] }
    expect(await concluded([logCandidate], changes)).toBe('undecided')
    const spent = await concluded([logCandidate], changes, spanning, { maxRequests: 4 })
    expect(spent).toMatchObject({
      kind: 'sliding-log',
      notes: [
        'Another kind explains only one data point fewer: the budget ran out before the probe could rule it out.',
        'A second limit over a longer window would go unnoticed if it admits at least 3 requests in 1 s.',
      ],
    })
  })

  test('where no refusal was due to old requests, unless it is a bucket', async () => {
    const recent = [...admitted(0, 20, 40), observed('throttled', 60)]
    expect(await concluded([logCandidate], {}, recent)).toBe('renewed')
    expect(await concluded([bucketCandidate], {}, recent)).toMatchObject({
      kind: 'token-bucket',
      notes: [
        'A leaky bucket as a meter (GCRA) admits exactly the same requests.',
        'A second limit over a longer window would go unnoticed if it admits at least 3 requests in 1 s.',
      ],
    })
  })
})

describe('where no refusal was due to old requests, but Retry-After excludes waits of one length', () => {
  const window = candidate(fixedWindow, 3, 9800, 10_200)
  const counting = [
    ...admitted(0, 20, 40),
    observed('throttled', 60, 4000),
    ...admitted(4100, 4110, 4120),
    observed('throttled', 4130, 9000),
  ]
  const explains = { explainedBy: () => 99 }

  test('there is no conclusion while the budget lasts', async () => {
    expect(await concluded([window], explains, counting)).toBe('renewed')
  })

  test('there is one when it is spent, with a note', async () => {
    const found = await concluded([window], explains, counting, { maxRequests: 8 })
    expect(found).toMatchObject({
      kind: 'fixed-window',
      notes: [
        'Bans that grow with each refusal would look the same: the budget ran out before the probe could rule them out.',
        expect.stringMatching(/^A second limit/),
      ],
    })
    const distrusting = { ...explains, trustsRetryAfter: false }
    expect(await concluded([window], distrusting, counting, { maxRequests: 8 })).toBe('renewed')
  })
})

describe('a conclusion', () => {
  test('has all that is known of a log', async () => {
    expect(await concluded([logCandidate])).toStrictEqual({
      result: 'identified',
      kind: 'sliding-log',
      capacity: 3,
      capacityInterval: { low: 3, high: 3 },
      rateInterval: { low: 3000 / 1020, high: 3000 / 980 },
      proof: {
        observations: 4,
        explained: 4,
        nextBest: { kind: 'fixed-window', explained: 1 },
        sentence:
          'This model explains all 4 data points (4 requests of this probe); the next best model, a fixed window, explains 1.',
      },
      requests: 4,
      elapsedMs: 650,
      rate: 3,
      windowMs: 1000,
      windowInterval: { low: 980, high: 1020 },
      notes: [
        'A second limit over a longer window would go unnoticed if it admits at least 3 requests in 1 s.',
      ],
    })
  })

  test.each([
    [2, {}, ''],
    [3, { needsCoincidence: true }, ', but only if its windows happen to end exactly when a request is sent'],
  ])('is compared with the best of other kinds, which explains %d', async (explained, coincidence, text) => {
    const explainedBy = ({ kind }: Model, capacity: number) =>
      kind === 'sliding-log' ? 4 : kind === 'token-bucket' && capacity === 2 ? explained : 1
    expect(await concluded([logCandidate], { explainedBy })).toMatchObject({
      proof: {
        nextBest: { kind: 'token-bucket', explained, ...coincidence },
        sentence: `This model explains all 4 data points (4 requests of this probe); the next best model, a token bucket, explains ${explained}${text}.`,
      },
    })
  })

  test('states what its data points are, and omits requests with an unknown outcome', async () => {
    const stated = [...admitted(0, 600, 620), observed('throttled', 640, 3000)]
    const earlier = [observed('unknown', -20)]
    expect(await concluded([logCandidate], { unexplained: 1 }, stated, { earlier })).toMatchObject({
      proof: {
        sentence:
          'This model explains 4 of 5 data points (4 requests of this probe, 1 Retry-After value longer than 1 s); the next best model, a fixed window, explains 0.',
      },
    })
  })

  test('compares capacities from two below to the greatest, at least one', async () => {
    const sizes = new Set<number>()
    const explainedBy = (_: Model, capacity: number) => {
      sizes.add(capacity)
      return 1
    }
    await concluded([candidate(slidingLog(false), 6, 980, 1020)], { explainedBy })
    expect([...sizes]).toEqual([4, 5, 6])
    sizes.clear()
    const two = [...admitted(0, 620), observed('throttled', 640)]
    await concluded([candidate(slidingLog(false), 2, 980, 1020)], { explainedBy }, two)
    expect([...sizes]).toEqual([1, 2])
  })

  test('needs no coincidence where the next best kind is still left', async () => {
    const found = await concluded(
      [logCandidate],
      {
        plausible: [logCandidate, bucketCandidate],
        explainedBy: ({ kind }: Model) => (kind === 'token-bucket' ? 3 : 1),
      },
      spanning,
      { maxRequests: 4 },
    )
    expect(found).toHaveProperty('proof.nextBest', { kind: 'token-bucket', explained: 3 })
  })

  test('counts unexplained data points, and what Retry-After states if it is trusted', async () => {
    const stated = [...admitted(0, 600, 620), observed('throttled', 640, 5000)]
    expect(await concluded([logCandidate], { unexplained: 1 }, stated)).toMatchObject({
      proof: { observations: 5, explained: 4 },
    })
    expect(await concluded([logCandidate], { trustsRetryAfter: false }, stated)).toMatchObject({
      proof: { observations: 4, explained: 4 },
    })
  })

  test.each<[string, readonly Candidate[], number]>([
    [
      'a window: the larger of two, if neither is round',
      [13, 14].map((size) => candidate(slidingLog(false), size, 980, 1020)),
      14,
    ],
    [
      'a window: the round one of two',
      [24, 25].map((size) => candidate(slidingLog(false), size, 980, 1020)),
      25,
    ],
    [
      'a window: the round one of two, even if it is the smaller one',
      [10, 11].map((size) => candidate(slidingLog(false), size, 980, 1020)),
      10,
    ],
    [
      'a window: the roundest of more',
      [99, 102].map((size) => candidate(slidingLog(false), size, 980, 1020)),
      100,
    ],
    ['a bucket: the roundest', [99, 100].map((size) => candidate(tokenBucket, size, 980, 1020)), 100],
    ['a bucket: the roundest of two', [100, 101].map((size) => candidate(tokenBucket, size, 980, 1020)), 100],
  ])('has the capacity of %s', async (_, best, capacity) => {
    const recent = Array.from({ length: (best[0]?.fit.capacity ?? 0) - 1 }, (__, index) => 600 + index / 10)
    const dataPoints = [...admitted(0, ...recent), observed('throttled', 640)]
    expect(await concluded(best, {}, dataPoints)).toMatchObject({ capacity })
  })

  test.each([
    [4900, 5100, 12 / 60],
    [495, 505, 2],
    [70, 73, 50_000 / 3600],
    [71_500, 72_500, 50 / 3600],
    [7_150_000, 7_250_000, 0.5 / 3600],
    [51, 52, 70_000 / 3600],
    [91, 93, 650 / 60],
    [102, 103, 9.8],
    [1001, 1151, 55 / 60],
  ])('has a round rate of a bucket with a token every %d to %d ms', async (low, high, rate) => {
    expect(await concluded([candidate(tokenBucket, 3, low, high)])).toHaveProperty('rate', rate)
  })

  test('names what is not distinguished', async () => {
    const windows = [candidate(fixedWindow, 3, 980, 1020), candidate(gridWindow, 3, 980, 1020)]
    const found = await concluded(windows)
    expect(found).toHaveProperty(
      'notes.0',
      'The responses do not show whether a window begins with its first request or at fixed times.',
    )
    expect(found).not.toHaveProperty('variant')
    expect(found).not.toHaveProperty('windowStart')
    const logs = [logCandidate, candidate(slidingLog(true), 3, 980, 1020)]
    expect(await concluded(logs)).toHaveProperty(
      'notes.0',
      'The responses do not show which variant it is: the plain form; refused requests count too.',
    )
    expect(await concluded([candidate(slidingLog(true), 3, 980, 1020)])).toMatchObject({
      variant: 'counts-refused',
      notes: [expect.stringMatching(/^A second limit over a longer window would go unnoticed/)],
    })
  })

  test.each([
    [[{ capacity: 3, period: 990, start: 7 }], 0, 7, 'clock'],
    [
      [
        { capacity: 3, period: 990, start: 7 },
        { capacity: 3, period: 1000, start: 300 },
      ],
      0,
      300,
      'grid',
    ],
    [[{ capacity: 3, period: 1000, start: 300 }], 10_700, 300, 'clock'],
    [[{ capacity: 3, period: 1000, start: 300 }], 10_621, 300, 'clock'],
    [[{ capacity: 3, period: 1000, start: 300 }], 10_619, 300, 'grid'],
    [[{ capacity: 3, period: 1000, start: 300 }], 10_780, 300, 'clock'],
    [[{ capacity: 3, period: 1000, start: 300 }], 10_781, 300, 'grid'],
    [[{ capacity: 3, period: 1000, start: -1280 }], 200, -1280, 'clock'],
  ] as const)(
    'has the start of the windows of a grid, and whether they are those of the clock: %#',
    async (samples, epochOffset, windowStart, variant) => {
      const grid = candidate(gridWindow, 3, 980, 1020, samples)
      expect(await concluded([grid], {}, spanning, { epochOffset })).toMatchObject({ windowStart, variant })
    },
  )
})

test('only windows of a grid can be those of the clock', async () => {
  const samples = [{ capacity: 3, period: 1000, start: 0 }]
  for (const [wholeRequest, variant] of [
    [true, { variant: 'whole-request' }],
    [false, {}],
  ] as const) {
    const found = await concluded([candidate(slidingCounter(wholeRequest), 3, 980, 1020, samples)])
    expect(found).toMatchObject({ kind: 'sliding-counter', windowStart: 0, ...variant })
    expect('variant' in (found as object)).toBe(wholeRequest)
  }
})

test('a second, wider limit is noted once', async () => {
  const setAside = [
    { admitted: 60, elapsedMs: 12_340, refusedMs: 50_000 },
    { admitted: 90, elapsedMs: 80_000, refusedMs: 50_000 },
  ]
  expect(await concluded([logCandidate], {}, spanning, { setAside })).toHaveProperty('notes', [
    'There is a second, wider limit: after 60 admitted requests in 12.3 s it refused requests for 50 s.',
    'A second limit over a longer window would go unnoticed if it admits at least 3 requests in 1 s.',
  ])
})
