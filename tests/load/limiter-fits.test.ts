import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type DecisionInterval, decisionIntervals } from '../../load/limiter/data-points.ts'
import { fixedWindow, gridWindow } from '../../load/limiter/models/fixed-window.ts'
import type { Model } from '../../load/limiter/models/model.ts'
import { slidingCounter } from '../../load/limiter/models/sliding-counter.ts'
import { slidingLog } from '../../load/limiter/models/sliding-log.ts'
import { tokenBucket } from '../../load/limiter/models/token-bucket.ts'

const outcomes = { A: 'admitted', T: 'throttled', U: 'unknown' } as const

/** Decisions at exact times: `A0 T10`, with `U` for a lost response. */
function exactDecisions(text: string): DecisionInterval[] {
  const dataPoints = text.split(' ').map((part) => {
    const at = Number(part.slice(1))
    return { sentAt: at, endedAt: at, outcome: outcomes[part[0] as keyof typeof outcomes] }
  })
  return decisionIntervals(dataPoints).map((decision, index) => {
    const at = dataPoints[index]?.sentAt ?? 0
    return { ...decision, from: at, to: at }
  })
}

/** A fit after these decisions, and whether each was explained. */
function fitted(model: Model, capacity: number, [low, high]: readonly [number, number], text: string) {
  const fit = model.fit(capacity, { low, high })
  const explained = exactDecisions(text).map((decision) => fit.observe(decision))
  return { fit, explained, isExplained: explained.every(Boolean) }
}

describe('a fit explains', () => {
  test.each<[string, Model, number, readonly [number, number], string]>([
    ['a lost first request that did not count', fixedWindow, 1, [1000, 10_000], 'U0 A10'],
    [
      'a lost request that did not begin a window',
      fixedWindow,
      2,
      [2000, 4900],
      'A0 U5000 A6000 A6010 T6020',
    ],
    ['a lost request that did not fill the window', fixedWindow, 2, [1000, 10_000], 'A0 U10 A20 T30'],
    ['a lost request that filled the window', fixedWindow, 2, [1000, 10_000], 'A0 U10 T20'],
    ['a lost first request that took no token', tokenBucket, 1, [1000, 100_000], 'U0 A10'],
    ['a lost request that took a token', tokenBucket, 2, [1000, 100_000], 'A0 U10 T20'],
    ['a lost request that the log contains', slidingLog(false), 2, [1000, 10_000], 'A0 U10 T20'],
    ['a lost request that the log does not contain', slidingLog(false), 2, [1000, 10_000], 'A0 U10 A20 T30'],
    ['two windows of a grid', gridWindow, 2, [1000, 10_000], 'A0 A1 A2 A3 T4'],
    ['two windows of a counter', slidingCounter(false), 2, [1000, 10_000], 'A0 A1 A2 T3'],
  ])('%s', (_, model, capacity, periods, text) => {
    expect(fitted(model, capacity, periods, text).isExplained).toBe(true)
  })
})

describe('a fit contradicts', () => {
  test.each<[string, Model, number, readonly [number, number], string]>([
    ['a refused first request', fixedWindow, 3, [1000, 10_000], 'T0'],
    ['a request in a full window', fixedWindow, 2, [1000, 10_000], 'A0 A10 A20'],
    ['a request in a window that is full again', fixedWindow, 2, [1000, 10_000], 'A0 A20000 A20010 A20020'],
    ['a request in a window that is full after a lost one', fixedWindow, 2, [1000, 10_000], 'A0 U10 A20 A30'],
    ['a third window of a grid within milliseconds', gridWindow, 2, [1000, 10_000], 'A0 A1 A2 A3 A4'],
    ['a request while the log is full', slidingLog(false), 1, [1000, 10_000], 'A0 A500'],
    ['a refusal while the log is not full', slidingLog(false), 2, [1000, 10_000], 'A0 T10'],
    ['a refusal while two counters have room', slidingCounter(false), 2, [1000, 10_000], 'A0 T10'],
    ['more requests than two counters admit', slidingCounter(false), 2, [1000, 10_000], 'A0 A1 A2 A3'],
    [
      'a refusal that only refused requests explain',
      slidingCounter(false),
      2,
      [1000, 1001],
      'A0 A1 T2 T3 T4 T1500',
    ],
    ['a request while the bucket is empty', tokenBucket, 1, [1000, 10_000], 'A0 A500'],
  ])('%s', (_, model, capacity, periods, text) => {
    const { explained } = fitted(model, capacity, periods, text)
    expect(explained.slice(0, -1).filter((one) => !one)).toEqual([])
    expect(explained.at(-1)).toBe(false)
  })

  test('a refusal while the bucket has tokens, although more requests may follow', () => {
    const fit = tokenBucket.fit(3, { low: 1000, high: 10_000 })
    const [admitted, refused] = exactDecisions('A0 T100')
    const late = { ...(admitted as DecisionInterval), requestsUntil429: Number.POSITIVE_INFINITY }
    expect([fit.observe(late), fit.observe(refused as DecisionInterval)]).toEqual([true, false])
    expect(fit.periods()).toEqual({ low: 1000, high: 10_000 })
  })

  test('a request after the longest window, if the next 429 is too near for a new one', () => {
    const { explained } = fitted(fixedWindow, 2, [1000, 2000], 'A0 A3000 T3010')
    expect(explained).toEqual([true, false, false])
  })

  test('a decision without a change', () => {
    const { fit } = fitted(slidingLog(false), 1, [1000, 10_000], 'A0 T2000 A1500')
    expect(fit.periods()).toEqual({ low: 2000, high: 10_000 })
  })
})

describe('the periods of a fit', () => {
  test.each<[string, Model, number, string, readonly [number, number]]>([
    [
      'the same window, since the next 429 is too near',
      fixedWindow,
      3,
      'A0 A2000 A2010 T2020',
      [2020, 10_000],
    ],
    ['one window or two', fixedWindow, 2, 'A0 A2000 A2010 T2020', [1000, 2000]],
    ['the time of a full log', slidingLog(false), 2, 'A0 A1500 T1600 A4000', [1600, 4000]],
    ['tokens that return one by one', tokenBucket, 2, 'A0 A10 T1500 A4000', [1500, 4000]],
  ])('%s', (_, model, capacity, text, [low, high]) => {
    const { fit, isExplained } = fitted(model, capacity, [1000, 10_000], text)
    expect(isExplained).toBe(true)
    expect(fit.periods()).toEqual({ low, high })
  })

  test('are known in advance where the next 429 is too near for a new window', () => {
    const before429 = 'A0 A2000 A2010 T2020'
    const [first, second] = exactDecisions(before429)
    for (const model of [fixedWindow, gridWindow]) {
      const fit = model.fit(3, { low: 1000, high: 10_000 })
      expect([first, second].every((decision) => fit.observe(decision as DecisionInterval))).toBe(true)
      expect(fit.periods().low).toBeCloseTo(2000)
    }
  })
})

test('the first request leaves all periods of a bucket once', () => {
  const fit = tokenBucket.fit(3, { low: 1000, high: 100_000 })
  fit.observe({ ...(exactDecisions('A0')[0] as DecisionInterval), to: 10 })
  expect(fit.share()).toBeCloseTo(Math.log(100))
})

test.each([
  ['a third request within milliseconds', false, 'A0 A1 A2', 'A0 A1'],
  ['a refusal while the whole request fits', true, 'A0 T10', 'A0'],
])('%s leaves hardly any grid of a counter with two', (_, wholeRequest, text, before) => {
  const share = (history: string) =>
    fitted(slidingCounter(wholeRequest), 2, [1000, 10_000], history).fit.share()
  expect(share(text)).toBeLessThan(0.01 * share(before))
})

describe('a simulation', () => {
  test('begins a window with the request that is admitted at the end of the last', () => {
    for (const model of [fixedWindow, gridWindow]) {
      const state = model.simulate({ capacity: 1, period: 1000, start: 0 })
      state.record(0, true)
      state.record(1000, true)
      expect(state.nextAdmission(1001)).toBe(2000)
    }
  })

  test('begins a window on a grid at its end, however that rounds', () => {
    const time = fc.double({ min: 1000, max: 100_000, noNaN: true })
    fc.assert(
      fc.property(time, time, time, (period, start, at) => {
        const state = gridWindow.simulate({ capacity: 1, period, start })
        state.record(at, true)
        const next = state.nextAdmission(at)
        state.record(next, true)
        expect(state.nextAdmission(next)).toBeGreaterThan(next)
      }),
      { seed: 3 },
    )
  })

  test.each([fixedWindow, gridWindow, slidingLog(false), slidingCounter(false), tokenBucket])(
    'of $kind has room after a refused request: %#',
    (model) => {
      const state = model.simulate({ capacity: 1, period: 1000, start: 0 })
      state.record(0, false)
      expect(state.nextAdmission(10)).toBe(10)
    },
  )

  test.each([
    [false, 1, [800], 900, 1300],
    [true, 4, [400, 410, 420, 430], 500, 1550],
    [true, 4, [400, 410, 420, 430], 1400, 1550],
    [false, 4, [400, 410, 420, 430], 2500, 2500],
  ])('of counters on a grid that starts later: %#', (wholeRequest, capacity, times, at, expected) => {
    const state = slidingCounter(wholeRequest).simulate({ capacity, period: 1000, start: 300 })
    for (const time of times) state.record(time, true)
    expect(state.nextAdmission(at)).toBeCloseTo(expected, 6)
  })
})
