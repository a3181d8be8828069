import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { RequirementId } from '../../src/check/requirement.ts'
import { decide } from '../../src/release/decide.ts'
import { decisionMarkdown } from '../../src/release/markdown.ts'
import { readPolicy } from '../../src/release/policy.ts'
import { decisionText } from '../../src/release/terminal.ts'
import { hasExpired, readWaivers } from '../../src/release/waivers.ts'
import { answerOf } from '../../src/report/answer.ts'
import { overviewOf } from '../../src/report/overview.ts'
import { type RequirementFixture, runOf } from '../results/fixture/runs.ts'
import { decided, good, now, strict, waiver } from './given.ts'

const requirementsWith = (verdict: RequirementFixture['verdict'], ...ids: string[]): RequirementFixture[] =>
  ids.map((id) => ({ id, verdict }))

test.each([
  ['yes', [good], {}],
  ['no', requirementsWith('fail', 'A'), { completed: false }],
  ['no', requirementsWith('inconclusive', 'A'), {}],
  ['no decision', [good], { completed: false }],
  ['no decision', requirementsWith('fail', 'A'), { kind: 'probe' as const }],
])('the answer is %s', (answer, fixtures, run) => {
  expect(decided(fixtures, {}, [], run).answer).toBe(answer)
})

test('a decision contains its inputs', () => {
  const decision = decided([good], { maximumAgeHours: 5 })
  expect(decision).toMatchObject({
    formatVersion: 1,
    release: true,
    exitCode: 0,
    because: 'the only applicable requirement holds',
    decidedAt: now.toISOString(),
    version: '0.1.0',
    run: { target: 'uat' },
    policy: { ...strict, maximumAgeHours: 5 },
    coverage: { applicable: 1, decided: 1, waived: 0, observed: 0, share: 1 },
    findings: [],
    waived: [],
    following: [],
  })
})

describe('findings', () => {
  const requirement = { subject: 'requirement' } as const

  test('are in order of their effects, each with its reason', () => {
    const { findings } = decided([
      { id: 'PLANNED', verdict: 'fail', level: 'planned', area: 'webhook' },
      { id: 'B', verdict: 'inconclusive', reason: 'no answer' },
      { id: 'C', verdict: 'fail', reason: 'it was accepted' },
      good,
    ])
    expect(findings).toEqual([
      { ...requirement, effect: 'violated', requirement: 'C', text: '(section "Token") it was accepted' },
      { ...requirement, effect: 'undecided', requirement: 'B', text: 'throttled: no answer' },
      {
        ...requirement,
        effect: 'noted',
        requirement: 'PLANNED',
        text: 'violated, but the policy does not cover level planned in the area webhook',
      },
    ])
  })

  test('count the other failed checks of a requirement', () => {
    const run = runOf([{ id: 'B', verdict: 'fail', reason: 'it was accepted' }])
    const requirements = run.requirements.map((one) => ({
      ...one,
      checks: [1, 2, 3].flatMap(() => one.checks),
    }))
    const results = { ...run, requirements }
    const { findings } = decide({ results, policy: strict, waivers: [], known: ['B'], now, version: '0.1.0' })
    expect(findings[0]?.text).toBe('(section "Token") it was accepted (and 2 more failed checks)')
  })

  test('name the violation that explains an inconclusive requirement', () => {
    const follower: RequirementFixture = {
      id: 'B',
      verdict: 'inconclusive',
      cause: 'target',
      reason: 'no token',
    }
    expect(decided([good, follower]).findings).toMatchObject([
      { effect: 'undecided', text: 'follows from a violation: no token' },
    ])
  })

  test('with a defect of Plumbline in one check are not allowed', () => {
    const results = runOf([good, ...requirementsWith('inconclusive', 'B')])
    const [, undecided] = results.requirements
    const [check] = undecided?.checks ?? []
    if (!undecided || !check) throw new Error('no check')
    const checks = [check, { ...check, cause: 'harness' as const }]
    const requirements = results.requirements.map((one) => (one === undecided ? { ...one, checks } : one))
    const policy = { ...strict, inconclusive: 'allow' as const }
    const question = { policy, waivers: [], known: ['A', 'B'], now, version: '0.1.0' }
    expect(decide({ ...question, results: { ...results, requirements } }).findings).toMatchObject([
      { effect: 'undecided', requirement: 'B' },
    ])
  })

  test('that the policy allows are noted', () => {
    expect(
      decided([good, ...requirementsWith('inconclusive', 'B')], { inconclusive: 'allow' }).findings,
    ).toMatchObject([{ effect: 'noted', requirement: 'B' }])
  })

  test('exclude requirements outside the scope, except violations', () => {
    const outside = { level: 'silent', area: 'token' } as const
    const { findings } = decided([
      good,
      { id: 'B', verdict: 'inconclusive', ...outside },
      { id: 'C', verdict: 'pass', ...outside },
    ])
    expect(findings).toEqual([])
  })
})

test('observed requirements are not judged: reports and the decision count the same', () => {
  const fixtures: RequirementFixture[] = [good, ...requirementsWith('observed', 'B', 'C')]
  const decision = decided(fixtures)
  expect(decision).toMatchObject({
    because: 'the only applicable requirement holds',
    coverage: { applicable: 1, decided: 1, observed: 2, share: 1 },
  })
  expect(decisionMarkdown(decision, 'policy.json')).toContain(
    '100 % of the applicable requirements are decided (1 of 1); 2 more observed',
  )
  expect(answerOf(runOf(fixtures)).sentence).toBe(
    'Release: yes. The only applicable requirement holds; 2 more are observed.',
  )
  expect(decided(requirementsWith('observed', 'B'))).toMatchObject({
    release: false,
    because: 'no requirement was judged; no requirement is violated',
  })
})

test('an inconclusive requirement of level silent or reference is not judged: reports and the decision count the same', () => {
  const fixtures: RequirementFixture[] = [
    good,
    { id: 'B', verdict: 'inconclusive', level: 'silent' },
    { id: 'C', verdict: 'inconclusive', level: 'reference' },
  ]
  const decision = decided(fixtures, { levels: ['must', 'silent', 'reference'] })
  expect(decision).toMatchObject({ release: false, coverage: { applicable: 1, decided: 1, share: 1 } })
  expect(answerOf(runOf(fixtures)).sentence).toBe(
    'Release: not yet. The only applicable requirement holds, but 2 that are only observed are inconclusive.',
  )
})

test('a decision states what the run did not check, with the words and numbers of the first page', () => {
  const run = runOf([
    good,
    { id: 'B', verdict: 'not-applicable', missingEffect: 'slow' },
    { id: 'C', verdict: 'not-applicable', level: 'planned' },
  ])
  const given = { results: run, policy: strict, waivers: [], known: ['A', 'B', 'C'], now, version: '0.1.0' }
  const decision = decide(given)
  const text =
    '2 requirements, 1 of them mandatory (level must): 1 is off by default on uat (ENABLE turns it on); 1 does not apply'
  expect(decisionMarkdown(decision, 'policy.json')).toContain(`- not checked: ${text}`)
  const shown = decisionText(decision, process.stderr, 'policy.json').replace(/\s+/g, ' ')
  expect(shown).toContain(`not checked ${text}`)
  expect(overviewOf(run).notChecked.text).toBe(text)
})

describe('the reason of a release', () => {
  const ids = (...names: string[]) => names as RequirementId[]

  test.each<[string, Parameters<typeof decided>]>([
    ['all 2 applicable requirements hold', [requirementsWith('pass', 'A', 'B')]],
    [
      'all 2 applicable requirements hold, except 1 that is waived',
      [[good, ...requirementsWith('fail', 'B')], {}, [waiver('B')]],
    ],
    [
      'all 3 applicable requirements hold, except 2 that are waived',
      [
        [good, ...requirementsWith('fail', 'B'), ...requirementsWith('inconclusive', 'C')],
        {},
        [waiver('B'), waiver('C')],
      ],
    ],
    [
      'all 4 applicable requirements hold, except 1 that is waived and 2 that follow',
      [
        [
          good,
          ...requirementsWith('fail', 'B'),
          { id: 'C', verdict: 'inconclusive', dependsOn: ids('B') },
          { id: 'D', verdict: 'inconclusive', dependsOn: ids('B') },
        ],
        {},
        [waiver('B')],
      ],
    ],
    [
      '2 of 3 applicable requirements hold, except 1 that is waived, and the policy allows the rest',
      [
        [good, ...requirementsWith('fail', 'B'), ...requirementsWith('inconclusive', 'C')],
        { inconclusive: 'allow' },
        [waiver('B')],
      ],
    ],
  ])('%s', (because, given) => {
    expect(decided(...given)).toMatchObject({ because, release: true })
  })
})

describe('the reason of no release', () => {
  test.each<[string, Parameters<typeof decided>]>([
    ['2 requirements are violated: B, C', [[good, ...requirementsWith('fail', 'B', 'C')]]],
    ['3 requirements are violated: B, C, D', [requirementsWith('fail', 'B', 'C', 'D')]],
    ['5 requirements are violated: B, C, D, and 2 more', [requirementsWith('fail', 'B', 'C', 'D', 'E', 'F')]],
    [
      '2 requirements could not be decided: B, C; no requirement is violated',
      [[good, ...requirementsWith('inconclusive', 'B', 'C')]],
    ],
    [
      '1 requirement could not be decided: C; the only violated requirement is waived',
      [[good, ...requirementsWith('fail', 'B'), ...requirementsWith('inconclusive', 'C')], {}, [waiver('B')]],
    ],
    [
      '1 requirement could not be decided: C; no requirement is violated',
      [[good, ...requirementsWith('inconclusive', 'B', 'C')], {}, [waiver('B')]],
    ],
    [
      'the run is incomplete, and for 1 other reason; no checked requirement is violated',
      [[good, ...requirementsWith('inconclusive', 'B')], {}, [], { completed: false }],
    ],
    [
      '1 requirement could not be decided: B, and for 2 other reasons; no requirement is violated',
      [
        [good, ...requirementsWith('inconclusive', 'B')],
        { minimumApplicable: { overall: 3 } },
        [waiver('A')],
      ],
    ],
    [
      '1 requirement applied, and the policy requires 3, and for 1 other reason; no requirement is violated',
      [[good], { minimumApplicable: { overall: 3 } }, [waiver('A')]],
    ],
    [
      'a waiver needs attention: A holds, so remove its waiver; no requirement is violated',
      [[good], {}, [waiver('A')]],
    ],
  ])('%s', (because, given) => {
    expect(decided(...given)).toMatchObject({ because, release: false })
  })
})

describe('waivers of a decision', () => {
  test('are listed if a violated or inconclusive requirement in the scope needs them', () => {
    const { waived } = decided(
      [
        good,
        ...requirementsWith('fail', 'B'),
        { id: 'C', verdict: 'fail', level: 'planned' },
        { id: 'D', verdict: 'not-applicable' },
      ],
      { waiverFindings: 'report' },
      ['A', 'B', 'C', 'D'].map((id) => waiver(id)),
    )
    expect(waived).toEqual([{ ...waiver('B'), verdict: 'fail' }])
  })

  test('outside the scope settle the requirements that follow from them, which are not listed there', () => {
    const violated: RequirementFixture = { id: 'B', verdict: 'fail', level: 'planned' }
    const dependsOn = ['B'] as unknown as RequirementId[]
    const decision = decided(
      [
        good,
        violated,
        { id: 'C', verdict: 'inconclusive', dependsOn },
        { id: 'D', verdict: 'inconclusive', dependsOn, level: 'planned' },
      ],
      {},
      [waiver('B')],
    )
    expect(decision.following.map(({ requirement }) => requirement)).toEqual(['C'])
    expect(decision).toMatchObject({
      release: true,
      because: 'all 2 applicable requirements hold, except 1 that follows',
    })
  })

  test('are valid until the end of their last day in UTC', () => {
    const expired = (time: string) => hasExpired(waiver('A', { expires: '2026-11-21' }), new Date(time))
    expect([
      expired('2026-11-20T00:00:00Z'),
      expired('2026-11-21T23:59:59Z'),
      expired('2026-11-22T00:00:00Z'),
      expired('2026-11-22T00:30:00+02:00'),
      expired('2027-01-01T00:00:00Z'),
    ]).toEqual([false, false, true, false, true])
  })
})

describe('files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-decide-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const file = (value: unknown) => {
    const path = join(folder, 'file.json')
    const text = JSON.stringify(value)
    writeFileSync(path, text)
    return { path, text }
  }
  const policy = { target: 'uat', maximumAgeHours: 24, levels: ['must'], inconclusive: 'block' }
  const areas = ['token', 'events']

  test('a policy is read with its text', () => {
    const given = {
      ...policy,
      areas: ['token'],
      kind: 'probe',
      minimumCoverage: { overall: 0.9, areas: { events: 0.5 } },
      minimumApplicable: { areas: { token: 3 } },
      waiverFindings: 'report',
    }
    const { path, text } = file(given)
    expect(readPolicy(path, areas)).toEqual({ policy: given, text })
  })

  test.each([
    [{ areas: ['token', 'webhook'] }, /areas\[1\] names the area "webhook"; the areas are token, events /],
    [
      { minimumApplicable: { areas: { tokn: 1 } } },
      /minimumApplicable\.areas\.tokn names the area "tokn"; the nearest is token /,
    ],
  ])('a policy with %j names an unknown area', (changes, sentence) => {
    const { path } = file({ ...policy, ...changes })
    expect(() => readPolicy(path, areas)).toThrow(sentence)
  })

  test('waivers are read with their text, one for each requirement and target', () => {
    const waivers = [waiver('BB'), waiver('BB', { target: 'production' }), waiver('CC')]
    const { path, text } = file({ waivers })
    expect(readWaivers(path)).toEqual({ waivers, text })
  })

  test('each waiver that repeats another one is named', () => {
    const { path } = file({ waivers: [waiver('BB'), waiver('CC'), waiver('BB'), waiver('CC'), waiver('BB')] })
    const sentences = (error: unknown) => (error as Error).message.split('\n')
    try {
      readWaivers(path)
      expect.unreachable()
    } catch (error) {
      expect(sentences(error)).toEqual([
        expect.stringMatching(/waivers\[2\]\.requirement repeats waivers\[0\]: BB on uat needs one waiver/),
        expect.stringMatching(/waivers\[3\]\.requirement repeats waivers\[1\]: CC on uat needs one waiver/),
        expect.stringMatching(/waivers\[4\]\.requirement repeats waivers\[0\]: BB on uat needs one waiver/),
      ])
    }
  })

  test.each([
    ['policy', () => readPolicy(file('{').path, areas)],
    ['waivers', () => readWaivers(file('{').path)],
  ])('a mistake names the option --%s and the page that explains it', (option, read) => {
    expect(read).toThrow(new RegExp(`^--${option} .*\\(see docs/gating\\.md\\)$`))
  })

  test('waivers with a duplicate member are rejected', () => {
    const { path } = file({ waivers: [] })
    writeFileSync(path, '{ "waivers": [], "waivers": [] }')
    expect(() => readWaivers(path)).toThrow(/waivers occurs twice/)
  })
})
