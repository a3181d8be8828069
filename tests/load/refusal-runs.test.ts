import { expect, test } from 'vitest'
import { refusalRuns } from '../../load/limiter/refusal-runs.ts'
import { admitted, observed } from './scripted-experiment.ts'

const [before, first, unknown, last, next, other, again] = [
  observed('admitted', 0),
  observed('throttled', 20),
  observed('unknown', 40),
  observed('throttled', 60),
  observed('admitted', 80),
  observed('unknown', 100),
  observed('throttled', 120),
] as const

test('refusals in a row end with the next admitted request, not with one of unknown outcome', () => {
  expect(refusalRuns([before, first, unknown, last, next, other, again])).toEqual([
    { first, last, next },
    { first: again, last: again },
  ])
  expect(refusalRuns([first, unknown, next])).toEqual([{ first, last: first, next }])
})

test('there are none without a refusal', () => {
  expect(refusalRuns([])).toEqual([])
  expect(refusalRuns([...admitted(0, 20), unknown])).toEqual([])
})
