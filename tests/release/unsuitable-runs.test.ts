import { describe, expect, test } from 'vitest'
import type { RunResults } from '../../src/results/results.ts'
import { decided, good, requirementsWith } from './given.ts'

/** What makes a run unsuitable for a policy. */
const textsOn = (...given: Parameters<typeof decided>) =>
  decided(...given)
    .findings.filter(({ subject }) => subject === 'run')
    .map(({ text }) => text)

describe('the age of a run', () => {
  const textsAfterEnd = (finishedAt: string) => textsOn([good], { maximumAgeHours: 1 }, [], { finishedAt })

  test('may be as high as the policy allows', () => {
    expect(textsAfterEnd('2026-11-21T01:59:00.000Z')).toEqual([])
    expect(textsAfterEnd('2026-11-21T01:00:00.000Z')).toEqual([])
    expect(textsAfterEnd('2026-11-21T00:59:59.000Z')).toEqual([
      'the run ended 1 h 1 s ago, and the policy allows 1 h',
    ])
  })

  test('may be negative because of a clock that differs by at most 5 min', () => {
    expect(textsAfterEnd('2026-11-21T02:05:00.000Z')).toEqual([])
    expect(textsAfterEnd('2026-11-21T02:05:01.000Z')).toEqual([
      'the end of the run is 5 min 1 s in the future, so a clock is wrong',
    ])
  })
})

describe('the selection of a run', () => {
  const selecting = (selection: Partial<RunResults['run']['selection']>) => ({
    selection: { only: [], areas: [], ...selection },
  })
  const all = requirementsWith('pass', 'A', 'B', 'C', 'KNOWN')

  test('may not lack an area that the policy covers', () => {
    const policy = { areas: ['events', 'token'] }
    expect(textsOn([good], policy, [], selecting({ areas: ['token'] }))).toEqual([
      'the run selected only 1 of 4 requirements: the area token',
    ])
    expect(textsOn([good], policy, [], selecting({ areas: ['token', 'events'] }))).toEqual([])
  })

  test('is stated without numbers if it contains every requirement', () => {
    expect(textsOn(all, {}, [], selecting({ areas: ['token'] }))).toEqual([
      'the run selected only the area token',
    ])
    expect(textsOn(all, {}, [], selecting({ only: ['A', 'B', 'C', 'KNOWN'] }))).toEqual([
      'the run selected only A, B, C, KNOWN',
    ])
  })
})
