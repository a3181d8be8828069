import { describe, expect, test } from 'vitest'
import { VirtualExperiment } from '../../bench/limiter/virtual-experiment.ts'
import {
  bucketOfTokens,
  expiringCounter,
  gridsPerKey,
  logOfTimes,
  type VirtualLimiter,
} from '../../bench/limiter/virtual-limiters.ts'
import { characterise, type DataPoint } from '../../load/limiter/index.ts'
import { severalGrids } from '../../load/limiter/several-grids.ts'
import { seeded } from '../../load/seeded.ts'

const LIMITS = { maxRequests: 600, maxMs: 24 * 3_600_000 }

function experiment(limiter: VirtualLimiter, retryAfter: boolean, seed = 7, othersPerSecond = 0) {
  return new VirtualExperiment(limiter, { latencyMs: 15, retryAfter, lost: 0, othersPerSecond }, seeded(seed))
}

/** Responses to bursts of 12 at uneven intervals of 4 to 16 s. */
async function bursts(asked: VirtualExperiment, count: number): Promise<DataPoint[]> {
  const dataPoints: DataPoint[] = []
  for (let burst = 0; burst < count; burst += 1) {
    const at = asked.now() + 4000 + 12_000 * ((burst * 0.618) % 1)
    for (let request = 0; request < 12; request += 1) {
      const dataPoint = await asked.send(at)
      if (dataPoint !== undefined) dataPoints.push(dataPoint)
      if (dataPoint?.outcome === 'throttled') break
    }
  }
  return dataPoints
}

describe('the sizes and windows with which several grids explain all responses', () => {
  test.each([true, false])('contain those of the limits, Retry-After %s', async (retryAfter) => {
    for (const phases of [
      [0, 3000],
      [1000, 5000],
      [0, 2500, 7000],
    ]) {
      const found = severalGrids(await bursts(experiment(gridsPerKey(8, 10_000, phases), retryAfter), 10))
      expect(found).toContainEqual({ capacity: 8, window: 10_000 })
    }
  })

  test('are one after enough bursts', async () => {
    const found = severalGrids(await bursts(experiment(gridsPerKey(8, 10_000, [0, 3000]), true), 25))
    expect(found).toEqual([{ capacity: 8, window: 10_000 }])
  })

  test('are none for another kind, and for one limit with other traffic', async () => {
    const others: readonly (readonly [VirtualLimiter, number])[] = [
      [bucketOfTokens(8, 0.8), 0],
      [logOfTimes(8, 9300), 0],
      [expiringCounter(8, 10_000), 0.2],
      [logOfTimes(8, 10_000), 0.2],
    ]
    for (const [limiter, othersPerSecond] of others)
      expect(severalGrids(await bursts(experiment(limiter, true, 7, othersPerSecond), 25))).toEqual([])
  })

  test('omit windows that do not end when Retry-After states', async () => {
    const dataPoints = await bursts(experiment(gridsPerKey(8, 10_000, [0, 3000]), true), 25)
    const doubled = dataPoints.map(({ retryAfterMs, ...dataPoint }) =>
      retryAfterMs === undefined ? dataPoint : { ...dataPoint, retryAfterMs: 2 * retryAfterMs },
    )
    expect(severalGrids(doubled)).toEqual([])
  })

  test('include smaller sizes if windows ended within the first burst', async () => {
    const first = Array.from({ length: 14 }, (_, index): DataPoint => {
      const sentAt = 9700 + index * 50
      return { sentAt, endedAt: sentAt + 10, outcome: index < 13 ? 'admitted' : 'throttled' }
    })
    expect(severalGrids(first)).toContainEqual({ capacity: 8, window: 10_000 })
  })
})

describe('several limits of one size, on grids with different phases,', () => {
  test.each([
    [true, 1],
    [true, 2],
    [false, 3],
    [false, 4],
  ])('are identified, Retry-After %s, seed %i', async (retryAfter, seed) => {
    const random = seeded(seed)
    const limiter = gridsPerKey(10, 10_000, [0, Math.floor(2000 + 6000 * random())])
    const asked = experiment(limiter, retryAfter, seed)
    const found = await characterise(asked, LIMITS)
    expect(found).toMatchObject({
      result: 'identified',
      kind: 'fixed-window',
      capacity: 10,
      windowMs: 10_000,
    })
    expect(found).not.toHaveProperty('otherTraffic')
    expect(asked.early).toBe(0)
  })

  test('are named in a note, with the responses that they explain', async () => {
    const found = await characterise(experiment(gridsPerKey(10, 10_000, [0, 3000]), false, 4), LIMITS)
    if (found.result !== 'identified') throw new Error('not identified')
    const { observations, sentence } = found.proof
    expect(found.notes[0]).toMatch(/^There are two or three limits of this size/)
    expect(sentence).toContain(`explain all ${observations} data points`)
    expect(observations).toBe(found.requests)
  })

  test('are never claimed as a limiter of another kind', { timeout: 180_000 }, async () => {
    for (let seed = 10; seed < 14; seed += 1) {
      const random = seeded(seed)
      const phases = [0, Math.floor(1000 * random()), Math.floor(1000 * random())]
      const found = await characterise(experiment(gridsPerKey(5, 1000, phases), seed % 2 === 0, seed), LIMITS)
      if (found.result === 'identified') expect(found.kind).toBe('fixed-window')
    }
  })
})
