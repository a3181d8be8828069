import { describe, expect, test } from 'vitest'
import { estimates } from '../../load/limiter/candidates.ts'
import type { DataPoint } from '../../load/limiter/data-points.ts'
import { sendIdleBurst } from '../../load/limiter/idle-burst.ts'
import { fixedWindow } from '../../load/limiter/models/fixed-window.ts'
import { slidingLog } from '../../load/limiter/models/sliding-log.ts'
import { candidate } from './fake-candidates.ts'
import { admitted, experimentWith, observed } from './scripted-experiment.ts'

/** Sends an idle burst for 3 requests in 10 s after these data points. */
async function idleBurst(
  before: readonly DataPoint[],
  { model = fixedWindow, maxRequests = 100, maxMs = 60_000, earlier = 0 } = {},
) {
  const left = [...before]
  const budgeted = experimentWith((at) => left.shift() ?? observed('admitted', at), { maxRequests, maxMs })
  for (const { sentAt } of before) await budgeted.send(sentAt)
  const [estimate] = estimates([candidate(model, 3, 10_000, 10_000)])
  if (estimate === undefined) throw new Error('there is no estimate')
  await sendIdleBurst({ estimate, earlier, mayBeSeveralGrids: false }, budgeted)
  return {
    times: budgeted.record.sent.slice(before.length).map(({ sentAt }) => Math.round(sentAt)),
    isOver: budgeted.isOver,
  }
}

const filled = [...admitted(0, 20, 40), observed('throttled', 60, 2000)]

describe('an idle burst', () => {
  test('follows an idle period, one request and a pause', async () => {
    const { times } = await idleBurst(filled)
    expect(times).toEqual([12_570, 18_570, 18_580, 18_590, 18_600])
  })

  test('does without the idle period if time is short and Retry-After states that a window begins', async () => {
    const { times } = await idleBurst(filled, { maxMs: 10_000 })
    expect(times).toEqual([2070, 8070, 8080, 8090, 8100])
  })

  test.each([
    [1, 15_510, [15_470, 15_480, 15_490, 15_500]],
    [2, 24_400, [18_370, 24_370, 24_380, 24_390]],
    [4, 30_200, [24_170, 30_170, 30_180, 30_190]],
  ])(
    'follows a longer idle period after %d earlier bursts, if the time left suffices until the burst',
    async (earlier, maxMs, expected) => {
      expect((await idleBurst(filled, { earlier, maxMs })).times).toEqual(expected)
    },
  )

  test.each([
    [2, 24_300],
    [4, 30_100],
  ])(
    'does without the longer idle period after %d earlier bursts if the burst would be too late',
    async (earlier, maxMs) => {
      const { times } = await idleBurst(filled, { earlier, maxMs })
      expect(times).toEqual([2070, 8070, 8080, 8090, 8100])
    },
  )

  test('follows requests that were admitted in the current window', async () => {
    const { times } = await idleBurst([...filled, ...admitted(2500, 2510)], { maxMs: 10_000 })
    expect(times).toEqual([8500, 8510, 8520, 8530])
  })

  test.each([
    ['time', { maxMs: 7000 }],
    ['number of requests', { maxMs: 10_000, maxRequests: 7 }],
    ['time for a limiter that does not reset', { maxMs: 10_000, model: slidingLog(false) }],
  ])('is not sent if the %s left is too small: the budget is spent', async (_, budget) => {
    expect(await idleBurst(filled, budget)).toEqual({ times: [], isOver: true })
  })
})
