import { describe, expect, test } from 'vitest'
import type { RequirementId } from '../../src/check/requirement.ts'
import type { RequirementFixture } from '../results/fixture/runs.ts'
import { decided, good, idsOf, requirementsWith, waiver } from './given.ts'

describe('the reason of a release', () => {
  test.each<[string, Parameters<typeof decided>]>([
    ['all 2 checked requirements (level must) hold', [requirementsWith('pass', 'A', 'B')]],
    [
      '1 of 2 checked requirements (level must) hold; 1 is waived',
      [[good, ...requirementsWith('fail', 'B')], {}, [waiver('B')]],
    ],
    [
      '1 of 3 checked requirements (level must) hold; 2 are waived',
      [
        [good, ...requirementsWith('fail', 'B'), ...requirementsWith('inconclusive', 'C')],
        {},
        [waiver('B'), waiver('C')],
      ],
    ],
    [
      '1 of 4 checked requirements (level must) hold; 1 is waived and 2 follow from waived ones',
      [
        [
          good,
          ...requirementsWith('fail', 'B'),
          { id: 'C', verdict: 'inconclusive', cause: 'target', dependsOn: idsOf('B') },
          { id: 'D', verdict: 'inconclusive', cause: 'target', dependsOn: idsOf('B') },
        ],
        {},
        [waiver('B')],
      ],
    ],
    [
      '1 of 3 checked requirements (level must) hold; 1 is waived; 1 is inconclusive, which the policy allows',
      [
        [good, ...requirementsWith('fail', 'B'), ...requirementsWith('inconclusive', 'C')],
        { inconclusive: 'allow' },
        [waiver('B')],
      ],
    ],
    [
      'the only checked requirement (level must) is waived',
      [requirementsWith('fail', 'A'), {}, [waiver('A')]],
    ],
    [
      '1 of 3 checked requirements (level must) hold; 1 is waived and 1 follows from waived ones',
      [
        [
          good,
          ...requirementsWith('inconclusive', 'B'),
          { id: 'C', verdict: 'inconclusive', cause: 'configuration', dependsOn: idsOf('B') },
        ],
        {},
        [waiver('B')],
      ],
    ],
    [
      'the only checked requirement (level must) holds; 1 more (level must) was not checked',
      [[good, ...requirementsWith('not-applicable', 'B')]],
    ],
    [
      'the only checked requirement (level must in the area token) holds; 2 more (level must in the area token) were not checked',
      [
        [good, ...requirementsWith('not-applicable', 'B', 'C').map((one) => ({ ...one, reason: 'absent' }))],
        { areas: ['token'] },
      ],
    ],
    [
      'none of 2 checked requirements (level must) holds; 2 are waived',
      [requirementsWith('fail', 'A', 'B'), {}, [waiver('A'), waiver('B')]],
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
      '1 requirement could not be decided: C; the 2 violated requirements are waived',
      [
        [...requirementsWith('fail', 'A', 'B'), ...requirementsWith('inconclusive', 'C')],
        {},
        [waiver('A'), waiver('B')],
      ],
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
      '1 requirement was checked, but the policy requires 3, and for 1 other reason; no requirement is violated',
      [[good], { minimumApplicable: { overall: 3 } }, [waiver('A')]],
    ],
    [
      'the waiver of A is no longer needed: the requirement holds, so remove the waiver; no requirement is violated',
      [[good], {}, [waiver('A')]],
    ],
  ])('%s', (because, given) => {
    expect(decided(...given)).toMatchObject({ because, release: false })
  })
})

describe('no decision because of the configuration', () => {
  const misconfigured = (
    id: string,
    reason = 'the secret is wrong',
    rest: Partial<RequirementFixture> = {},
  ) => ({ id, verdict: 'inconclusive', cause: 'configuration', reason, ...rest }) as const

  test.each<[string, Parameters<typeof decided>[0]]>([
    ['the secret is wrong, so 1 requirement is inconclusive', [good, misconfigured('B')]],
    [
      'the secret is wrong, so 2 requirements are inconclusive',
      [
        good,
        misconfigured('B'),
        misconfigured('C', 'too little data', { dependsOn: ['B' as RequirementId], cause: 'environment' }),
      ],
    ],
    [
      'the configuration makes 3 requirements inconclusive: the user is locked (2); the secret is wrong (1)',
      [
        misconfigured('B', 'the user is locked'),
        misconfigured('C', 'the user is locked', {
          furtherChecks: [{ verdict: 'pass' }, { verdict: 'inconclusive', cause: 'configuration' }],
        }),
        misconfigured('D'),
        { id: 'E', verdict: 'fail', level: 'planned' },
      ],
    ],
    [
      'the configuration makes 5 requirements inconclusive: the user is locked (2); the secret is wrong (1), and others (2)',
      [
        misconfigured('B'),
        misconfigured('C', 'the user is locked'),
        misconfigured('D', 'the user is locked'),
        misconfigured('E', 'no budget'),
        misconfigured('F', 'no recipe'),
      ],
    ],
  ])('%s', (because, fixtures) => {
    const full = { minimumCoverage: { overall: 1, areas: { token: 1 } } }
    const decision = decided(fixtures, full)
    expect(decision).toMatchObject({ answer: 'no decision', because, exitCode: 2, release: false })
    const blocking = decision.findings.filter(({ effect }) => effect !== 'noted')
    expect(blocking.every(({ subject }) => subject === 'requirement')).toBe(true)
  })

  test.each<[string, ...Parameters<typeof decided>]>([
    ['a violation', [misconfigured('B'), ...requirementsWith('fail', 'C')]],
    ['another cause', [misconfigured('B'), { id: 'C', verdict: 'inconclusive', cause: 'throttled' }]],
    [
      'another cause of one check',
      [misconfigured('B', 'wrong', { furtherChecks: [{ verdict: 'inconclusive', cause: 'throttled' }] })],
    ],
    ['an expired waiver', [good, misconfigured('B')], {}, [waiver('B', { expires: '2026-11-20' })]],
    ['too few checked requirements', [misconfigured('B')], { minimumApplicable: { overall: 2 } }],
    ['a waiver that blocks', [good, misconfigured('B')], {}, [waiver('A')]],
  ])('is a no with %s', (_, ...given) => {
    expect(decided(...given).answer).toBe('no')
  })
})
