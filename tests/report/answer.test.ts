import { describe, expect, test } from 'vitest'
import type { ReleaseDecision } from '../../src/release/decision.ts'
import { answerOf } from '../../src/report/answer.ts'
import { strict } from '../release/given.ts'
import { type RequirementFixture, runOf } from '../results/fixture/runs.ts'

const pass: RequirementFixture = { id: 'A', verdict: 'pass' }
const other: RequirementFixture = { id: 'B', verdict: 'pass' }
const fail: RequirementFixture = { id: 'C', verdict: 'fail' }
const open: RequirementFixture = { id: 'D', verdict: 'inconclusive' }
const observed: RequirementFixture = { id: 'F', verdict: 'observed' }
const unobserved: RequirementFixture = { id: 'G', verdict: 'inconclusive', level: 'silent' }
const not: RequirementFixture = { id: 'E', verdict: 'not-applicable' }

describe('without a release policy', () => {
  test.for<[string, Parameters<typeof runOf>, string, string]>([
    ['all hold', [[pass, other, not]], 'pass', 'Yes: all 2 applicable requirements hold.'],
    [
      'observed requirements are counted separately',
      [[pass, other, observed]],
      'pass',
      'Yes: all 2 applicable requirements hold; 1 more is observed.',
    ],
    [
      'a violation beside something observed',
      [[pass, fail, observed]],
      'fail',
      'No: 1 of 2 applicable requirements is violated; 1 more is observed.',
    ],
    ['only observed', [[observed]], 'inconclusive', 'Not yet: no requirement was judged; 1 is observed.'],
    ['one applies and holds', [[pass, not]], 'pass', 'Yes: the only applicable requirement holds.'],
    ['a violation', [[pass, fail]], 'fail', 'No: 1 of 2 applicable requirements is violated.'],
    [
      'a violation beside something inconclusive',
      [[pass, fail, open]],
      'fail',
      'No: 1 of 3 applicable requirements is violated, and 1 is inconclusive.',
    ],
    [
      'something inconclusive',
      [[pass, open]],
      'inconclusive',
      'Not yet: no requirement is violated, but 1 of 2 applicable requirements is inconclusive.',
    ],
    [
      'a violation beside something that could not be observed',
      [[pass, fail, observed, unobserved]],
      'fail',
      'No: 1 of 2 applicable requirements is violated; 1 more is observed, and 1 more could not be observed.',
    ],
    [
      'something that could not be observed',
      [[pass, unobserved]],
      'inconclusive',
      'Not yet: the only applicable requirement holds; 1 more could not be observed.',
    ],
    [
      'only something that could not be observed',
      [[unobserved]],
      'inconclusive',
      'Not yet: no requirement was judged; 1 could not be observed.',
    ],
    ['nothing applied', [[not]], 'inconclusive', 'Not yet: no requirement applied, so nothing was checked.'],
    [
      'a defect of Plumbline',
      [[pass, { ...open, cause: 'harness' }]],
      'inconclusive',
      'Not yet: no requirement is violated, but 1 of 2 applicable requirements is inconclusive. A defect of Plumbline makes this run unreliable.',
    ],
  ])('%s', ([, run, tone, sentence]) => {
    expect(answerOf(runOf(...run))).toMatchObject({ tone, sentence })
  })

  test.for<[Parameters<typeof runOf>[1], RegExp]>([
    [{ target: 'embedded' }, /^The run checked the embedded provider\.$/],
    [{ kind: 'probe' }, /^Probes measure limits\.$/],
    [{ completed: false }, /^The run ended early\.$/],
    [{ selection: { only: ['TOKEN-*'], areas: [] } }, /^Only TOKEN-\* was selected\.$/],
    [{ selection: { only: [], areas: ['token'] } }, /^Only area token was selected\.$/],
  ])('%o does not decide on a release, and the answer is neither green nor yes nor no', ([run, why]) => {
    const { tone, sentence, ground } = answerOf(runOf([pass, other], run))
    expect(tone).not.toBe('pass')
    expect(sentence).toBe('All 2 applicable requirements hold. No decision on a release.')
    expect(ground).toMatch(why)
  })

  test('a complete probe run that only observes is neither green nor yellow', () => {
    expect(answerOf(runOf([observed], { kind: 'probe' }))).toMatchObject({
      tone: 'none',
      sentence: 'No requirement was judged; 1 is observed. No decision on a release.',
    })
    expect(answerOf(runOf([observed], { kind: 'probe', completed: false })).tone).toBe('inconclusive')
  })

  test.for<[readonly RequirementFixture[], string]>([
    [
      [pass, fail, open],
      '1 of 4 applicable requirements is violated, and 2 are inconclusive, 1 of them because the run ended before its checks. No decision on a release.',
    ],
    [
      [pass],
      'No requirement is violated, but 1 of 2 applicable requirements is inconclusive because the run ended before its checks. No decision on a release.',
    ],
  ])('requirements that an interrupted run did not begin are counted', ([begun, sentence]) => {
    const run = runOf([...begun, { id: 'H', verdict: 'inconclusive' }], { completed: false })
    const requirements = run.requirements.map((one) => (one.id === 'H' ? { ...one, checks: [] } : one))
    expect(answerOf({ ...run, requirements }).sentence).toBe(sentence)
  })

  test('an interrupted run is not green', () => {
    expect(answerOf(runOf([pass], { completed: false })).tone).toBe('inconclusive')
  })
})

describe('with a release policy', () => {
  const decision = (rest: Partial<ReleaseDecision>) =>
    ({
      because: 'it is so',
      decidedAt: '2026-11-21T01:03:03.000Z',
      policy: { ...strict, areas: ['token'] },
      findings: [],
      run: runOf([]).run,
      ...rest,
    }) as unknown as ReleaseDecision

  test.for<[Partial<ReleaseDecision>, string, string]>([
    [{ release: true, exitCode: 0 }, 'pass', 'Yes: it is so.'],
    [{ release: false, exitCode: 1 }, 'fail', 'No: it is so.'],
    [{ release: false, exitCode: 2 }, 'inconclusive', 'No: it is so.'],
  ])('its decision is the answer: %o', ([rest, tone, sentence]) => {
    const answer = answerOf(runOf([pass, fail]), { decision: decision(rest) })
    expect(answer).toMatchObject({ tone, sentence })
    expect(answer.ground).toBe(
      'This is the decision of the release policy for level must, area token at 2026-11-21 01:03 UTC. All levels and areas: 1 of 2 applicable requirements is violated.',
    )
    expect(answer.needed).toBeUndefined()
  })

  test('a violation in a partial run is a no, with what the run did not check', () => {
    const text = 'the run checked C only, not the other 9 requirements'
    const partial = { effect: 'undecided', subject: 'run', requirement: null, text } as const
    const rest = { release: false, exitCode: 1, findings: [partial] } as const
    const { sentence, ground, needed } = answerOf(runOf([fail]), { decision: decision(rest) })
    expect(sentence).toBe('No: it is so.')
    expect(ground).toMatch(
      /UTC\. The run checked C only, not the other 9 requirements\. In this run: the only/,
    )
    expect(needed?.command).toBe('npx plumbline check --target uat --area token')
  })

  test('the reason for no decision is the ground of the answer', () => {
    expect(answerOf(runOf([fail]), { undecided: 'the run is of uat' })).toEqual({
      tone: 'fail',
      sentence: 'The only applicable requirement is violated. No decision on a release.',
      ground: 'The run is of uat.',
    })
  })
})
