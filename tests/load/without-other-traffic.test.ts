import { expect, test } from 'vitest'
import { Candidates } from '../../load/limiter/candidates.ts'
import { budgetRanOut } from '../../load/limiter/without-other-traffic.ts'
import { admitted, experimentOf, observed } from './scripted-experiment.ts'

test('a spent budget leaves the kinds that explain all responses without other traffic', async () => {
  const dataPoints = [...admitted(0, 2010, 2030), observed('throttled', 2050), observed('throttled', 2500)]
  const experiment = await experimentOf(dataPoints, { maxRequests: 5, maxMs: 1e9 })
  const left = (isContradicted: boolean) =>
    budgetRanOut(experiment, {
      result: 'undecided',
      isContradicted,
      candidates: new Candidates(),
      windows: [],
    })
  expect(left(false)).toMatchObject({
    result: 'not-identified',
    reason: expect.stringMatching(/^the budget ran out with \d kinds left \(fixed window/),
    needs: expect.anything(),
  })
  expect(left(true)).toBeUndefined()
})

test('a spent budget leaves no kind without other traffic if the latest responses contradict all', async () => {
  const dataPoints = [
    ...admitted(0, 2010, 2030),
    observed('throttled', 2050),
    ...admitted(2070),
    observed('throttled', 2090),
    ...admitted(2110, 2130, 2150, 2170, 2190),
  ]
  const experiment = await experimentOf(dataPoints, { maxRequests: 11, maxMs: 1e9 })
  const undecided = {
    result: 'undecided',
    isContradicted: false,
    candidates: new Candidates(),
    windows: [],
  } as const
  expect(budgetRanOut(experiment, undecided)).toBeUndefined()
})
