import { describe, expect, test } from 'vitest'
import { type Candidate, firstBurst, type LimiterEstimate } from '../../load/limiter/candidates.ts'
import { type DataPoint, decisionIntervals, withStated } from '../../load/limiter/data-points.ts'
import {
  idleBurstsNeeded,
  isOddlyShort,
  preciseEstimate,
  sufficientPrecision,
  targetPrecision,
} from '../../load/limiter/elimination.ts'
import { fixedWindow, gridWindow } from '../../load/limiter/models/fixed-window.ts'
import type { LimiterParameters, Model } from '../../load/limiter/models/model.ts'
import { slidingCounter } from '../../load/limiter/models/sliding-counter.ts'
import { slidingLog } from '../../load/limiter/models/sliding-log.ts'
import { tokenBucket } from '../../load/limiter/models/token-bucket.ts'
import { mayCountBytes } from '../../load/limiter/not-identified.ts'
import { ParticleFilter } from '../../load/limiter/other-traffic/particle-filter.ts'
import { seeded } from '../../load/seeded.ts'
import { bucketCandidate, candidate, candidatesLeft } from './fake-candidates.ts'
import { admitted, observed } from './scripted-experiment.ts'

/** The state after admitted requests at these times. */
function stateAfter(model: Model, parameters: LimiterParameters, times: readonly number[]) {
  const state = model.simulate(parameters)
  for (const time of times) state.record(time, true)
  return state
}

describe('a limit by bytes is possible', () => {
  const sent = (sizes: readonly (number | undefined)[]): DataPoint[] =>
    sizes.map((bytes, index) => ({
      sentAt: index,
      endedAt: index + 1,
      outcome: 'admitted',
      ...(bytes !== undefined && { bytes }),
    }))
  test.each([
    [[], false],
    [[undefined, undefined], false],
    [[1000, undefined, 1000], false],
    [[1000, 1100], false],
    [[1000, 1101], true],
    [[1000, undefined, 1101], true],
    [[0, 5], true],
  ])('if sizes differ by more than a tenth: %j %j', (sizes, expected) => {
    expect(mayCountBytes(sent(sizes))).toBe(expected)
  })
})

describe('the next admission', () => {
  const three = { capacity: 3, period: 1000, start: 0 }
  test.each([
    ['a fixed window with room', fixedWindow, three, [0, 10], 20, 20],
    ['a full fixed window, begun by its first request', fixedWindow, three, [100, 110, 120], 130, 1100],
    ['a fixed window at its end', fixedWindow, three, [100, 110, 120], 1100, 1100],
    ['a fixed window just before its end', fixedWindow, three, [100, 110, 120], 1099, 1100],
    [
      'a fixed window after a new first request',
      fixedWindow,
      three,
      [100, 110, 120, 1500, 1501, 1502],
      1600,
      2500,
    ],
    ['a full window on a grid', gridWindow, three, [900, 910, 920], 930, 1000],
    ['a grid that starts later', gridWindow, { ...three, start: 300 }, [900, 910, 920], 930, 1300],
    ['a sliding log, when the oldest leaves', slidingLog(false), three, [0, 400, 500], 600, 1000],
    ['a sliding log, when the second leaves', slidingLog(false), three, [0, 400, 500, 1000], 1001, 1400],
    ['a bucket with tokens', tokenBucket, three, [0, 0], 0, 0],
    ['an empty bucket', tokenBucket, three, [0, 0, 0], 0, 1000],
    ['an empty bucket, which one token refills', tokenBucket, three, [0, 0, 0], 1000, 1000],
    ['a bucket that was full for long', tokenBucket, three, [0, 9000, 9000, 9000], 9000, 10_000],
    ['a sliding counter in its first window', slidingCounter(false), three, [0, 10, 20], 30, 1000 + 1e-9],
    [
      'a sliding counter halfway',
      slidingCounter(false),
      { ...three, capacity: 4 },
      [0, 1, 2, 3, 1500, 1501],
      1502,
      1502,
    ],
    [
      'the same, if the count includes the new request',
      slidingCounter(true),
      { ...three, capacity: 4 },
      [0, 1, 2, 3, 1500, 1501],
      1502,
      1750,
    ],
  ] as const)('of %s', (_name, model, parameters, times, at, expected) => {
    expect(stateAfter(model, parameters, times).nextAdmission(at)).toBeCloseTo(expected, 6)
  })

  test('a copy is independent', () => {
    for (const model of [fixedWindow, gridWindow, slidingLog(false), tokenBucket, slidingCounter(false)]) {
      const state = stateAfter(model, three, [0, 1])
      const copy = state.copy()
      copy.record(2, true)
      expect(copy.nextAdmission(3)).toBeGreaterThan(3)
      expect(state.nextAdmission(3)).toBe(3)
    }
  })

  test('of a log that counts refused requests is later after a refusal', () => {
    const [plain, counting] = [false, true].map((countsRefused) => {
      const state = stateAfter(slidingLog(countsRefused), three, [0, 400, 500])
      state.record(600, false)
      return state.nextAdmission(700)
    })
    expect([plain, counting]).toEqual([1000, 1400])
  })
})

describe('data points', () => {
  test('the pause after the first request does not count as the pace of the burst', () => {
    const burst = [...admitted(0, 2010, 2030, 2050), observed('throttled', 2070)]
    expect(firstBurst(burst)).toEqual({ requests: 4, unknown: 0, minSpacing: 40 })
    expect(firstBurst([...admitted(0, 2010), observed('throttled', 2030)]).minSpacing).toBe(40)
  })

  test('a request without a response does not count for the pace', () => {
    const burst = [
      ...admitted(0, 2000),
      observed('unknown', 2020),
      ...admitted(2040),
      observed('throttled', 2060),
    ]
    expect(firstBurst(burst)).toMatchObject({ requests: 4, unknown: 1 })
  })

  test('a decision knows how many requests may be admitted until the next 429', () => {
    const all = decisionIntervals([...admitted(0, 20), observed('throttled', 40), ...admitted(60)])
    expect(all.map(({ requestsUntil429 }) => requestsUntil429)).toEqual([2, 1, 0, Number.POSITIVE_INFINITY])
  })

  test('Retry-After states a refusal shortly before its end, but not within a second', () => {
    const [, stated] = withStated([observed('throttled', 0, 10_000)])
    expect(stated).toMatchObject({ outcome: 'throttled', isStated: true, sentAt: 10 + 9000 - 50 })
    expect(withStated([observed('throttled', 0, 1000)])).toHaveLength(1)
  })
})

describe('an estimate is precise', () => {
  const windows = (...capacities: readonly number[]) =>
    capacities.map((capacity) => candidate(fixedWindow, capacity, 1000, 1010))
  test.each<[string, readonly Candidate[], boolean]>([
    ['with one capacity', windows(10), true],
    ['with a capacity within one request', windows(10, 11), true],
    ['not with a capacity within two of twelve requests', windows(10, 11, 12), false],
    ['with a capacity within 3 %', windows(100, 103), true],
    ['not with a capacity within 4 %', windows(100, 104), false],
    ['with a rate within 20 %', [candidate(fixedWindow, 10, 1000, 1199)], true],
    ['not with a rate within 21 %', [candidate(fixedWindow, 10, 1000, 1210)], false],
    ['not without candidates', [], false],
  ])('%s', (_, best, expected) => {
    expect(preciseEstimate(candidatesLeft(best), sufficientPrecision) !== undefined).toBe(expected)
    if (!expected) expect(preciseEstimate(candidatesLeft(best), targetPrecision)).toBeUndefined()
  })

  test('enough for the aim with a rate within 10 %', () => {
    const isPrecise = (high: number) =>
      preciseEstimate(candidatesLeft([candidate(fixedWindow, 10, 1000, high)]), targetPrecision) !== undefined
    expect([isPrecise(1099), isPrecise(1101)]).toEqual([true, false])
  })

  test('only where no other kind is left', () => {
    const candidates = candidatesLeft(windows(10), { plausible: [...windows(10), bucketCandidate] })
    expect(preciseEstimate(candidates, sufficientPrecision)).toBeUndefined()
  })
})

describe('a conclusion', () => {
  const estimate = (
    kind: LimiterEstimate['kind'],
    capacity: number,
    low: number,
    high = low,
  ): LimiterEstimate => ({
    kind,
    candidates: [],
    capacity: { low: capacity, high: capacity },
    window: { low, high },
    rate: { low: 1, high: 1 },
  })

  test.each([
    ['sliding-counter', 60, 60_000, 1],
    ['sliding-counter', 61, 60_000, 5],
    ['sliding-counter', 60, 61_000, 5],
    ['fixed-window', 61, 61_000, 0],
    ['fixed-window', 20, 300, 5],
    ['fixed-window', 7, 1450, 5],
    ['fixed-window', 7, 3000, 0],
    ['fixed-window', 7, 3450, 0],
    ['fixed-window', 10, 2000, 0],
    ['sliding-log', 60, 1000, 0],
  ] as const)(
    'of %s, %d in %d ms needs %d bursts after an idle period',
    (kind, capacity, windowMs, expected) => {
      expect(idleBurstsNeeded(estimate(kind, capacity, windowMs))).toBe(expected)
    },
  )

  test.each([
    ['fixed-window', 450, 451, true],
    ['fixed-window', 450, 500, false],
    ['fixed-window', 500, 501, false],
    ['fixed-window', 999, 1000, false],
    ['fixed-window', 1450, 1451, false],
    ['token-bucket', 450, 451, false],
  ] as const)('of %s with a window of %d to %d ms is oddly short: %s', (kind, low, high, expected) => {
    expect(isOddlyShort(estimate(kind, 7, low, high))).toBe(expected)
  })
})

describe('the likelihood of a limiter with other traffic', () => {
  const follow = (dataPoints: readonly DataPoint[], others = 0.2) => {
    const parameters = { capacity: 3, period: 10_000 }
    const filter = new ParticleFilter({ model: slidingLog(false), parameters, others }, 64, seeded(1))
    filter.read(dataPoints)
    return filter
  }
  const full = [...admitted(0, 20, 40), observed('throttled', 60, 10_000)]

  test('is high where no other request is needed', () => {
    expect(follow(full).logLikelihood).toBeGreaterThan(-1)
    expect(follow(full).unexplained).toBe(0)
  })

  test('is lower the more other requests a refusal needs', () => {
    const one = follow([...admitted(0, 20), observed('throttled', 9000)]).logLikelihood
    const two = follow([...admitted(0), observed('throttled', 9000)]).logLikelihood
    expect(one).toBeLessThan(-0.2)
    expect(two).toBeLessThan(one - 0.3)
  })

  test('an admission that other requests cannot cause is unexplained', () => {
    expect(follow([...full, ...admitted(2000)]).unexplained).toBe(1)
    expect(follow([...full, ...admitted(2000)]).logLikelihood).toBeLessThan(-6)
  })

  test('a Retry-After that contradicts the limiter counts against it', () => {
    const contradicted = [...full.slice(0, 3), observed('throttled', 60, 3000)]
    expect(follow(contradicted).logLikelihood).toBeLessThan(follow(full).logLikelihood - 1)
  })

  test('stops below the least likelihood', () => {
    const filter = new ParticleFilter(
      { model: fixedWindow, parameters: { capacity: 1, period: 1000 }, others: 0.1 },
      4,
      seeded(1),
    )
    filter.read(admitted(...Array.from({ length: 50 }, (_, index) => 20 * index)), -20)
    expect(filter.logLikelihood).toBeLessThan(-20)
    expect(filter.logLikelihood).toBeGreaterThan(-40)
  })
})
