import { describe, expect, test } from 'vitest'
import { Candidates, estimates, firstBurst } from '../../load/limiter/candidates.ts'
import type { DataPoint } from '../../load/limiter/data-points.ts'
import { evenly, hypotheses } from '../../load/limiter/hypotheses.ts'
import { fixedWindow, gridWindow } from '../../load/limiter/models/fixed-window.ts'
import { limiterModels } from '../../load/limiter/models/index.ts'
import type { Model } from '../../load/limiter/models/model.ts'
import { slidingLog } from '../../load/limiter/models/sliding-log.ts'
import { tokenBucket } from '../../load/limiter/models/token-bucket.ts'
import { candidate } from './fake-candidates.ts'
import { admitted, observed } from './scripted-experiment.ts'

/** 3 requests in a window of 10 s that starts with the first: refused with Retry-After, and then admitted. */
const window: readonly DataPoint[] = [
  ...admitted(0, 2010, 2030),
  observed('throttled', 2050, 8000),
  ...admitted(10_070, 10_090, 10_110),
  observed('throttled', 10_130, 10_000),
]

function candidatesOf(dataPoints: readonly DataPoint[]): Candidates {
  const candidates = new Candidates()
  candidates.update(dataPoints)
  return candidates
}

/** What is plausible, in short. */
const shown = ({ plausible, unexplained, minWindowMs }: Candidates) => ({
  plausible: plausible.map(({ model, fit, unexplained: own }) => [
    model.kind,
    model.variant,
    fit.capacity,
    own,
    fit.periods(),
  ]),
  unexplained,
  minWindowMs,
})

describe('the first burst', () => {
  test.each([
    [[...admitted(0, 20), observed('throttled', 50)], { requests: 2, unknown: 0, minSpacing: 60 }],
    [admitted(0, 500, 520, 540), { requests: 4, unknown: 0, minSpacing: 40 }],
    [[observed('throttled', 0)], { requests: 0, unknown: 0, minSpacing: 0 }],
    [[...admitted(0), observed('throttled', 40)], { requests: 1, unknown: 0, minSpacing: 80 }],
    [[...admitted(100), observed('throttled', 140)], { requests: 1, unknown: 0, minSpacing: 80 }],
    [
      [...admitted(0, 500, 590, 600), observed('throttled', 630)],
      { requests: 4, unknown: 0, minSpacing: 60 },
    ],
    [
      [...admitted(0, 500, 510, 530), observed('throttled', 560), ...admitted(561)],
      { requests: 4, unknown: 0, minSpacing: 40 },
    ],
    [
      [...admitted(0), observed('unknown', 20), observed('unknown', 40), observed('throttled', 60)],
      { requests: 3, unknown: 2, minSpacing: 120 },
    ],
  ])('%#: is bounded by the first 429', (dataPoints, expected) => {
    expect(firstBurst(dataPoints)).toEqual(expected)
  })
})

describe('the candidates', () => {
  test('are of these models', () => {
    expect(limiterModels.map(({ kind, variant }) => [kind, variant])).toEqual([
      ['fixed-window', 'first-request'],
      ['fixed-window', 'grid'],
      ['sliding-log', undefined],
      ['token-bucket', undefined],
      ['sliding-counter', undefined],
      ['sliding-counter', 'whole-request'],
      ['sliding-log', 'counts-refused'],
    ])
  })

  test('are none before the first update', () => {
    const { plausible, best, unexplained } = new Candidates()
    expect([plausible, best, unexplained]).toEqual([[], [], Number.POSITIVE_INFINITY])
  })

  test('of lost requests may have counted none of them', () => {
    const lost = [observed('unknown', 20), observed('unknown', 40)]
    const { plausible } = candidatesOf([...admitted(0), ...lost, ...admitted(60), observed('throttled', 80)])
    const fixed = plausible.filter(({ model }) => model === fixedWindow).map(({ fit }) => fit.capacity)
    expect(fixed).toEqual([4, 3, 2])
  })

  test('have at least one request, and no more than were admitted', () => {
    for (const { fit } of candidatesOf([...admitted(0), observed('throttled', 40)]).plausible)
      expect(fit.capacity).toBe(1)
  })

  test('have a rate below that of the burst, and no window that only a coincidence explains', () => {
    const { plausible } = candidatesOf([...admitted(0, 20, 40, 60, 80), observed('throttled', 100)])
    const lowest = (model: Model) =>
      plausible
        .filter((one) => one.model === model)
        .map(({ fit }) => [fit.capacity, Math.round(fit.periods().low)])
    expect(lowest(fixedWindow)).toEqual([
      [5, 200],
      [4, 160],
    ])
    expect(lowest(tokenBucket)[0]).toEqual([5, 86])
    // With 3 or 4, a window ends within the burst.
    expect(lowest(gridWindow)).toEqual([
      [5, 200],
      [2, 80],
    ])
  })

  test('after a burst have at most its capacity, and no model is ruled out', () => {
    const { plausible } = candidatesOf([...admitted(0, 20, 40, 60, 80), observed('throttled', 100)])
    for (const group of Map.groupBy(plausible, ({ model }) => model).values()) {
      expect(group[0]?.fit.capacity).toBe(5)
      for (const { model, fit } of group) expect(fit.capacity).toBeGreaterThanOrEqual(model.minCapacity(4))
    }
    expect(new Set(plausible.map(({ model }) => model))).toEqual(new Set(limiterModels))
  })

  test('contain the limiter, and leave out windows that are much shorter than Retry-After', () => {
    const candidates = candidatesOf(window)
    expect(candidates.unexplained).toBe(0)
    expect(candidates.minWindowMs).toBeCloseTo(9000 / 1.1)
    expect(candidates.best).toEqual(candidates.plausible.filter(({ unexplained }) => unexplained === 0))
    const fixed = candidates.plausible.find(
      ({ model, fit }) => model.variant === 'first-request' && fit.capacity === 3,
    )
    expect(fixed?.fit.periods().low).toBeLessThanOrEqual(10_000)
    expect(fixed?.fit.periods().high).toBeGreaterThanOrEqual(10_000)
    expect(Math.min(...candidates.plausible.map(({ fit }) => fit.periods().low))).toBeGreaterThan(2000)
  })

  test('are the same, however many updates the data points take', () => {
    const without = window.map(({ retryAfterMs: _, ...rest }) => rest)
    const candidates = candidatesOf(without.slice(0, 4))
    candidates.update(without.slice(0, 6))
    candidates.update(without)
    const all = shown(candidatesOf(without))
    // The first update did not know how many requests the next 429 follows.
    expect(shown(candidates).plausible.map((one) => one.slice(0, 4))).toEqual(
      all.plausible.map((one) => one.slice(0, 4)),
    )
  })

  test('start again only with a Retry-After that is longer by half', () => {
    const longer = (retryAfterMs: number) => {
      const candidates = candidatesOf(window.slice(0, 4))
      candidates.update([...window.slice(0, 7), observed('throttled', 10_130, retryAfterMs)])
      return candidates.minWindowMs
    }
    expect(longer(10_000)).toBeCloseTo(7000 / 1.1)
    expect(longer(12_000)).toBeCloseTo(11_000 / 1.1)
  })

  test('include shorter windows without trust in Retry-After', () => {
    const candidates = candidatesOf(window)
    expect(candidates.distrustRetryAfter(window)).toBe(true)
    expect(candidates.distrustRetryAfter(window)).toBe(false)
    expect([candidates.trustsRetryAfter, candidates.minWindowMs]).toEqual([false, 0])
    const without = window.map(({ retryAfterMs: _, ...rest }) => rest)
    const plain = candidatesOf(without)
    expect(shown(candidates)).toEqual(shown(plain))
    expect(plain.trustsRetryAfter).toBe(true)
    expect(plain.distrustRetryAfter(without)).toBe(false)
    expect(plain.trustsRetryAfter).toBe(false)
    candidates.update([...window, observed('throttled', 20_000, 60_000)])
    expect(candidates.minWindowMs).toBe(0)
  })

  test('at the end believe that a request after the last Retry-After would be admitted', () => {
    const highest = ({ plausible }: Candidates) =>
      plausible
        .find(({ model, fit }) => model.variant === 'first-request' && fit.capacity === 3)
        ?.fit.periods().high
    const dataPoints = window.slice(0, 4)
    const believing = candidatesOf(dataPoints)
    expect(highest(believing)).toBeGreaterThan(1_000_000)
    believing.assumeAdmittedAfterRetryAfter(dataPoints)
    expect(highest(believing)).toBeLessThan(11_000)
    const distrusting = candidatesOf(dataPoints)
    distrusting.distrustRetryAfter(dataPoints)
    const before = shown(distrusting)
    distrusting.assumeAdmittedAfterRetryAfter(dataPoints)
    expect(shown(distrusting)).toEqual(before)
    const admittedLast = candidatesOf(window.slice(0, 5))
    const same = shown(admittedLast)
    admittedLast.assumeAdmittedAfterRetryAfter(window.slice(0, 5))
    expect(shown(admittedLast)).toEqual(same)
  })

  test('may leave one data point more unexplained than the best', () => {
    // 3 in 10 s, but once a request is admitted too early.
    const other = [...window, ...admitted(12_000), observed('throttled', 12_020, 8000)]
    const candidates = candidatesOf(other)
    const least = candidates.unexplained
    expect(candidates.plausible.every(({ unexplained }) => unexplained < least + 2)).toBe(true)
    expect(candidates.best.every(({ unexplained }) => unexplained === least)).toBe(true)
    expect(candidates.best.length).toBeGreaterThan(0)
  })

  test('that explain all are plausible, although many parameters leave one data point unexplained', () => {
    const throttledAt = new Set([60, 18_880])
    const dataPoints = [20, 40, 60, 7260, 12_360, 18_860, 18_880, 24_680].map((at) =>
      observed(throttledAt.has(at) ? 'throttled' : 'admitted', at),
    )
    const { plausible } = candidatesOf(dataPoints)
    const kept = plausible.map(({ model, fit, unexplained }) => [
      model.kind,
      model.variant,
      fit.capacity,
      unexplained,
    ])
    expect(kept).toContainEqual(['sliding-log', undefined, 2, 0])
    expect(kept).toContainEqual(['sliding-log', undefined, 1, 1])
  })

  test('explain as many data points as a fresh fit of their model', () => {
    const candidates = candidatesOf(window)
    expect(candidates.explainedBy(fixedWindow, 3, window)).toBe(window.length)
    expect(candidates.explainedBy(fixedWindow, 5, window)).toBe(window.length - 2)
    const early = [...window.slice(0, 7), ...admitted(10_130)]
    expect(candidates.explainedBy(slidingLog(false), 3, early)).toBe(early.length - 1)
  })
})

test('candidates of one kind have one estimate, with the rate of each capacity', () => {
  const fixed = candidate(fixedWindow, 10, 1000, 2000)
  const grid = candidate(gridWindow, 12, 4000, 6000)
  const buckets = [candidate(tokenBucket, 4, 100, 200), candidate(tokenBucket, 5, 250, 400)]
  expect(estimates([fixed, ...buckets, grid])).toEqual([
    {
      kind: 'fixed-window',
      candidates: [fixed, grid],
      capacity: { low: 10, high: 12 },
      window: { low: 1000, high: 6000 },
      rate: { low: 2, high: 10 },
    },
    {
      kind: 'token-bucket',
      candidates: buckets,
      capacity: { low: 4, high: 5 },
      window: { low: 400, high: 2000 },
      rate: { low: 2.5, high: 10 },
    },
  ])
  expect(estimates([])).toEqual([])
})

describe('hypotheses', () => {
  const candidates = candidatesOf(window)
  const all = hypotheses(candidates.plausible, window, 0.1)

  test('are limiters of each model among the candidates, in the state after the data points', () => {
    const kinds = new Set(candidates.plausible.map(({ model }) => model.kind))
    expect(new Set(all.map(({ kind }) => kind))).toEqual(kinds)
    for (const { kind, window: ms, parameters } of all)
      expect(ms).toBe(kind === 'token-bucket' ? parameters.capacity * parameters.period : parameters.period)
    const exact = all.find(({ kind, parameters }) => kind === 'fixed-window' && parameters.period === 10_000)
    expect(exact?.state.nextAdmission(10_140)).toBeGreaterThan(20_000)
    expect(exact?.state.nextAdmission(10_140)).toBeLessThan(20_100)
  })

  test('weigh one in all, those that contradict Retry-After less', () => {
    expect(all.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1)
    const fixed = all.filter(({ kind }) => kind === 'fixed-window').toSorted((a, b) => b.weight - a.weight)
    expect(Math.abs((fixed[0]?.window ?? 0) - 10_000)).toBeLessThan(1000)
    expect(fixed[0]?.weight).toBeGreaterThan(fixed.at(-1)?.weight ?? 1)
  })

  test('weigh one as rivals for each model, and are at most twelve of each', () => {
    const models = new Set(candidates.plausible.map(({ model }) => model))
    expect(all.reduce((sum, { rivalWeight }) => sum + rivalWeight, 0)).toBeCloseTo(models.size)
    expect(all.length).toBeLessThanOrEqual(12 * models.size)
  })
})

test.each([
  [5, [1, 2, 3], [1, 2, 3]],
  [3, [1, 2, 3], [1, 2, 3]],
  [2, [1, 2, 3, 4, 5], [1, 5]],
  [3, [1, 2, 3, 4, 5], [1, 3, 5]],
  [4, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [0, 3, 6, 9]],
])('at most %d values of %j, evenly taken', (max, values, expected) => {
  const taken = evenly(values, max)
  expect(taken).toEqual(expected)
  expect(taken).not.toBe(values)
})
