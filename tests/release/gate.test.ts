import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import type { RequirementId } from '../../src/check/requirement.ts'
import type { Cause, Verdict } from '../../src/check/verdict.ts'
import { decisionMarkdown } from '../../src/release/markdown.ts'
import { readPolicy } from '../../src/release/policy.ts'
import { percent } from '../../src/release/text.ts'
import { readWaivers, type Waiver } from '../../src/release/waivers.ts'
import type { RequirementFixture } from '../results/fixture/runs.ts'
import { decided, good, strict, waiver } from './given.ts'

describe('decision table', () => {
  test.for<[string, Parameters<typeof decided>, 0 | 1 | 2, RegExp]>([
    ['all holds', [[good]], 0, /^the only applicable requirement holds$/],
    ['a violation', [[good, { id: 'B', verdict: 'fail' }]], 1, /^1 requirement is violated: B$/],
    ['a violation in another level', [[good, { id: 'B', verdict: 'fail', level: 'planned' }]], 0, /hold/],
    [
      'a violation in an area that the policy does not cover',
      [[good, { id: 'B', verdict: 'fail', area: 'events' }], { areas: ['token'] }],
      0,
      /hold/,
    ],
    [
      'inconclusive, which blocks',
      [[good, { id: 'B', verdict: 'inconclusive' }]],
      2,
      /could not be decided: B/,
    ],
    [
      'inconclusive, which is allowed',
      [[good, { id: 'B', verdict: 'inconclusive' }], { inconclusive: 'allow' }],
      0,
      /^1 of 2 applicable requirements hold, and the policy allows the rest$/,
    ],
    [
      'inconclusive because of a defect of Plumbline, which is never allowed',
      [[good, { id: 'B', verdict: 'inconclusive', cause: 'harness' }], { inconclusive: 'allow' }],
      2,
      /could not be decided: B/,
    ],
    ['nothing applied', [[{ id: 'A', verdict: 'not-applicable' }]], 2, /no requirement was judged/],
    [
      'too little decided',
      [
        [good, { id: 'B', verdict: 'inconclusive' }],
        { inconclusive: 'allow', minimumCoverage: { overall: 0.6 } },
      ],
      2,
      /50 % of the applicable requirements are decided or waived \(1 of 2\), and the policy requires 60 %/,
    ],
    [
      'too little decided in an area',
      [
        [good, { id: 'B', verdict: 'inconclusive', area: 'events' }],
        { inconclusive: 'allow', minimumCoverage: { areas: { events: 0.5 } } },
      ],
      2,
      /0 % of the applicable requirements in the area events/,
    ],
    ['an area in which nothing applied', [[good], { areas: ['token', 'events'] }], 2, /in the area events/],
    ['too little applied', [[good], { minimumApplicable: { overall: 2 } }], 2, /1 requirement applied/],
    ['another target', [[good], {}, [], { target: 'embedded' }], 2, /the run is of embedded/],
    [
      'another target, with a violation',
      [[{ id: 'A', verdict: 'fail' }], {}, [], { target: 'embedded' }],
      2,
      /^the run is of embedded, and the policy requires uat$/,
    ],
    [
      'another target and kind, with a violation',
      [[{ id: 'A', verdict: 'fail' }], {}, [], { target: 'embedded', kind: 'probe' }],
      2,
      /^the run is of embedded, and the policy requires uat; the run is a probe run, and the policy requires a check run$/,
    ],
    [
      'a part only, of some areas',
      [[good], {}, [], { selection: { only: [], areas: ['token', 'events'] } }],
      2,
      /^the run checked the areas token, events only, not the other 3 requirements; no checked requirement is violated$/,
    ],
    [
      'a part only, with a violation',
      [[{ id: 'A', verdict: 'fail' }], {}, [], { selection: { only: ['A'], areas: [] } }],
      1,
      /^1 requirement is violated: A$/,
    ],
    ['another kind', [[good], {}, [], { kind: 'probe' }], 2, /is a probe run/],
    ['incomplete', [[good], {}, [], { completed: false, finishedAt: null }], 2, /the run is incomplete/],
    [
      'incomplete, with a violation',
      [[{ id: 'A', verdict: 'fail' }], {}, [], { completed: false }],
      1,
      /violated/,
    ],
    ['too old', [[good], { maximumAgeHours: 0.5 }], 2, /ended 56 min 57 s ago, and the policy allows 30 min/],
    [
      'a second too old',
      [[good], { maximumAgeHours: (56 * 60 + 56) / 3600 }],
      2,
      /ended 56 min 57 s ago, and the policy allows 56 min 56 s/,
    ],
    ['from the future', [[good], {}, [], { finishedAt: '2027-01-01T00:00:00Z' }], 2, /a clock is wrong/],
    ['part of it', [[good], {}, [], { selection: { only: ['A'], areas: [] } }], 2, /checked A only/],
    ['one area', [[good], {}, [], { selection: { only: [], areas: ['token'] } }], 2, /the area token only/],
    [
      'the area that the policy covers',
      [[good], { areas: ['token'] }, [], { selection: { only: [], areas: ['token'] } }],
      0,
      /hold/,
    ],
    [
      'a violation that is waived, on the last day',
      [[good, { id: 'B', verdict: 'fail' }], {}, [waiver('B')]],
      0,
      /hold, except 1 that is waived$/,
    ],
    [
      'a violation whose waiver has expired',
      [[good, { id: 'B', verdict: 'fail' }], {}, [waiver('B', { expires: '2026-11-20' })]],
      1,
      /violated: B/,
    ],
    [
      'a violation that is waived elsewhere',
      [[good, { id: 'B', verdict: 'fail' }], {}, [waiver('B', { target: 'production' })]],
      1,
      /violated: B/,
    ],
    [
      'an inconclusive one that is waived',
      [[good, { id: 'B', verdict: 'inconclusive' }], {}, [waiver('B')]],
      0,
      /waived/,
    ],
    [
      'an expired waiver',
      [[good], {}, [waiver('A', { expires: '2026-11-20' })]],
      2,
      /A expired on 2026-11-20/,
    ],
    [
      'a waiver of no requirement',
      [[good], {}, [waiver('KNOWNS')]],
      2,
      /no such requirement; the nearest is KNOWN/,
    ],
    [
      'a waiver of no requirement on another target',
      [[good], {}, [waiver('KNOWNS', { target: 'production' })]],
      2,
      /no such requirement/,
    ],
    ['a waiver of what the run did not check', [[good], {}, [waiver('KNOWN')]], 2, /does not contain/],
    ['a waiver of what holds', [[good], {}, [waiver('A')]], 2, /A holds, so remove its waiver/],
    ['the same, only reported', [[good], { waiverFindings: 'report' }, [waiver('A')]], 0, /hold/],
    [
      'a waiver of what did not apply',
      [[good, { id: 'B', verdict: 'not-applicable' }], {}, [waiver('B')]],
      0,
      /hold/,
    ],
  ])('%s', ([, given, exitCode, because]) => {
    const decision = decided(...given)
    expect(decision.because).toMatch(because)
    expect(decision).toMatchObject({ exitCode, release: exitCode === 0 })
  })
})

describe('requirements that follow from a waived violation', () => {
  const ids = (...names: string[]) => names as RequirementId[]
  const reason = 'the token of the code exchange breaks this rule as well'
  const full = { minimumCoverage: { overall: 1, areas: { token: 1 } } }
  const violated: RequirementFixture = { id: 'ID-ISSUER', verdict: 'fail' }
  const follower: RequirementFixture = {
    id: 'ID-REFRESHED',
    verdict: 'inconclusive',
    cause: 'target',
    reason,
    dependsOn: ids('ID-ISSUER'),
  }

  test('is settled by its waiver, for coverage too, and listed', () => {
    const decision = decided([good, violated, follower], full, [waiver('ID-ISSUER')])
    expect(decision.because).toBe(
      'all 3 applicable requirements hold, except 1 that is waived and 1 that follows',
    )
    expect(decision).toMatchObject({
      exitCode: 0,
      coverage: { applicable: 3, decided: 2, waived: 1, share: 1 },
      following: [{ requirement: 'ID-REFRESHED', follows: ['ID-ISSUER'], reason }],
    })
    expect(decisionMarkdown(decision, 'policy.json')).toContain(
      '**ID-REFRESHED**: inconclusive, follows from ID-ISSUER',
    )
  })

  test('is also settled indirectly', () => {
    const third: RequirementFixture = { ...follower, id: 'ID-AFTER', dependsOn: ids('ID-REFRESHED') }
    expect(decided([third, violated, follower], full, [waiver('ID-ISSUER')])).toMatchObject({
      exitCode: 0,
      following: [{ requirement: 'ID-REFRESHED' }, { requirement: 'ID-AFTER' }],
    })
  })

  test.for<[string, readonly RequirementFixture[], Waiver]>([
    ['what is not waived', [good, follower], waiver('ID-ISSUER', { target: 'production' })],
    ['what holds', [{ id: 'ID-ISSUER', verdict: 'pass' }, follower], waiver('ID-ISSUER')],
    [
      'two, of which one is not waived',
      [
        violated,
        { id: 'ID-OTHER', verdict: 'inconclusive' },
        { ...follower, dependsOn: ids('ID-ISSUER', 'ID-OTHER') },
      ],
      waiver('ID-ISSUER'),
    ],
    [
      'what a reason says in prose alone',
      [violated, { ...follower, reason: 'there is none; see ID-ISSUER', dependsOn: [] }],
      waiver('ID-ISSUER'),
    ],
    ['a defect of Plumbline', [violated, { ...follower, cause: 'harness' }], waiver('ID-ISSUER')],
  ])('is not settled by %s', ([, fixtures, given]) => {
    expect(decided(fixtures, {}, [given])).toMatchObject({ exitCode: 2, following: [] })
  })

  test('stays inconclusive if the waiver has expired', () => {
    const expired = waiver('ID-ISSUER', { expires: '2026-11-20' })
    expect(decided([good, violated, follower], full, [expired])).toMatchObject({ exitCode: 1, following: [] })
  })
})

test('an inconclusive requirement that is waived counts as settled for coverage', () => {
  const fixtures: RequirementFixture[] = [good, { id: 'B', verdict: 'inconclusive' }]
  expect(decided(fixtures, { minimumCoverage: { overall: 1 } }, [waiver('B')])).toMatchObject({
    exitCode: 0,
    coverage: { decided: 1, waived: 1, share: 1 },
  })
})

describe('properties', () => {
  const fixtures = fc.uniqueArray(
    fc.record({
      id: fc.constantFrom('A', 'B', 'C'),
      verdict: fc.constantFrom<Verdict>('pass', 'fail', 'inconclusive', 'not-applicable', 'observed'),
      cause: fc.constantFrom<Cause>('throttled', 'harness'),
      level: fc.constantFrom('must' as const, 'silent' as const),
    }),
    { selector: ({ id }) => id, minLength: 1 },
  )
  const policy = fc.record({
    inconclusive: fc.constantFrom('block' as const, 'allow' as const),
    waiverFindings: fc.constantFrom('block' as const, 'report' as const),
    maximumAgeHours: fc.constantFrom(0.5, 24),
  })
  const waivers = fc.uniqueArray(
    fc.record({
      requirement: fc.constantFrom('A', 'B', 'C', 'KNOWN', 'UNKNOWN'),
      target: fc.constantFrom('uat' as const, 'production' as const),
      expires: fc.constantFrom('2026-11-20', '2026-11-21'),
    }),
    { selector: ({ requirement, target }) => requirement + target },
  )

  test('never yes with an unwaived violation, or with a finding that blocks', () => {
    fc.assert(
      fc.property(fixtures, policy, waivers, (list, rules, waived) => {
        const decision = decided(
          list,
          rules,
          waived.map(({ requirement, ...rest }) => waiver(requirement, rest)),
        )
        const valid = waived.filter(({ target, expires }) => target === 'uat' && expires === '2026-11-21')
        const violated = list.some(
          ({ id, verdict, level }) =>
            verdict === 'fail' && level === 'must' && !valid.some(({ requirement }) => requirement === id),
        )
        expect(decision.exitCode === 1).toBe(violated)
        const undecided = decision.findings.some(({ effect }) => effect === 'undecided')
        expect(decision.release).toBe(!violated && !undecided)
        expect(decision.because).not.toContain('undefined')
        expect(decisionMarkdown(decision, 'policy.json')).toMatch(/^# Release: (yes\. |no\. |not decided \()/)
      }),
    )
  })

  test('a waiver never turns a yes into a violation', () => {
    fc.assert(
      fc.property(fixtures, policy, fc.constantFrom('A', 'B', 'C'), (list, rules, id) => {
        const without = decided(list, rules)
        const withWaiver = decided(list, rules, [waiver(id)])
        if (without.exitCode !== 1) expect(withWaiver.exitCode).not.toBe(1)
      }),
    )
  })
})

test('a share is rounded down, so that only a complete share is 100 %', () => {
  expect([0.99999, 1, 0.29, 0.98765].map(percent)).toEqual(['99.99 %', '100 %', '29 %', '98.76 %'])
})

describe('mistakes in files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-gate-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const file = (text: string) => {
    const path = join(folder, 'file.json')
    writeFileSync(path, text)
    return path
  }
  const policy = (member: string) =>
    `{\n  "target": "uat",\n  "levels": ["must"],\n  "inconclusive": "block",\n  ${member}\n}\n`
  const messageOf = (read: () => unknown) => {
    try {
      read()
    } catch (error) {
      return (error as Error).message
    }
    return ''
  }
  const list = (member: string, value: string) => {
    const { [member]: _, ...rest } = { ...waiver('BB') } as Record<string, string>
    const lines = Object.entries(rest).map(([name, text]) => `      "${name}": "${text}",`)
    return `{\n  "waivers": [\n    {\n${lines.join('\n')}\n      "${member}": ${value}\n    }\n  ]\n}\n`
  }

  test.for([
    [policy('"maximumAgeHours": "24"'), /^--policy .*file\.json:5 maximumAgeHours must be number/],
    [policy('"maximumAgeHours": 0'), /file\.json:5 maximumAgeHours must be > 0, not 0/],
    [policy('"maxAge": 24'), /file\.json:1 lacks the member maximumAgeHours|:5 maxAge is unknown here/],
    [
      policy('"maximumAgeHours": 1, "areas": ["tokens"]'),
      /:5 areas\[0\] names the area "tokens"; the nearest is token/,
    ],
    [
      policy('"maximumAgeHours": 1,\n  "minimumCoverage": { "areas": { "evnts": 1 } }'),
      /:6 minimumCoverage\.areas\.evnts names the area "evnts"; the nearest is events/,
    ],
    [
      policy('"maximumAgeHours": 1,\n  "minimumCoverage": { "overall": 98 }'),
      /:6 minimumCoverage\.overall must be <= 1, not 98, for example 0\.95/,
    ],
    [policy('"maximumAgeHours": 1, "target": "production"'), /:\d target occurs twice/],
    [
      policy('"maximumAgeHours": 24,'),
      /:6 is not JSON: a quoted name is missing, or there is an extra comma/,
    ],
    [
      policy('"maximumAgeHours": 24').replace('"uat"', 'uat'),
      /:2 is not JSON: a word that is neither quoted/,
    ],
    ['[]', /file\.json:1 must be object/],
    ['', /file\.json:1 is not JSON: a value is missing/],
  ] as const)('policy %j', ([text, sentence]) => {
    const read = () => readPolicy(file(text), ['token', 'events'])
    expect(read).toThrow(sentence)
    expect(read).toThrow(/\(see docs\/gating\.md\)$/)
  })

  test.for([
    [
      list('expires', '"31.12.2026"'),
      /^--waivers .*file\.json:9 waivers\[0\]\.expires must be a day, .*, not "31\.12\.2026", for example "2026-12-31"/,
    ],
    [list('expires', '"2026-02-30"'), /:9 waivers\[0\]\.expires must be a day/],
    [
      list('requirement', '"EVENT-*"'),
      /:9 waivers\[0\]\.requirement must be the id of one requirement, not "EVENT-\*"/,
    ],
    [list('target', '"UAT"'), /:9 waivers\[0\]\.target must be one of embedded, uat, production, not "UAT"/],
    [list('issue', '"IDP-123"'), /:9 waivers\[0\]\.issue must be the address of the issue/],
    [
      list('ticket', '"x"'),
      /:10 waivers\[0\]\.ticket is unknown here; the permitted members are requirement, target/,
    ],
    [list('reason', '"later"'), /:9 waivers\[0\]\.reason must have at least 10 characters, not "later"/],
    ['{ "waivers": [{}] }', /:1 waivers\[0\] lacks the member requirement/],
    [
      JSON.stringify({ waivers: [waiver('BB'), waiver('BB', { expires: '2027-01-01' })] }),
      /waivers\[1\]\.requirement repeats waivers\[0\]: BB on uat needs one waiver/,
    ],
  ] as const)('waivers %j', ([text, sentence]) => {
    expect(() => readWaivers(file(text))).toThrow(sentence)
  })

  test('several are reported at once, one sentence each', () => {
    const waivers = [waiver('BB', { reason: 'later', issue: 'EH-1' }), waiver('CC', { owner: '' })]
    const read = () => readWaivers(file(JSON.stringify({ waivers }, null, 2)))
    const sentences = messageOf(read).split('\n')
    expect(sentences).toEqual([
      expect.stringMatching(/:6 waivers\[0\]\.reason must have at least 10 characters, not "later"/),
      expect.stringMatching(/:8 waivers\[0\]\.issue must be the address of the issue/),
      expect.stringMatching(/:15 waivers\[1\]\.owner must have at least 1 character, not ""/),
    ])
    const policyFile = file('{\n"target": "UAT",\n"levels": ["must"]\n}')
    const message = messageOf(() => readPolicy(policyFile, []))
    expect(message).toMatch(/lacks the member maximumAgeHours/)
    expect(message).toMatch(/lacks the member inconclusive/)
    expect(message).toMatch(/:2 target must be one of/)
  })

  test('a file that does not exist', () => {
    expect(() => readWaivers(join(folder, 'none.json'))).toThrow(/none\.json does not exist/)
  })

  test('members that a policy omits have their defaults', () => {
    expect(readPolicy(file(policy('"maximumAgeHours": 24')), []).policy).toEqual(strict)
  })
})
