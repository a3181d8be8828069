import { describe, expect, test } from 'vitest'
import { type Candidate, type Candidates, estimates } from '../../load/limiter/candidates.ts'
import type { DataPoint } from '../../load/limiter/data-points.ts'
import { fixedWindow } from '../../load/limiter/models/fixed-window.ts'
import { tokenBucket } from '../../load/limiter/models/token-bucket.ts'
import { nextStep, type Situation } from '../../load/limiter/next-step.ts'
import { bucketCandidate, candidate, candidatesLeft, logCandidate, spanning } from './fake-candidates.ts'
import { admitted, experimentOf, observed } from './scripted-experiment.ts'

interface Changes extends Partial<Omit<Situation, 'candidates' | 'experiment'>> {
  readonly left?: Partial<Record<keyof Candidates, unknown>>
  readonly dataPoints?: readonly DataPoint[]
  /** Whether no further request is possible. */
  readonly isOver?: boolean
}

/** The step that follows if these candidates are the best. */
async function stepAfter(
  best: readonly Candidate[],
  { left, dataPoints = spanning, isOver = false, ...rest }: Changes = {},
) {
  const maxRequests = isOver ? dataPoints.length : 600
  return nextStep({
    experiment: await experimentOf(dataPoints, { maxRequests, maxMs: 24 * 3_600_000 }),
    candidates: candidatesLeft(best, left),
    estimatesBefore: [],
    steps: 1,
    idleBursts: 0,
    isRestarted: false,
    ...rest,
  })
}

const givenUp = { step: 'give-up', because: 'undecided' }
const conclusion = { step: 'conclude', assumesAdmission: false }
const trial = { step: 'trial', distrustsRetryAfter: false }

/** Two kinds are left. */
const open = [logCandidate, bucketCandidate]

/** Responses that several limits of 3 in 1 s explain, and whose refusal does not confirm the window. */
const recent = [...admitted(0, 600, 620), observed('throttled', 640), observed('throttled', 650)]

describe('without a precise estimate', () => {
  test('a trial follows, as long as the budget lasts', async () => {
    expect(await stepAfter(open)).toEqual(trial)
  })

  test('a poll comes before a trial where a window has to end', async () => {
    const windows = [logCandidate, candidate(fixedWindow, 3, 980, 5000)]
    const dataPoints = [observed('throttled', 0), ...admitted(500), observed('throttled', 520)]
    const step = await stepAfter(windows, { dataPoints })
    expect(step).toEqual({ step: 'poll', at: expect.closeTo(500 + 1.1 * 980) })
    expect(await stepAfter(windows, { dataPoints, isOver: true })).toMatchObject({ step: 'conclude' })
  })

  test('the end of the budget leads to a conclusion, for which Retry-After counts', async () => {
    expect(await stepAfter(open, { isOver: true })).toEqual({ step: 'conclude', assumesAdmission: true })
    expect(await stepAfter(open, { isOver: true, isRestarted: true })).toEqual(givenUp)
  })

  test.each([
    ['40 steps', open, 39, false],
    ['26 steps for one kind', [logCandidate], 25, false],
    ['8 steps after a restart', open, 7, true],
  ] as const)('it gives up after %s', async (_, before, last, isRestarted) => {
    const changes = { estimatesBefore: estimates(before), isRestarted }
    expect(await stepAfter(open, { ...changes, steps: last })).toEqual(trial)
    expect(await stepAfter(open, { ...changes, steps: last + 1 })).toEqual(givenUp)
  })
})

describe('if no single limiter explains all responses', () => {
  const left = { unexplained: 1 }

  test('it gives up, however precise the estimate', async () => {
    expect(await stepAfter([logCandidate], { left })).toEqual(givenUp)
  })

  test('a wider limit is the reason where refusals last longer than the window', async () => {
    const dataPoints = [...admitted(0, 600, 620), observed('throttled', 640, 5000)]
    const estimatesBefore = estimates([logCandidate])
    expect(await stepAfter([logCandidate], { left, dataPoints, estimatesBefore })).toEqual({
      step: 'give-up',
      because: 'wider-limit',
    })
    expect(await stepAfter([logCandidate], { dataPoints, estimatesBefore })).not.toHaveProperty(
      'because',
      'wider-limit',
    )
  })
})

describe('a precise estimate', () => {
  test('is a conclusion if a refusal confirms the window and no other limits explain the responses', async () => {
    const bucket = candidate(tokenBucket, 3, 1000, 1010)
    expect(await stepAfter([bucket])).toEqual(conclusion)
    expect(await stepAfter([bucket], { isOver: true })).toEqual(conclusion)
  })

  test('needs two bursts after a restart, and typical values', async () => {
    const round = candidate(fixedWindow, 3, 980, 1020)
    const odd = candidate(fixedWindow, 7, 1980, 2020)
    const restarted = { isRestarted: true, left: { trustsRetryAfter: false } }
    expect(await stepAfter([round], { ...restarted, idleBursts: 1 })).toMatchObject({ step: 'idle-burst' })
    expect(await stepAfter([round], { ...restarted, idleBursts: 2 })).toEqual(conclusion)
    expect(await stepAfter([odd], restarted)).toEqual(givenUp)
  })

  test('is rejected if the window is oddly short', async () => {
    const short = candidate(fixedWindow, 3, 690, 700)
    expect(await stepAfter([short])).toEqual(givenUp)
  })

  test('needs bursts after an idle period until a refusal confirms the window, then counts as the budget ends', async () => {
    const estimate = candidate(fixedWindow, 2, 980, 1020)
    const changes = { dataPoints: recent, steps: 12 }
    expect(await stepAfter([estimate], changes)).toMatchObject({ step: 'idle-burst', earlier: 0 })
    expect(await stepAfter([estimate], { ...changes, idleBursts: 6 })).toEqual(conclusion)
    expect(await stepAfter([estimate], { ...changes, isOver: true })).toEqual(conclusion)
    expect(await stepAfter([estimate], { ...changes, isOver: true, isRestarted: true })).toEqual(givenUp)
  })

  test('that stays unproven puts Retry-After in doubt, if it was trusted', async () => {
    const estimate = candidate(fixedWindow, 2, 980, 1020)
    const dataPoints = [...recent, observed('throttled', 660, 1000)]
    const changes = { dataPoints, steps: 12, idleBursts: 6 }
    expect(await stepAfter([estimate], changes)).toEqual({ step: 'trial', distrustsRetryAfter: true })
    expect(await stepAfter([estimate], { ...changes, left: { trustsRetryAfter: false } })).toEqual(conclusion)
  })

  test('has a rival where several limits with a round window explain the responses and its own is not round', async () => {
    const odd = candidate(fixedWindow, 3, 1300, 1310)
    expect(await stepAfter([odd], { idleBursts: 7 })).toMatchObject({
      step: 'idle-burst',
      mayBeSeveralGrids: true,
    })
    expect(await stepAfter([odd], { idleBursts: 8 })).toEqual({ step: 'give-up', because: 'several-limits' })
  })
})
