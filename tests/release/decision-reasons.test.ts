import { describe, expect, test } from 'vitest'
import { decided, good, idsOf, requirementsWith, waiver } from './given.ts'

describe('the reason of a release', () => {
  test.each<[string, Parameters<typeof decided>]>([
    ['all 2 applicable requirements hold', [requirementsWith('pass', 'A', 'B')]],
    [
      '1 of 2 applicable requirements hold; 1 is waived',
      [[good, ...requirementsWith('fail', 'B')], {}, [waiver('B')]],
    ],
    [
      '1 of 3 applicable requirements hold; 2 are waived',
      [
        [good, ...requirementsWith('fail', 'B'), ...requirementsWith('inconclusive', 'C')],
        {},
        [waiver('B'), waiver('C')],
      ],
    ],
    [
      '1 of 4 applicable requirements hold; 1 is waived and 2 follow from waived ones',
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
      '1 of 3 applicable requirements hold; 1 is waived, and the policy allows the rest',
      [
        [good, ...requirementsWith('fail', 'B'), ...requirementsWith('inconclusive', 'C')],
        { inconclusive: 'allow' },
        [waiver('B')],
      ],
    ],
    ['the only applicable requirement is waived', [requirementsWith('fail', 'A'), {}, [waiver('A')]]],
    [
      'none of 2 applicable requirements holds; 2 are waived',
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
      '1 requirement was applicable, but the policy requires 3, and for 1 other reason; no requirement is violated',
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
