import { beforeAll, describe, expect, test } from 'vitest'
import { VirtualExperiment } from '../../bench/limiter/virtual-experiment.ts'
import {
  bucketOfTokens,
  clockCounter,
  expiringCounter,
  logOfTimes,
  type VirtualLimiter,
} from '../../bench/limiter/virtual-limiters.ts'
import { Candidates } from '../../load/limiter/candidates.ts'
import type { Identified } from '../../load/limiter/conclusion.ts'
import { type DataPoint, withStated } from '../../load/limiter/data-points.ts'
import { conclude, preciseEstimate, sufficientPrecision } from '../../load/limiter/elimination.ts'
import { characterise, limiterKinds } from '../../load/limiter/index.ts'
import { seeded } from '../../load/seeded.ts'
import { admitted, experimentOf, observed } from './scripted-experiment.ts'

const limits = { maxRequests: 600, maxMs: 24 * 3_600_000 }

/** The data points with which a limiter is identified. */
async function identifying(limiter: VirtualLimiter, retryAfter = true) {
  const conditions = { latencyMs: 30, retryAfter, lost: 0, othersPerSecond: 0 }
  const experiment = new VirtualExperiment(limiter, conditions, seeded(7))
  const { epochOffset } = experiment
  const dataPoints: DataPoint[] = []
  const found = await characterise(
    {
      epochOffset,
      now: () => experiment.now(),
      send: async (at) => {
        const dataPoint = await experiment.send(at)
        if (dataPoint) dataPoints.push(dataPoint)
        return dataPoint
      },
    },
    limits,
  )
  if (found.result !== 'identified') throw new Error('the limiter is not identified')
  return { found, dataPoints, epochOffset }
}

/** What these data points alone lead to. */
async function concluded(
  dataPoints: readonly DataPoint[],
  { epochOffset = 0, budget = limits, trusts = true } = {},
): Promise<ReturnType<typeof conclude>> {
  const candidates = new Candidates()
  candidates.update(dataPoints)
  if (!trusts) candidates.distrustRetryAfter(dataPoints)
  return conclude(await experimentOf(dataPoints, budget, [], epochOffset), candidates)
}

describe('a conclusion has the limiter and the evidence', () => {
  const limiters: readonly (readonly [string, () => VirtualLimiter, boolean, Partial<Identified>])[] = [
    [
      'window of the first request',
      () => expiringCounter(5, 10_000),
      true,
      { kind: 'fixed-window', variant: 'first-request', capacity: 5, windowMs: 10_000, rate: 0.5 },
    ],
    [
      'window of the clock',
      () => clockCounter(5, 10_000),
      true,
      { kind: 'fixed-window', variant: 'clock', capacity: 5, windowMs: 10_000, rate: 0.5 },
    ],
    [
      'sliding log, without Retry-After',
      () => logOfTimes(5, 10_000),
      false,
      { kind: 'sliding-log', capacity: 5, windowMs: 10_000, rate: 0.5 },
    ],
    [
      '12 tokens a minute',
      () => bucketOfTokens(5, 0.2),
      true,
      { kind: 'token-bucket', capacity: 5, rate: 0.2 },
    ],
    ['50 tokens an hour', () => bucketOfTokens(5, 1 / 72), true, { kind: 'token-bucket', rate: 50 / 3600 }],
  ]
  test.each(limiters)('%s', async (_, limiter, retryAfter, expected) => {
    const { found, dataPoints } = await identifying(limiter(), retryAfter)
    expect(found).toMatchObject(expected)
    const { kind, capacityInterval, rateInterval, windowInterval, proof, notes } = found
    expect(capacityInterval?.low).toBeLessThanOrEqual(5)
    expect(capacityInterval?.high).toBeGreaterThanOrEqual(5)
    expect(rateInterval.low).toBeLessThanOrEqual(found.rate)
    expect(rateInterval.high).toBeGreaterThanOrEqual(found.rate)
    expect(windowInterval === undefined).toBe(kind === 'token-bucket')
    expect('windowMs' in found).toBe(kind !== 'token-bucket')
    const { explained, nextBest, sentence } = proof
    expect(proof.observations).toBe((retryAfter ? withStated(dataPoints) : dataPoints).length)
    expect(explained).toBe(proof.observations)
    expect(nextBest.kind).not.toBe(kind)
    expect(nextBest.explained).toBeGreaterThan(0)
    expect(nextBest.needsCoincidence === true).toBe(explained - nextBest.explained < 2)
    expect(sentence).toMatch(`This model explains all ${explained} data points (`)
    expect(sentence).toMatch(`a ${limiterKinds[nextBest.kind].text}, explains ${nextBest.explained}`)
    const admittedCount = dataPoints.filter(({ outcome }) => outcome === 'admitted').length
    const same = /^A leaky bucket as a meter \(GCRA\) admits exactly the same requests\.$/
    const wide = new RegExp(
      `^A second limit over a longer window would go unnoticed if it admits at least ${admittedCount} requests in \\d+ s\\.$`,
    )
    expect(notes).toEqual([
      ...(kind === 'token-bucket' ? [expect.stringMatching(same)] : []),
      expect.stringMatching(wide),
    ])
  })
})

describe('the conclusion from the same data points', () => {
  let grid: Awaited<ReturnType<typeof identifying>>
  let log: Awaited<ReturnType<typeof identifying>>
  beforeAll(async () => {
    grid = await identifying(clockCounter(5, 10_000))
    log = await identifying(logOfTimes(5, 10_000))
  })

  test.each([
    [0, 'clock'],
    [340, 'clock'],
    [-340, 'clock'],
    [360, 'grid'],
    [-360, 'grid'],
    [5000, 'grid'],
  ])(
    'with a grid that starts %d ms after a full 10 s of the clock has the variant %s',
    async (later, variant) => {
      const { dataPoints } = grid
      const found = await concluded(dataPoints)
      const windowStart = (found as Identified).windowStart ?? Number.NaN
      expect(
        await concluded(dataPoints, { epochOffset: 1_790_000_000_000 - windowStart + later }),
      ).toMatchObject({
        variant,
      })
    },
  )

  test('starts the windows of a grid when they start', async () => {
    const { found, epochOffset } = grid
    const offset = ((found.windowStart ?? Number.NaN) + epochOffset) % 10_000
    expect(Math.min(offset, 10_000 - offset)).toBeLessThan(350)
    expect(log.found).not.toHaveProperty('windowStart')
    expect(log.found).not.toHaveProperty('variant')
  })

  test('needs more requests where several kinds are left', async () => {
    const { dataPoints } = log
    const first = dataPoints.findIndex(({ outcome }) => outcome === 'throttled') + 1
    expect(await concluded(dataPoints.slice(0, first + 2))).toBe('undecided')
  })
})

test('an estimate is precise where one kind is left, and capacity and rate are known well enough', async () => {
  const { dataPoints } = await identifying(expiringCounter(5, 10_000))
  const candidates = new Candidates()
  candidates.update(dataPoints)
  expect(preciseEstimate(candidates, sufficientPrecision)).toMatchObject({ kind: 'fixed-window' })
  expect(preciseEstimate(candidates, { ...sufficientPrecision, rate: 0 })).toBeUndefined()
  const burst = new Candidates()
  burst.update([...admitted(0, 2010, 2030), observed('throttled', 2050, 8000)])
  const anything = { rate: 1e9, capacityShare: 100, capacityRequests: 100 }
  expect(preciseEstimate(burst, anything)).toBeUndefined()
})
