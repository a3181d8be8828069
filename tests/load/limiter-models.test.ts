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
import { type DataPoint, type DecisionInterval, decisionIntervals } from '../../load/limiter/data-points.ts'
import { fixedWindow, gridWindow } from '../../load/limiter/models/fixed-window.ts'
import { type LimiterParameters, type Model, maxPeriodMs } from '../../load/limiter/models/model.ts'
import { slidingCounter } from '../../load/limiter/models/sliding-counter.ts'
import { slidingLog } from '../../load/limiter/models/sliding-log.ts'
import { tokenBucket } from '../../load/limiter/models/token-bucket.ts'

type Make = (capacity: number, windowMs: number) => VirtualLimiter

const pairs: readonly (readonly [string, Model, Make])[] = [
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
    { minLength: 1, maxLength: 120, size: 'max' },
  ),
  decided: fc.double({ min: 0, max: 1, noNaN: true }),
  lost: fc.array(fc.nat({ max: 119 }), { maxLength: 2 }),
})

function observe(
  limiter: VirtualLimiter,
  { windowMs, begin, pauses, decided, lost }: typeof histories extends fc.Arbitrary<infer T> ? T : never,
): DataPoint[] {
  let now = begin
  return pauses.map((pause, index) => {
    const sentAt = now + pause * windowMs
    now = sentAt + 30
    const { admitted } = limiter.decide(sentAt + 30 * decided)
    const outcome = lost.includes(index) ? 'unknown' : admitted ? 'admitted' : 'throttled'
    return { sentAt, endedAt: now, outcome }
  })
}

test.each(pairs)('the truth is never ruled out: %s', (_name, model, make) => {
  fc.assert(
    fc.property(histories, (history) => {
      const { capacity, windowMs } = history
      const dataPoints = observe(make(capacity, windowMs), history)
      const truth = model === tokenBucket ? windowMs / capacity : windowMs
      const fit = model.fit(capacity, { low: truth / 10, high: maxPeriodMs })
      expect(decisionIntervals(dataPoints).every((decision) => fit.observe(decision))).toBe(true)
      expect(fit.periods().low).toBeLessThanOrEqual(truth * 1.000001)
      expect(fit.periods().high).toBeGreaterThanOrEqual(truth * 0.999999)
    }),
    { numRuns: 60, seed: 5 },
  )
})

test.each(pairs)('the simulation admits what the limiter admits: %s', (_name, model, make) => {
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

/** Whether a simulation with these parameters has the outcomes of exact data points. */
function repeats(model: Model, parameters: LimiterParameters, dataPoints: readonly DataPoint[]): boolean {
  const simulation = model.simulate(parameters)
  return dataPoints.every(({ sentAt, outcome }) => {
    const admitted = simulation.nextAdmission(sentAt) <= sentAt
    simulation.record(sentAt, admitted)
    return admitted === (outcome === 'admitted')
  })
}

/** The same history, with the moments of all decisions known, none of them lost and none at the same moment. */
function exactly(
  limiter: VirtualLimiter,
  history: typeof histories extends fc.Arbitrary<infer T> ? T : never,
) {
  let at = history.begin
  return history.pauses.map((pause, index): DataPoint => {
    at += 7.31 + index * 0.0137 + pause * history.windowMs
    return { sentAt: at, endedAt: at, outcome: limiter.decide(at).admitted ? 'admitted' : 'throttled' }
  })
}

/** Decisions without the tolerance of clocks. */
function exactDecisions(dataPoints: readonly DataPoint[]): DecisionInterval[] {
  return decisionIntervals(dataPoints).map((decision, index) => {
    const at = dataPoints[index]?.sentAt ?? 0
    return { ...decision, from: at, to: at }
  })
}

/** Parameters and their neighbours: where a window begins with a request, rounding decides. */
function near({ capacity, period, start }: LimiterParameters): LimiterParameters[] {
  if (start === undefined) return [{ capacity, period }]
  const steps = [0, 1e-6, -1e-6]
  return steps.flatMap((longer) =>
    steps.map((later) => ({ capacity, period: period + longer, start: start + later })),
  )
}

const isOnGrid = ({ kind, variant }: Model) => variant === 'grid' || kind === 'sliding-counter'
const nothing = { windows: [], ends: [] }

test.each(pairs)(
  'a fit keeps the parameters that repeat the decisions, up to its bounds: %s',
  (_name, model, make) => {
    fc.assert(
      fc.property(histories, fc.double({ min: 0.5, max: 2, noNaN: true }), (history, factor) => {
        const { capacity, windowMs } = history
        // A fit on a grid joins histories where there are many.
        const pauses = history.pauses.slice(0, isOnGrid(model) ? 30 : undefined)
        const dataPoints = exactly(make(capacity, windowMs), { ...history, pauses })
        const truth = model === tokenBucket ? windowMs / capacity : windowMs
        const possible = { low: truth / 10, high: truth * 10 }
        const fit = model.fit(capacity, possible)
        for (const decision of exactDecisions(dataPoints)) expect(fit.observe(decision)).toBe(true)
        const { low, high } = fit.periods()
        // Sliding counters keep some grids on which a window begins with a request.
        for (const sample of model.kind === 'sliding-counter' ? [] : fit.samples(nothing))
          expect(near(sample).some((parameters) => repeats(model, parameters, dataPoints))).toBe(true)
        if (isOnGrid(model)) return
        for (const period of [low * (1 + 1e-9), high * (1 - 1e-9)])
          expect(repeats(model, { capacity, period }, dataPoints)).toBe(true)
        const other = truth * factor
        if (repeats(model, { capacity, period: other }, dataPoints)) {
          expect(low).toBeLessThanOrEqual(other)
          expect(high).toBeGreaterThanOrEqual(other)
        }
      }),
      { numRuns: 60, seed: 7 },
    )
  },
)

test.each(pairs)(
  'decisions of a limiter with less capacity contradict a fit, and leave it as it was: %s',
  (_name, model, make) => {
    const capacity = 6
    const dataPoints = exactly(make(capacity - 3, 10_000), {
      capacity,
      windowMs: 10_000,
      begin: 20_000,
      pauses: Array.from({ length: 12 }, () => 0),
      decided: 0,
      lost: [],
    })
    const fit = model.fit(capacity, { low: 1000, high: 100_000 })
    const all = exactDecisions(dataPoints)
    const contradiction = all.findIndex((decision) => !fit.observe(decision))
    // A bucket counts the requests until the first 429 in advance.
    expect(contradiction).toBe(model === tokenBucket ? 0 : 3)
    if (model === tokenBucket) return
    const { low, high } = fit.periods()
    expect(fit.observe(all[contradiction] as (typeof all)[number])).toBe(false)
    expect(fit.periods()).toEqual({ low, high })
  },
)

test.each(pairs)(
  'a copy of a simulation continues like the original, and does not change it: %s',
  (_name, model) => {
    const parameters = { capacity: 3, period: 1000, start: 0 }
    const simulation = model.simulate(parameters)
    for (const at of [1010, 1020, 1030]) simulation.record(at, true)
    const copy = simulation.copy()
    const next = simulation.nextAdmission(1040)
    expect(next).toBeGreaterThan(1040)
    expect(copy.nextAdmission(1040)).toBe(next)
    copy.record(next, true)
    copy.record(next, true)
    expect(simulation.nextAdmission(1040)).toBe(next)
    for (let more = 0; more < 3; more += 1) simulation.record(next, true)
    const later = simulation.copy()
    expect(later.nextAdmission(next + 1)).toBe(simulation.nextAdmission(next + 1))
  },
)

test('each model has a name, declares its windows, and needs a least capacity for a burst', () => {
  const rows = pairs.map(([, { kind, variant, alignedVariant, hasGrid, countsRefused, minCapacity }]) => [
    kind,
    variant,
    [alignedVariant, hasGrid, countsRefused],
    minCapacity(20),
    minCapacity(21),
  ])
  expect(rows).toEqual([
    ['fixed-window', 'first-request', [undefined, false, false], 20, 21],
    ['fixed-window', 'grid', ['clock', true, false], 10, 11],
    ['sliding-log', undefined, [undefined, false, false], 20, 21],
    ['sliding-log', 'counts-refused', [undefined, false, true], 20, 21],
    ['sliding-counter', undefined, [undefined, true, false], 16, 17],
    ['sliding-counter', 'whole-request', [undefined, true, false], 16, 17],
    ['token-bucket', undefined, [undefined, false, false], 10, 11],
  ])
})

test.each(pairs)('a suggested window that is possible is among the samples: %s', (_name, model, make) => {
  const dataPoints = exactly(make(2, 10_000), {
    capacity: 2,
    windowMs: 10_000,
    begin: 100_000,
    pauses: [0, 0, 0, 1.3, 0, 0],
    decided: 0,
    lost: [],
  })
  const fit = model.fit(2, { low: 500, high: 100_000 })
  for (const decision of exactDecisions(dataPoints)) expect(fit.observe(decision)).toBe(true)
  const period = model === tokenBucket ? 5000 : 10_000
  expect(fit.samples({ windows: [10_000], ends: [] }).map((sample) => sample.period)).toContain(period)
  expect(fit.share()).toBeGreaterThan(0)
  const { low, high } = fit.periods()
  expect(fit.share()).toBeLessThanOrEqual(2 * Math.log(high / low))
})
