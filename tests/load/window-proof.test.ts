import { describe, expect, test } from 'vitest'
import type { LimiterEstimate } from '../../load/limiter/candidates.ts'
import { excludesConstantWaits, isWindowConfirmed } from '../../load/limiter/window-proof.ts'
import { admitted, observed } from './scripted-experiment.ts'

/** 3 requests in 1 s or 10 s. */
const estimate = (windowMs: number, kind: LimiterEstimate['kind'] = 'fixed-window'): LimiterEstimate => ({
  kind,
  candidates: [],
  capacity: { low: 3, high: 3 },
  window: { low: windowMs, high: windowMs },
  rate: { low: 1, high: 1 },
})

const refused = (...times: number[]) => times.map((at) => observed('throttled', at))

test('a window is proven by a refusal that is due to requests older than half of it, without another in between', () => {
  const recent = [...admitted(0, 20, 40), observed('throttled', 60)]
  const old = [...admitted(0, 600, 620), observed('throttled', 640)]
  const late = [
    ...admitted(0, 20, 40),
    observed('throttled', 160),
    ...admitted(600),
    observed('throttled', 640),
  ]
  expect(isWindowConfirmed(estimate(1000, 'sliding-log'), recent)).toBe(false)
  expect(isWindowConfirmed(estimate(1000, 'sliding-log'), old)).toBe(true)
  expect(isWindowConfirmed(estimate(1000, 'sliding-log'), late)).toBe(false)
  expect(isWindowConfirmed(estimate(1000, 'token-bucket'), late)).toBe(true)
})

describe('without Retry-After, refusals of different duration exclude bans and renewed waits of one length', () => {
  const excludes = (...dataPoints: Parameters<typeof excludesConstantWaits>[2][number][]) =>
    excludesConstantWaits(estimate(1000), { trustsRetryAfter: true }, dataPoints)
  /** Refused for 200 ms, the last wait 90 ms; then 3 requests. */
  const first = [...refused(0, 120), ...admitted(200, 220, 240)]

  test('if a later one outlasts the first and there was a longer gap in it', () => {
    expect(excludes(...first, ...refused(260, 300, 700, 810, 920))).toBe(true)
  })

  test('if a request was admitted after the gap', () => {
    expect(excludes(...first, ...refused(260, 300, 500), ...admitted(850), ...refused(920))).toBe(true)
  })

  test('not if the gaps are as short, since each refusal may restart the wait', () => {
    /** Refused for 510 ms, the last wait 210 ms; then 3 requests. */
    const long = [...refused(-300, 0), ...admitted(200, 220, 240)]
    const gaps = [...refused(260, 500, 740, 980)]
    expect(excludes(...long, ...gaps, ...refused(1220))).toBe(false)
    expect(excludes(...long, ...gaps, ...refused(1260))).toBe(true)
  })

  test('not if the first refusal lasted as long, since it may start a ban', () => {
    const long = [...refused(-600, -200, 120), ...admitted(200, 220, 240)]
    expect(excludes(...long, ...refused(260, 300, 700, 810, 920))).toBe(false)
  })

  test('not if recent requests may be the reason', () => {
    expect(excludes(...first, ...refused(260, 300, 500, 650))).toBe(false)
  })

  test('not if no request was admitted after a refusal', () => {
    expect(excludes(...admitted(0, 20, 40), ...refused(60, 600, 1200))).toBe(false)
  })
})

describe('Retry-After excludes bans and renewed waits of one length', () => {
  const counting = (...waits: number[]) => [
    ...admitted(0),
    ...waits.map((wait, index) => observed('throttled', 100 + index, wait)),
  ]
  test.each([
    ['if it counts down to the end of a typical window', estimate(10_000), [9000, 4000], true],
    ['not if it is constant', estimate(10_000), [4000, 4000], false],
    ['not if it differs by rounding', estimate(10_000), [4000, 3000], false],
    ['not if it is always longer than half the window', estimate(10_000), [9000, 5000], false],
    ['not if the window is not typical', estimate(11_000), [9000, 4000], false],
    ['not if requests cease to count one by one', estimate(10_000, 'sliding-log'), [9000, 4000], false],
  ] as const)('%s', (_, of, waits, expected) => {
    expect(excludesConstantWaits(of, { trustsRetryAfter: true }, counting(...waits))).toBe(expected)
    expect(excludesConstantWaits(of, { trustsRetryAfter: false }, counting(...waits))).toBe(false)
  })
})
