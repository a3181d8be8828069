import { describe, expect, test } from 'vitest'
import type { DataPoint } from '../../load/limiter/data-points.ts'
import type { Limits } from '../../load/limiter/experiment.ts'
import { fixedWindow } from '../../load/limiter/models/fixed-window.ts'
import { slidingCounter } from '../../load/limiter/models/sliding-counter.ts'
import { nextPollAt, pollUntilAdmitted } from '../../load/limiter/polls.ts'
import { bucketCandidate, candidate, candidatesLeft } from './fake-candidates.ts'
import { admitted, experimentOf, experimentWith, observed } from './scripted-experiment.ts'

/** Times of the polls of a limiter of 60 that refuses requests from 600 ms until `untilMs`. */
async function pollsUntil(untilMs: number, limits: Limits): Promise<number[]> {
  const budgeted = experimentWith(
    (at) => observed(at >= 600 && at < untilMs ? 'throttled' : 'admitted', at),
    limits,
  )
  for (let request = 0; request <= 60; request += 1) await budgeted.send(0)
  await pollUntilAdmitted(budgeted)
  return budgeted.record.sent.slice(61).map(({ sentAt }) => sentAt)
}

describe('polls after the first 429', () => {
  test('are each 1.35 times as late as the last while the time left is long', async () => {
    const polls = await pollsUntil(60_000, { maxRequests: 1000, maxMs: 48 * 3_600_000 })
    expect(polls.slice(0, 3).map(Math.round)).toEqual([710, 745, 792])
    expect(polls).toHaveLength(23)
    expect(polls.at(-1)).toBeGreaterThan(70_000)
  })

  test('come at closer intervals if the time left is short, so that it suffices for another window', async () => {
    const polls = await pollsUntil(50_000, { maxRequests: 200, maxMs: 120_000 })
    expect(polls.at(-1)).toBeLessThan(54_500)
    expect(polls.length).toBeLessThan(35)
  })

  test('come at wider intervals if few requests are left', async () => {
    const polls = await pollsUntil(50_000, { maxRequests: 90, maxMs: 120_000 })
    expect(polls.length).toBeLessThan(25)
  })
})

describe('a further poll', () => {
  const window = candidate(fixedWindow, 3, 1000, 5000)
  /** Requests were admitted again at 500 ms; the last refusal is 30 ms later. */
  const full = [...admitted(0, 20, 40), observed('throttled', 60), ...admitted(500, 510, 520)]
  const pollAt = async (dataPoints: readonly DataPoint[], best = [window]) =>
    nextPollAt((await experimentOf(dataPoints)).record, candidatesLeft(best))

  test('comes a tenth after the shortest window that is left, then a tenth later each time', async () => {
    expect(await pollAt([...full, observed('throttled', 530)])).toBeCloseTo(500 + 1100)
    const later = [...full, observed('throttled', 530), observed('throttled', 1690)]
    expect(await pollAt(later)).toBeCloseTo(500 + 1320)
  })

  test('is not worthwhile while requests are admitted, with Retry-After, or before requests were admitted again', async () => {
    expect(await pollAt(full)).toBeUndefined()
    expect(await pollAt([...full, observed('throttled', 530, 2000)])).toBeUndefined()
    expect(await pollAt(full.slice(0, 4))).toBeUndefined()
  })

  test('is not worthwhile where the limiter may admit requests one by one', async () => {
    const refused = [...full, observed('throttled', 530)]
    expect(await pollAt(refused, [window, bucketCandidate])).toBeUndefined()
    expect(await pollAt(refused, [candidate(slidingCounter(false), 3, 1000, 5000)])).toBeUndefined()
  })
})
