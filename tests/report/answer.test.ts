import { describe, expect, test } from 'vitest'
import type { ReleaseDecision } from '../../src/release/decision.ts'
import { answerOf } from '../../src/report/answer.ts'
import { decidedOn, strict } from '../release/given.ts'
import { type RequirementFixture, runOf } from '../results/fixture/runs.ts'

const pass: RequirementFixture = { id: 'A', verdict: 'pass' }
const other: RequirementFixture = { id: 'B', verdict: 'pass' }
const fail: RequirementFixture = { id: 'C', verdict: 'fail' }
const open: RequirementFixture = { id: 'D', verdict: 'inconclusive' }
const observed: RequirementFixture = { id: 'F', verdict: 'observed' }
const observeOnly: RequirementFixture = { id: 'G', verdict: 'inconclusive', level: 'silent' }
const not: RequirementFixture = { id: 'E', verdict: 'not-applicable' }

describe('without a release policy', () => {
  test.for<[string, Parameters<typeof runOf>, string, string]>([
    ['all hold', [[pass, other, not]], 'pass', 'Release: yes, because all 2 checked requirements hold.'],
    [
      'observed requirements are counted separately',
      [[pass, other, observed]],
      'pass',
      'Release: yes, because all 2 checked requirements hold; 1 more is observed.',
    ],
    [
      'a violation and something observed',
      [[pass, fail, observed]],
      'fail',
      'Release: no, because 1 of 2 checked requirements is violated; 1 more is observed.',
    ],
    [
      'only observed',
      [[observed]],
      'inconclusive',
      'Release: not yet. No requirement was judged; 1 is observed.',
    ],
    [
      'one applies and holds',
      [[pass, not]],
      'pass',
      'Release: yes, because the only checked requirement holds.',
    ],
    ['a violation', [[pass, fail]], 'fail', 'Release: no, because 1 of 2 checked requirements is violated.'],
    [
      'a violation and something inconclusive',
      [[pass, fail, open]],
      'fail',
      'Release: no, because 1 of 3 checked requirements is violated, and 1 is inconclusive.',
    ],
    [
      'something inconclusive',
      [[pass, open]],
      'inconclusive',
      'Release: not yet. No requirement is violated, but 1 of 2 checked requirements is inconclusive.',
    ],
    [
      'a violation and something that could not be observed',
      [[pass, fail, observed, observeOnly]],
      'fail',
      'Release: no, because 1 of 2 checked requirements is violated. 1 of the 2 requirements that Plumbline only observes is inconclusive.',
    ],
    [
      'something that could not be observed',
      [[pass, observeOnly]],
      'inconclusive',
      'Release: not yet. The only checked requirement holds, but 1 that Plumbline only observes is inconclusive.',
    ],
    [
      'only something that could not be observed',
      [[observeOnly]],
      'inconclusive',
      'Release: not yet. No requirement was judged; 1 that Plumbline only observes is inconclusive.',
    ],
    [
      'a violation, something inconclusive and something that could not be observed',
      [[pass, fail, open, observeOnly]],
      'fail',
      'Release: no, because 1 of 3 checked requirements is violated, and 1 is inconclusive. The requirement that Plumbline only observes is inconclusive, too: 2 in all.',
    ],
    [
      'something inconclusive and something that could not be observed',
      [[pass, open, observed, observeOnly]],
      'inconclusive',
      'Release: not yet. No requirement is violated, but 1 of 2 checked requirements is inconclusive. 1 of the 2 requirements that Plumbline only observes is inconclusive, too: 2 in all.',
    ],
    ['nothing applied', [[not]], 'inconclusive', 'Release: not yet. No requirement was checked.'],
    [
      'a defect of Plumbline',
      [[pass, { ...open, cause: 'harness' }]],
      'inconclusive',
      'Release: not yet. No requirement is violated, but 1 of 2 checked requirements is inconclusive. A defect of Plumbline makes this run unreliable.',
    ],
  ])('%s', ([, run, tone, sentence]) => {
    expect(answerOf(runOf(...run))).toMatchObject({ tone, sentence })
  })

  test.for<[Parameters<typeof runOf>[1], string]>([
    [{ target: 'embedded' }, 'the run checked the embedded provider.'],
    [{ completed: false }, 'the run ended early. All 2 checked requirements hold.'],
    [{ selection: { only: ['TOKEN-*'], areas: [] } }, 'only TOKEN-* was selected.'],
    [{ selection: { only: [], areas: ['token'] } }, 'only area token was selected.'],
  ])('%o does not decide on a release, and the answer is neither green nor yes nor no', ([run, why]) => {
    const { tone, sentence, state } = answerOf(runOf([pass, other], run))
    expect(tone).not.toBe('pass')
    expect(sentence).toBe(`Release: not decided, because ${why}`)
    expect(state).toBe(tone === 'none' ? 'All 2 checked requirements hold.' : undefined)
  })

  test('a complete probe run that only observes is neither green nor yellow', () => {
    expect(answerOf(runOf([observed], { kind: 'probe' }))).toMatchObject({
      tone: 'none',
      sentence: 'No probe has a result.',
      state: 'No requirement was judged; 1 is observed.',
      basis: 'This probe run does not decide on a release.',
    })
    expect(answerOf(runOf([observed], { kind: 'probe', completed: false })).tone).toBe('inconclusive')
  })

  test.for<[readonly RequirementFixture[], string]>([
    [
      [pass, fail, open],
      'Release: not decided, because the run ended early. 1 of 4 checked requirements is violated, and 2 are inconclusive, 1 of them because the run ended before its checks.',
    ],
    [
      [pass],
      'Release: not decided, because the run ended early. No requirement is violated, but 1 of 2 checked requirements is inconclusive because the run ended before its checks.',
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
      answer: 'no',
      because: 'it is so',
      decidedAt: '2026-11-21T01:03:03.000Z',
      policy: { ...strict, areas: ['token'] },
      findings: [],
      coverage: { applicable: 1 },
      run: runOf([]).run,
      ...rest,
    }) as unknown as ReleaseDecision

  test.for<[Partial<ReleaseDecision>, string, string]>([
    [{ release: true, answer: 'yes', exitCode: 0 }, 'pass', 'Release: yes, because it is so.'],
    [{ release: false, exitCode: 1 }, 'fail', 'Release: no, because it is so.'],
    [{ release: false, exitCode: 2 }, 'inconclusive', 'Release: no, because it is so.'],
  ])('its decision is the answer: %o', ([rest, tone, sentence]) => {
    const answer = answerOf(runOf([pass, fail]), { decision: decision(rest) })
    expect(answer).toMatchObject({ tone, sentence })
    expect(answer.basis).toBe(
      'Decision of 2026-11-21 01:03 UTC under reports/release-policy.json (level must, area token, run at most 24 h old). Over all levels and areas: 1 of 2 checked requirements is violated.',
    )
    expect(answer.needed).toBeUndefined()
  })

  test('a violation in a partial run is a no, with what the run did not check', () => {
    const text = 'the run selected only 1 of 10 requirements: C'
    const partial = { effect: 'undecided', subject: 'run', requirement: null, text } as const
    const rest = { release: false, exitCode: 1, findings: [partial] } as const
    const { sentence, basis, needed } = answerOf(runOf([fail]), { decision: decision(rest) })
    expect(sentence).toBe('Release: no, because it is so.')
    expect(basis).toMatch(
      /\(level must, area token, run at most 24 h old\)\. The run selected only 1 of 10 requirements: C\. In this run: the only/,
    )
    expect(needed?.command).toBe('npx plumbline check --target uat --area token')
  })

  test('the reason for no decision is the basis of the answer', () => {
    expect(answerOf(runOf([fail]), { noDecision: 'the run is of uat' })).toEqual({
      tone: 'fail',
      question: 'May we release?',
      sentence: 'Release: not decided, because the run is of uat. The only checked requirement is violated.',
      lead: 'Release: not decided',
      basis: '',
    })
  })

  test('that covers all requirements of the run, nothing is repeated', () => {
    const decided = { decision: decision({ release: false, exitCode: 1 }) }
    const basis =
      'Decision of 2026-11-21 01:03 UTC under reports/release-policy.json (level must, area token, run at most 24 h old).'
    expect(answerOf(runOf([fail]), decided).basis).toBe(basis)
    expect(answerOf(runOf([fail, observeOnly]), decided).basis).toBe(
      `${basis} The requirement that Plumbline only observes is inconclusive.`,
    )
  })

  test('says below a yes which effects are off, what they cover, and the command that checks them', () => {
    const off = (id: string, missingEffect: 'slow' | 'token-destruction', rest = {}) =>
      ({ id, verdict: 'not-applicable', missingEffect, ...rest }) as const
    const run = runOf(
      [
        pass,
        off('X', 'slow'),
        off('Y', 'token-destruction'),
        off('Z', 'token-destruction'),
        off('P', 'slow', { level: 'planned' }),
      ],
      { enabled: ['claim-change'] },
    )
    const yes = decision({ release: true, answer: 'yes', exitCode: 0, policy: strict })
    const answer = answerOf(run, { decision: yes })
    expect(answer.offByDefault).toEqual({
      text: '3 requirements of level must are off by default on uat: token-destruction (2, such as single use of codes), slow (1, such as expired codes). If the operator permits these effects, this command also checks these requirements (claim-change was already enabled in this run):',
      command: 'ENABLE=token-destruction,claim-change,slow npx plumbline check --target uat',
    })
    expect(answerOf(run).offByDefault).toEqual(answer.offByDefault)
    const ofAreas = { ...strict, areas: ['events'] }
    const others = runOf([pass, off('X', 'slow'), off('E', 'slow', { area: 'events' })])
    expect(answerOf(others, { decision: { ...yes, policy: ofAreas } }).offByDefault?.text).toMatch(
      /^1 requirement of level must in the area events is off by default on uat: .*, this command also checks this requirement:$/,
    )
    const failed = runOf([pass, fail, off('X', 'slow')])
    expect(
      answerOf(failed, { decision: decision({ release: false, exitCode: 1 }) }).offByDefault,
    ).toBeUndefined()
    expect(answerOf(runOf([pass, off('X', 'slow')], { kind: 'probe' })).offByDefault).toBeUndefined()
  })

  test('does not decide if the configuration alone makes requirements inconclusive, and shows the next command', () => {
    const results = runOf([
      pass,
      ...['X', 'Y'].map(
        (id) =>
          ({
            id,
            verdict: 'inconclusive',
            cause: 'configuration',
            reason: 'the provider refused the client credentials',
            variables: ['CLIENT_SECRET'],
          }) as const,
      ),
    ])
    const answer = answerOf(results, { decision: decidedOn(results) })
    expect(answer.sentence).toBe(
      'Release: not decided, because the provider refused the client credentials, so 2 requirements are inconclusive.',
    )
    expect(answer.tone).toBe('inconclusive')
    expect(answer.notice).toBeUndefined()
    expect(answer.needed?.command).toBe('npx plumbline doctor --target uat')
  })

  test('shows the command that checks again if the doctor cannot find the variable', () => {
    const reason = 'the budget of 100 requests is spent'
    const spent = { cause: 'configuration', reason, variables: ['REQUEST_BUDGET'] } as const
    const results = runOf([pass, { id: 'X', verdict: 'inconclusive', ...spent }])
    expect(answerOf(results, { decision: decidedOn(results) }).needed).toEqual({
      text: 'When you have changed the configuration as the reasons state:',
      command: 'npx plumbline check --target uat',
    })
  })

  test('the sentence begins with its lead', () => {
    for (const answer of [
      answerOf(runOf([pass])),
      answerOf(runOf([open])),
      answerOf(runOf([fail]), { noDecision: 'the run is of uat' }),
      answerOf(runOf([fail]), { decision: decision({ release: false, exitCode: 1 }) }),
    ]) {
      expect(answer.lead).toMatch(/^Release: (?:yes|not yet|not decided|no)$/)
      expect(answer.sentence.startsWith(answer.lead ?? '-')).toBe(true)
    }
  })
})
