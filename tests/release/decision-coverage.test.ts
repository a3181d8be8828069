import { describe, expect, test } from 'vitest'
import { decide } from '../../src/release/decide.ts'
import { percent } from '../../src/release/grounds.ts'
import type { Policy } from '../../src/release/policy.ts'
import { decisionMarkdown, decisionText } from '../../src/release/text.ts'
import { answerOf } from '../../src/report/answer.ts'
import { overviewOf } from '../../src/report/overview.ts'
import type { RunResults } from '../../src/results/results.ts'
import { type RequirementFixture, runOf } from '../results/fixture/runs.ts'
import { schemaErrors } from '../results/fixture/schema.ts'
import { decided, decidedOn, good, now, requirementsWith, strict, waiver } from './given.ts'

describe('the coverage of a release decision', () => {
  test('excludes observed requirements: reports and the decision count the same', () => {
    const fixtures: RequirementFixture[] = [good, ...requirementsWith('observed', 'B', 'C')]
    const decision = decided(fixtures)
    expect(decision).toMatchObject({
      because: 'the only checked requirement (level must) holds',
      coverage: { applicable: 1, decided: 1, observed: 2, share: 1 },
    })
    expect(decisionMarkdown(decision, 'policy.json')).toContain(
      '3 requirements in the scope of the policy: 1 checked, 0 not checked, 2 only observed; of the checked ones, 100 % are judged pass or fail (1 of 1)',
    )
    expect(answerOf(runOf(fixtures)).sentence).toBe(
      'Release: yes, because the only checked requirement holds; 2 more are observed.',
    )
    expect(decided(requirementsWith('observed', 'B'))).toMatchObject({
      release: false,
      because: 'no requirement was judged; no requirement is violated',
    })
  })

  test('excludes an inconclusive requirement of level silent or reference: reports and the decision count the same', () => {
    const fixtures: RequirementFixture[] = [
      good,
      { id: 'B', verdict: 'inconclusive', level: 'silent' },
      { id: 'C', verdict: 'inconclusive', level: 'reference' },
    ]
    const decision = decided(fixtures, { levels: ['must', 'silent', 'reference'] })
    expect(decision).toMatchObject({ release: true, coverage: { applicable: 1, decided: 1, share: 1 } })
    expect(answerOf(runOf(fixtures)).sentence).toBe(
      'Release: not yet. The only checked requirement holds, but 2 that Plumbline only observes are inconclusive.',
    )
  })

  test('counts waived inconclusive requirements in addition to the decided ones', () => {
    const fixtures: RequirementFixture[] = [good, { id: 'B', verdict: 'inconclusive' }]
    const decision = { ...decided(fixtures), waived: [] }
    const { coverage } = decision
    const waived = { ...decision, coverage: { ...coverage, decided: 1, waived: 1, share: 1 } }
    expect(decisionMarkdown(waived, 'policy.json')).toContain(
      'of the checked ones, 100 % are judged or waived (2 of 2: 1 judged, 1 waived and inconclusive)',
    )
  })

  test('comes with the requirements that the run did not check, in the words and numbers of the first page', () => {
    const run = runOf([
      good,
      { id: 'B', verdict: 'not-applicable', missingEffect: 'slow' },
      { id: 'C', verdict: 'not-applicable', level: 'planned' },
    ])
    const decision = decidedOn(run)
    const text = '1 requirement of level must, which is off by default on uat, and 1 of other levels'
    expect(decisionMarkdown(decision, 'policy.json')).toContain(`- not checked: ${text}`)
    const shown = decisionText(decision, process.stderr, 'policy.json').replace(/\s+/g, ' ')
    expect(shown).toContain(`not checked ${text}`)
    expect(overviewOf(run).notChecked.text).toBe(text)
  })

  test('counts what was not checked in the scope of the policy, and the rest apart', () => {
    const run = runOf([
      good,
      { id: 'B', verdict: 'not-applicable', missingEffect: 'slow' },
      { id: 'C', verdict: 'not-applicable', missingEffect: 'planned', level: 'planned' },
      { id: 'D', verdict: 'not-applicable', area: 'events' },
      { id: 'E', verdict: 'not-applicable', level: 'client' },
    ])
    const textOf = (policy: Partial<Policy>) =>
      /^- not checked: (.*)$/m.exec(decisionMarkdown(decidedOn(run, policy), 'policy.json'))?.[1]
    expect(textOf({ levels: ['must', 'planned'] })).toBe(
      '3 requirements of level must, planned (2 are off by default on uat, 1 needs a variable to be set or changed), and 1 of other levels',
    )
    expect(textOf({ levels: ['must', 'planned'], areas: ['token'] })).toBe(
      '2 requirements of level must, planned in the area token, which are off by default on uat, and 2 of other levels or areas',
    )
    expect(textOf({ levels: ['silent'] })).toBe('4 requirements of other levels')
    expect(decisionMarkdown(decided([good]), 'policy.json')).not.toContain('- not checked')
  })

  test('of a partial run counts the requirements that it selected', () => {
    const rowOf = (fixtures: RequirementFixture[], run = {}) => {
      const catalogue = ['A', 'NEW'].map((id) => ({ id, area: 'token', level: 'must' }) as const)
      const given = { policy: strict, waivers: [], catalogue, earlierViolations: [], now, version: '0.2.0' }
      const decision = decide({ ...given, results: runOf(fixtures, run) })
      return /^- coverage: (.*?)[;,]/m.exec(decisionMarkdown(decision, 'policy.json'))?.[1]
    }
    const partial = { selection: { only: ['A'], areas: [] } }
    const [of, counts] = ['of the 2 requirements in the scope of the policy', '1 checked']
    expect(rowOf([good], partial)).toBe(`the run selected only 1 ${of}: ${counts}`)
    expect(rowOf([good])).toBe(`the run contains only 1 ${of}: ${counts}`)
    expect(rowOf([good, { ...good, id: 'NEW' }])).toBe('2 requirements in the scope of the policy: 2 checked')
    expect(decided([good], { areas: ['events'] }).inScope).toEqual({ inRun: 0, all: 0 })
  })

  test('is a condition of the policy only if inconclusive requirements do not block', () => {
    const minimumCoverage = { overall: 0.98, areas: { token: 1, events: 0.5 } }
    const conditionsOf = (policy: Partial<Policy>) =>
      /^- policy: policy.json: check run of uat, at most 24 h old; (.*)$/m.exec(
        decisionMarkdown(decided([good], policy), 'policy.json'),
      )?.[1]
    expect(conditionsOf({ minimumCoverage, inconclusive: 'allow' })).toBe(
      'level must, all areas; inconclusive requirements do not block; at least 98 % coverage (token 100 %, events 50 %)',
    )
    expect(conditionsOf({ minimumCoverage })).toBe(
      'level must, all areas; each inconclusive requirement blocks; at least one judged requirement in each of the areas token, events',
    )
    expect(conditionsOf({ minimumCoverage: { areas: { token: 1 } } })).toMatch(
      /; at least one judged requirement in the area token$/,
    )
    expect(conditionsOf({ minimumApplicable: { overall: 2, areas: { events: 1 } } })).toMatch(
      /; at least 2 checked requirements \(events 1\)$/,
    )
    expect(conditionsOf({ minimumApplicable: { areas: { token: 2, events: 1 } } })).toMatch(
      /; at least 2 checked requirements in the area token, 1 in the area events$/,
    )
    expect(conditionsOf({ minimumCoverage: { overall: 0.98 } })).toBe(
      'level must, all areas; each inconclusive requirement blocks',
    )
  })

  test('comes with the requirements in the scope of the policy that were not checked, by reason', () => {
    const noCheck = (id: string) => ({ ...requirement(id), verdict: 'not-applicable', checks: [] }) as const
    const requirement = (id: string) => {
      const [found] = runOf([{ ...good, id }]).requirements
      if (!found) throw new Error('the run has no requirement')
      return found
    }
    const run = runOf([
      good,
      ...['B', 'C'].map(
        (id) => ({ id, verdict: 'not-applicable', missingEffect: 'slow', reason: 'waits' }) as const,
      ),
      { id: 'D', verdict: 'not-applicable', cause: 'target', reason: 'the target lacks it' },
      { id: 'E', verdict: 'not-applicable', level: 'planned' },
    ])
    const results = {
      ...run,
      requirements: [...run.requirements, { ...noCheck('F'), reason: 'f' }, { ...noCheck('G'), reason: 'g' }],
    }
    const decision = decidedOn(results)
    expect(schemaErrors(decision, 'release-decision')).toEqual([])
    expect(decision.notCheckedInScope).toEqual([
      { kind: 'needEnable', reason: 'waits', effect: 'slow', ids: ['B', 'C'] },
      { kind: 'absent', reason: 'the target lacks it', ids: ['D'] },
      { kind: 'withoutCheck', reason: 'f', ids: ['F'] },
      { kind: 'withoutCheck', reason: 'g', ids: ['G'] },
    ])
    const markdown = decisionMarkdown(decision, 'policy.json')
    expect(markdown).toContain('6 requirements in the scope of the policy: 1 checked, 5 not checked; ')
    expect(markdown).toContain(
      [
        '## Not checked, although in the scope of the policy (level must); this does not block the release',
        '',
        '- **2 requirements**: waits: B, C',
        '- **D**: the target lacks it',
        '- **2 requirements**: no check (the reasons: `npx plumbline list --unchecked --level must`): F, G',
        '',
      ].join('\n'),
    )
    const shown = decisionText(decision, process.stderr, 'policy.json')
    expect(shown).toContain('\n  D  the target lacks it\n')
  })

  test('is noted if a complete run lacks requirements of this version that the policy covers', () => {
    const entry = (id: string, level: 'must' | 'planned' = 'must') => ({ id, area: 'token', level })
    const findingsOn = (results: RunResults, ...ids: string[]) => {
      const catalogue = [entry('A'), ...ids.map((id) => entry(id)), entry('NEW-PLANNED', 'planned')]
      const given = { policy: strict, waivers: [], catalogue, earlierViolations: [], now, version: '0.2.0' }
      return decide({ ...given, results }).findings
    }
    const lacking = (what: string, them: string) => ({
      effect: 'noted',
      subject: 'coverage',
      requirement: null,
      text: `the run does not contain ${what}: start a new run to check ${them}`,
    })
    const ofVersion = 'of this version of Plumbline'
    expect(findingsOn(runOf([good]), 'NEW')).toEqual([lacking(`1 requirement ${ofVersion} (NEW)`, 'it')])
    expect(findingsOn(runOf([good]), 'NEW', 'NEWER')).toEqual([
      lacking(`2 requirements ${ofVersion} (NEW, NEWER)`, 'them'),
    ])
    for (const selection of [
      { only: ['A'], areas: [] },
      { only: [], areas: ['token'] },
    ])
      expect(findingsOn(runOf([good], { selection }), 'NEW')).toMatchObject([{ effect: 'undecided' }])
  })

  test('is part of an answer that names the policy that decided', () => {
    const decision = decided([good])
    expect(answerOf(runOf([good]), { decision, file: 'policy.json' }).basis).toContain('under policy.json (')
    expect(answerOf(runOf([good]), { decision }).basis).toContain('under reports/release-policy.json (')
  })

  test('may be as low as the policy requires', () => {
    const textsOn = (fixtures: RequirementFixture[], policy: Partial<Policy>) =>
      decided(fixtures, { inconclusive: 'allow', ...policy }, [waiver('B')])
        .findings.filter(({ subject }) => subject === 'coverage')
        .map(({ text }) => text)
    const fixtures = [good, ...requirementsWith('inconclusive', 'B', 'C', 'D')]
    expect(textsOn(fixtures, { minimumCoverage: { areas: { token: 0.5 } } })).toEqual([])
    expect(textsOn(fixtures, { minimumCoverage: { areas: { token: 0.6 } } })).toEqual([
      'the coverage in the area token is 50 % (2 of 4), but the policy requires 60 %',
    ])
    expect(textsOn(fixtures, { minimumApplicable: { overall: 4 } })).toEqual([])
    expect(textsOn(fixtures, { minimumApplicable: { overall: 5 } })).toEqual([
      '4 requirements were checked, but the policy requires 5',
    ])
  })

  test('without a checked requirement has no share, and one finding', () => {
    const minimums = { minimumCoverage: { overall: 0.98 }, minimumApplicable: { overall: 2 } }
    const policy = { inconclusive: 'allow', ...minimums } satisfies Partial<Policy>
    expect(decided(requirementsWith('not-applicable', 'B'), policy)).toMatchObject({
      release: false,
      coverage: { applicable: 0, share: null },
      findings: [{ effect: 'undecided', text: 'no requirement was judged' }],
    })
  })

  test('of waived inconclusive requirements alone permits no release', () => {
    expect(decided(requirementsWith('inconclusive', 'B'), {}, [waiver('B')])).toMatchObject({
      release: false,
      coverage: { applicable: 1, decided: 0, waived: 1, share: 1 },
      findings: [{ effect: 'undecided', text: 'no requirement was judged' }],
    })
  })

  test('is rounded down, so that only a complete share is 100 %', () => {
    expect([0.99999, 1, 0.29, 0.98765].map(percent)).toEqual(['99.99 %', '100 %', '29 %', '98.76 %'])
  })
})
