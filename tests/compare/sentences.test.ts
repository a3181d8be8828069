import { describe, expect, test } from 'vitest'
import type { Verdict } from '../../src/check/verdict.ts'
import { compare } from '../../src/compare/compare.ts'
import { conclusion, driftLine, driftSummary } from '../../src/compare/sentences.ts'
import { comparisonMarkdown, comparisonText, driftMarkdown, partsOf } from '../../src/compare/text.ts'
import type { RunResults } from '../../src/results/results.ts'
import { valueText } from '../../src/results/text.ts'
import { type RequirementFixture, runOf } from '../results/fixture/runs.ts'

describe('the text of a comparison', () => {
  const uat = runOf([{ id: 'A', verdict: 'pass' }])
  const production = { target: 'production', hosts: ['idp.example'] } as const

  test('concludes whether two targets differ', () => {
    const alike = compare(uat, runOf([{ id: 'A', verdict: 'pass' }], production))
    expect(conclusion(alike)).toBe(
      'uat and production do not differ in the only requirement that both runs decided.',
    )
    const unlike = compare(uat, runOf([{ id: 'A', verdict: 'fail' }], production))
    expect(conclusion(unlike)).toBe(
      'For the only requirement that both runs decided, uat and production differ in 1 verdict.',
    )
    expect(comparisonMarkdown(unlike)).toContain('- hosts: idp.uat.example → idp.example')
  })

  test('escapes content of a target', () => {
    const hostile = runOf([{ id: 'A', verdict: 'fail', reason: '<script>|alert</script>' }])
    expect(driftMarkdown(compare(uat, hostile)).join('\n')).toContain('&lt;script&gt;\\|alert&lt;/script&gt;')
  })

  test('has drift in one line', () => {
    expect(driftLine(compare(uat, runOf([{ id: 'A', verdict: 'fail' }])))).toBe(
      'since 2026-11-21 01:02 UTC (20261121T010203Z-uat-5f0a): 1 verdict changed (A, newly violated)',
    )
    expect(driftLine(compare(uat, runOf([{ id: 'A', verdict: 'inconclusive' }])))).toBe(
      'since 2026-11-21 01:02 UTC (20261121T010203Z-uat-5f0a): no requirement was decided in both runs, so nothing can be compared',
    )
    const moved = runOf([{ id: 'A', verdict: 'fail' }], { hosts: ['idp.example'] })
    expect(driftLine(compare(uat, moved))).toBe(
      'since 2026-11-21 01:02 UTC (20261121T010203Z-uat-5f0a), which checked other hosts: 1 verdict changed (A, newly violated)',
    )
    const pair = (verdict: Verdict) =>
      runOf([
        { id: 'A', verdict: 'pass' },
        { id: 'B', verdict },
      ])
    expect(driftLine(compare(pair('pass'), pair('inconclusive')))).toBe(
      'since 2026-11-21 01:02 UTC (20261121T010203Z-uat-5f0a): 1 requirement is now inconclusive; the only requirement that could be compared is unchanged',
    )
    expect(driftLine(compare(pair('inconclusive'), pair('fail')))).toMatch(
      /^since .*: 1 requirement is violated that was inconclusive \(B\); the only requirement that could be compared is unchanged$/,
    )
    expect(driftLine(compare(pair('not-applicable'), pair('pass')))).toMatch(
      /^since .*: 1 requirement newly decided; the only requirement that could be compared is unchanged$/,
    )
    expect(driftLine(compare(pair('not-applicable'), pair('inconclusive')))).toMatch(
      /^since .*: 1 requirement is now inconclusive; the only requirement that could be compared is unchanged$/,
    )
    const earlier = runOf([
      { id: 'A', verdict: 'pass' },
      { id: 'B', verdict: 'inconclusive' },
      { id: 'C', verdict: 'inconclusive' },
      { id: 'D', verdict: 'inconclusive' },
      { id: 'E', verdict: 'pass' },
    ])
    const later = (a: Verdict) =>
      runOf([
        { id: 'A', verdict: a },
        { id: 'B', verdict: 'pass' },
        { id: 'C', verdict: 'pass' },
        { id: 'D', verdict: 'inconclusive', cause: 'environment' },
        { id: 'E', verdict: 'pass' },
      ])
    expect(driftLine(compare(earlier, later('inconclusive')))).toMatch(
      /: 1 requirement is now inconclusive; 2 no longer are; 1 requirement is inconclusive for another cause; the only requirement that could be compared is unchanged$/,
    )
    expect(driftLine(compare(earlier, later('pass')))).toMatch(
      /: 2 requirements are no longer inconclusive; 1 requirement is .*; the 2 requirements that could be compared are unchanged$/,
    )
    expect(driftLine(compare(uat, uat))).toMatch(/^since .*: no verdict or observation changed$/)
  })

  test('summarises drift without a contradiction if requirements became inconclusive', () => {
    const run = (a: Verdict, b: Verdict, c: Verdict) =>
      runOf([
        { id: 'A', verdict: a },
        { id: 'B', verdict: b },
        { id: 'C', verdict: c },
      ])
    const all = run('pass', 'pass', 'pass')
    const since = '2026-11-21 01:02 UTC'
    expect(driftSummary(compare(all, all))).toBe(`Nothing changed since ${since}.`)
    expect(driftSummary(compare(all, run('pass', 'pass', 'inconclusive')))).toBe(
      `Since ${since}: 1 requirement is now inconclusive; the 2 requirements that could be compared are unchanged.`,
    )
    expect(driftSummary(compare(all, run('pass', 'fail', 'inconclusive')))).toBe(
      `Changed since ${since}: 1 verdict (newly violated); 1 requirement is now inconclusive.`,
    )
  })

  test('counts the violations among what changed, and what is newly, no longer or not checked again', () => {
    const pairs: readonly (readonly [Verdict, Verdict, Partial<RequirementFixture>?])[] = [
      ['pass', 'pass'],
      ['not-applicable', 'fail'],
      ['not-applicable', 'pass'],
      ['pass', 'not-applicable', { cause: 'environment' }],
      ['fail', 'not-applicable', { cause: 'environment' }],
      ['inconclusive', 'not-applicable'],
    ]
    const comparisonOf = (...all: typeof pairs) => {
      const runs = [0, 1].map((index) =>
        runOf(
          all.map(([before, after, rest], number) => ({
            id: `R${number}`,
            verdict: index === 0 ? before : after,
            ...(index === 1 && rest),
          })),
        ),
      )
      return compare(runs[0] as RunResults, runs[1] as RunResults)
    }
    const [since, unchanged] = [
      '2026-11-21 01:02 UTC',
      'the only requirement that could be compared is unchanged',
    ]
    const beside = (names = '') =>
      `1 requirement that was inconclusive is not checked now; 2 requirements newly decided, 1 of them violated${names}; ` +
      '2 requirements not checked again, because they need something that an earlier run used up, such as a first consent'
    expect(driftSummary(comparisonOf(...pairs))).toBe(`Since ${since}: ${beside()}; ${unchanged}.`)
    expect(driftLine(comparisonOf(...pairs))).toMatch(new RegExp(`: ${beside(' \\(R1\\)')}; ${unchanged}$`))
    expect(conclusion(comparisonOf(...pairs.slice(0, 3)))).toBe(
      'Both runs decided 1 requirement; its verdict and observations are the same. 2 requirements newly decided, 1 of them violated (R1).',
    )
    expect(
      conclusion(comparisonOf(['fail', 'not-applicable', { reason: 'off' }], ...pairs.slice(1, 4))),
    ).toBe(
      'No longer checked: 1 requirement (off: R0), violated before. 2 requirements newly decided, 1 of them violated (R1). ' +
        '1 requirement not checked again, because it needs something that an earlier run used up, such as a first consent.',
    )
    expect(driftSummary(comparisonOf(...pairs.slice(1, 2)))).toBe(
      'No requirement was decided in both runs, so nothing can be compared; 1 requirement newly decided, violated.',
    )
    expect(driftLine(comparisonOf(...pairs.slice(1, 2)))).toMatch(
      /, so nothing can be compared; 1 requirement newly decided, violated \(R0\)$/,
    )
    expect(driftSummary(comparisonOf(['pass', 'fail'], ['fail', 'pass'], ['fail', 'not-applicable']))).toBe(
      `Changed since ${since}: 2 verdicts (1 newly violated); 1 requirement no longer checked (violated before).`,
    )
    const gone = { reason: 'off' }
    const line = driftLine(
      comparisonOf(
        ['pass', 'fail'],
        ['pass', 'fail'],
        ['pass', 'not-applicable', gone],
        ['fail', 'not-applicable', gone],
        ['pass', 'not-applicable', { cause: 'environment' }],
      ),
    )
    expect(line).toMatch(
      /: 2 verdicts changed \(R0, R1; 2 newly violated\); no longer checked: 2 requirements \(off: R2, R3\), 1 of them violated before \(R3\); 1 requirement not checked again, because it needs something that an earlier run used up, such as a first consent$/,
    )
  })

  test('counts all that could not be compared, also what is inconclusive in both runs for the same cause', () => {
    const runWith = (...verdicts: Verdict[]) =>
      runOf(verdicts.map((verdict, index) => ({ id: `R${index}`, verdict })))
    const after = runWith('pass', 'inconclusive', 'inconclusive', 'inconclusive')
    const conclusionAfter = (...verdicts: Verdict[]) => conclusion(compare(runWith(...verdicts), after))
    const why = 'could not be compared, because a verdict is inconclusive'
    expect(conclusionAfter('pass', 'pass', 'inconclusive', 'inconclusive')).toMatch(
      new RegExp(` 3 requirements ${why}; 2 of them are inconclusive in both runs for the same cause\\.$`),
    )
    expect(conclusionAfter('pass', 'pass', 'pass', 'inconclusive')).toMatch(
      new RegExp(` 3 requirements ${why}; 1 of them is inconclusive in both runs for the same cause\\.$`),
    )
    expect(conclusionAfter('pass', 'pass', 'pass', 'pass')).toMatch(new RegExp(` 3 requirements ${why}\\.$`))
    const one = runWith('pass', 'inconclusive')
    expect(conclusion(compare(one, one))).toMatch(
      new RegExp(` 1 requirement ${why}; it is inconclusive in both runs for the same cause\\.$`),
    )
    const other = runOf([
      { id: 'R0', verdict: 'pass' },
      { id: 'R1', verdict: 'inconclusive', cause: 'environment' },
    ])
    expect(compare(one, other).alike).toEqual({ requirements: 1, observations: 0, inconclusive: 0 })
    expect(compare(one, one).alike).toEqual({ requirements: 1, observations: 0, inconclusive: 1 })
    const [follows, fails] = (['inconclusive', 'fail'] as const).map((verdict) =>
      runOf([{ id: 'A', verdict, cause: 'target' }]),
    ) as [RunResults, RunResults]
    expect([compare(follows, fails), compare(fails, follows)].map(({ alike }) => alike.inconclusive)).toEqual(
      [0, 0],
    )
  })

  test('states in the same words for drift and comparison that nothing can be compared', () => {
    const nothing = compare(uat, runOf([{ id: 'A', verdict: 'inconclusive' }]))
    const words = 'o requirement was decided in both runs, so nothing can be compared'
    expect(conclusion(nothing)).toBe(`N${words}.`)
    expect(driftLine(nothing)).toContain(`: n${words}`)
  })

  test('puts the reason for the earlier verdict in brackets', () => {
    const reason = 'expected: status 400; actual: 200 with a code'
    const found = compare(
      runOf([{ id: 'A', verdict: 'fail', reason }]),
      runOf([{ id: 'A', verdict: 'pass' }]),
    )
    expect(comparisonText(found, process.stdout)).toContain(
      'A  fail → pass (in the first run: expected: status 400; actual: 200 with a code)',
    )
    expect(conclusion(compare(uat, uat))).toMatch(/^Both runs decided \d requirements?; .* are the same\.$/)
  })

  test('has one line for differences with the same reason', () => {
    const ids = Array.from({ length: 12 }, (_, index) => `ID-${index}`)
    const run = (verdict: Verdict) => runOf(ids.map((id) => ({ id, verdict, reason: 'the secret is wrong' })))
    const found = compare(run('pass'), run('inconclusive'))
    const text = comparisonText(found, process.stdout)
    expect(text.match(/the secret is wrong/g)).toHaveLength(1)
    expect(text.replace(/\s+/g, ' ')).toMatch(/12 requirements pass → inconclusive.*, and 9 more/)
    expect(comparisonMarkdown(found)).toContain('| ID-0, ID-1, ID-10, ID-11, ID-2,')
  })

  test('names a verdict that became not applicable in the sentence and in the table', () => {
    const gone = compare(
      runOf([{ id: 'A', verdict: 'pass' }]),
      runOf([{ id: 'A', verdict: 'not-applicable', cause: 'target', reason: 'needs a consent page' }]),
    )
    expect(driftLine(gone)).toMatch(
      /^since .*: no longer checked: 1 requirement \(needs a consent page: A\)$/,
    )
    const lines = driftMarkdown(gone)
    expect(lines).toContain('### No longer checked')
    expect(lines).not.toContain('### Decided in one run only')
  })

  test('lists as inconclusive all requirements that the sentence counts, also those that did not apply before', () => {
    const found = compare(
      runOf([
        { id: 'A', verdict: 'pass' },
        { id: 'B', verdict: 'not-applicable' },
        { id: 'C', verdict: 'pass' },
      ]),
      runOf([
        { id: 'A', verdict: 'inconclusive' },
        { id: 'B', verdict: 'inconclusive' },
        { id: 'C', verdict: 'pass' },
      ]),
    )
    expect(driftLine(found)).toContain('2 requirements are now inconclusive')
    expect(partsOf(found).others).toMatchObject([{ title: 'Inconclusive in one run or both', count: 2 }])
  })

  test('counts many reasons', () => {
    const ids = ['A', 'B', 'C']
    const pass = runOf(ids.map((id) => ({ id, verdict: 'pass' })))
    const gone = runOf(ids.map((id) => ({ id, verdict: 'not-applicable' })))
    expect(conclusion(compare(pass, gone))).toBe('No longer checked: 3 requirements, for 3 reasons.')
  })

  test('has a word for an empty value, so that no cell of a table is empty', () => {
    const [none, empty] = [valueText([]), valueText('')]
    expect([none, empty]).toEqual(['none', 'empty'])
  })
})
