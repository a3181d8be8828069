import { expect, test } from 'vitest'
import { probeChart } from '../../../load/output/chart.ts'
import { replayOf } from '../../../load/output/limiter-replay.ts'
import { resultOf } from './synthetic.ts'

const found = {
  result: 'identified',
  kind: 'fixed-window',
  variant: 'first-request',
  capacity: 3,
  rate: 0.3,
  rateInterval: { low: 0.29, high: 0.31 },
  windowMs: 10_000,
  proof: { observations: 6, explained: 6, nextBest: { kind: 'sliding-log', explained: 4 }, sentence: '' },
  notes: [],
  requests: 6,
  elapsedMs: 10_500,
} as const

const shotAt = (sentAt: number, status: number) => ({
  intendedAt: sentAt,
  sentAt,
  endedAt: sentAt + 10,
  status,
})
const shots = [shotAt(0, 200), shotAt(100, 200), shotAt(200, 200), shotAt(300, 429), shotAt(10_100, 200)]

test('the line falls with each admitted request, is 0 at a 429, and rises when the window ends', () => {
  const replay = replayOf(shots, found)
  expect(replay?.contradictions).toBe(0)
  expect(replay?.shots.map(({ remaining, outcome }) => [remaining, outcome])).toEqual([
    [3, 'accepted'],
    [2, 'accepted'],
    [1, 'accepted'],
    [0, 'throttled'],
    [3, 'accepted'],
  ])
  const waiting = replay?.line.filter(({ at }) => at > 0.4 && at < 10) ?? []
  expect(waiting.length).toBeGreaterThan(5)
  expect(new Set(waiting.map(({ remaining }) => remaining))).toEqual(new Set([0]))
})

test.each([10_100, 13_000])('the line jumps when the window ends, before a request at %i ms', (at) => {
  const { line = [] } = replayOf([...shots.slice(0, 4), shotAt(at, 200)], found) ?? {}
  const after = line.findIndex(({ at, remaining }) => at > 1 && remaining === 3)
  expect(line[after - 1]?.remaining).toBe(0)
  expect((line[after]?.at ?? 0) - (line[after - 1]?.at ?? 0)).toBeLessThan(0.01)
})

test('responses that the limiter does not predict are counted', () => {
  expect(replayOf([...shots, shotAt(10_200, 429)], found)?.contradictions).toBe(1)
  expect(replayOf([...shots.slice(0, 3), shotAt(300, 200)], found)?.contradictions).toBe(1)
})

test('a request before the probe may have counted', () => {
  expect(replayOf([shotAt(0, 200), shotAt(100, 200), shotAt(200, 429)], found)?.contradictions).toBe(0)
  // Preparing a probe can take several requests.
  const six = [0, 1, 2, 3, 4, 5].map((index) => shotAt(100 * index, 200))
  const larger = { ...found, capacity: 10 }
  expect(replayOf([...six, shotAt(600, 429)], larger)?.contradictions).toBe(0)
})

test('the window of a request before the probe may have begun earlier', () => {
  // It ends at 9,000: the requests at 9,100 and later begin another one.
  const responses = [
    ...[0, 100].map((at) => shotAt(at, 200)),
    shotAt(200, 429),
    ...[9_100, 9_200, 9_300].map((at) => shotAt(at, 200)),
    shotAt(9_400, 429),
  ]
  const replay = replayOf(responses, found)
  expect(replay?.contradictions).toBe(0)
  expect(
    replay?.shots.filter(({ outcome }) => outcome === 'throttled').map(({ remaining }) => remaining),
  ).toEqual([0, 0])
})

test('a queue has no such line', () => {
  const {
    capacity: _,
    windowMs: __,
    ...queue
  } = { ...found, kind: 'leaky-bucket', variant: 'queue' } as const
  expect(replayOf(shots, queue)).toBeUndefined()
})

test('the chart of an identified limiter contains the line', async () => {
  const svg = await probeChart(resultOf({ probe: 'limiter', shots, limiter: found }))
  expect(svg).toContain(': calculated requests left')
})
