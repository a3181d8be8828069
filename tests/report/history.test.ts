import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { allureHistory } from '../../src/report/allure/page.ts'
import { historyLength, historyOf, verdictsOver } from '../../src/report/history.ts'
import { proofResult, proofStateOf, readProof } from '../../src/report/last-proof.ts'
import { stretchesText } from '../../src/report/pages/components.ts'
import { historyCharts } from '../../src/report/pages/history-charts.ts'
import { historyPage } from '../../src/report/pages/history-page.ts'
import { html } from '../../src/report/pages/html.ts'
import { runsBefore } from '../../src/results/past-runs.ts'
import type { RunResults } from '../../src/results/results.ts'
import { type RequirementFixture, runOf } from '../results/fixture/runs.ts'

const reportDir = mkdtempSync(join(tmpdir(), 'plumbline-history-'))
afterAll(() => rmSync(reportDir, { recursive: true, force: true }))

const usual: readonly RequirementFixture[] = [
  { id: 'EVENT-WINDOW-LIMIT', verdict: 'pass' },
  { id: 'TOKEN-REFRESH', verdict: 'pass' },
]

/** Writes a run of this day of November; `text` replaces the content of its file. */
function save(
  folder: string,
  date: number,
  fixtures: readonly RequirementFixture[] = usual,
  run: Partial<RunResults['run']> = {},
  text?: string,
): { directory: string; results: RunResults } {
  const id = `202611${String(date).padStart(2, '0')}T030000Z-${run.target ?? 'uat'}-0001`
  const results = runOf(fixtures, { id, ...run })
  const directory = join(reportDir, folder, 'runs', id)
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'results.json'), text ?? JSON.stringify(results))
  return { directory, results }
}

describe('the history of a run', () => {
  test('contains the runs of the same target and kind up to this run, the oldest first', () => {
    save('same', 1)
    save('same', 2, usual, { target: 'production' })
    save('same', 3, usual, { kind: 'probe' })
    save('same', 4, [{ id: 'EVENT-WINDOW-LIMIT', verdict: 'fail' }])
    const { directory, results } = save('same', 5)
    save('same', 6)
    const { runs, skipped, partial } = historyOf(results, runsBefore(directory))
    expect(runs.map(({ run }) => run.id.slice(6, 8))).toEqual(['01', '04', '05'])
    expect({ skipped, partial }).toEqual({ skipped: [], partial: [] })
    expect(verdictsOver(runs)('EVENT-WINDOW-LIMIT')).toEqual(['pass', 'fail', 'pass'])
    expect(verdictsOver(runs)('TOKEN-REFRESH')).toEqual(['pass', null, 'pass'])
  })

  test('names unusable runs, with the reason', () => {
    save('odd', 1)
    save('odd', 2, usual, {}, '{"formatVersion": 1, "run": {"id"')
    save('odd', 3, usual, {}, 'not JSON')
    save('odd', 4, usual, { completed: false, finishedAt: null })
    const newer = { ...runOf(usual), formatVersion: 3, requirements: 'of another kind' }
    save('odd', 5, usual, {}, JSON.stringify(newer))
    save('odd', 6, usual, { selection: { only: ['TOKEN-*'], areas: [] } })
    save('odd', 7, usual, {}, JSON.stringify({ ...runOf(usual), requirements: 'of another kind' }))
    save('odd', 8, usual, { target: 'production' }, 'not JSON')
    const { directory, results } = save('odd', 9)
    const { runs, skipped, partial } = historyOf(results, runsBefore(directory))
    expect(runs).toHaveLength(2)
    expect(partial.map((id) => id.slice(6, 8))).toEqual(['06'])
    expect(skipped.map(({ id, why }) => `${id.slice(6, 8)} ${why}`)).toEqual([
      '07 cannot be read',
      '05 is of format 3, which a newer Plumbline wrote',
      '04 ended early',
      '03 cannot be read',
      '02 cannot be read',
    ])
  })

  test('of an interrupted run states that, and contains the earlier ones', () => {
    save('cut', 1)
    const { directory, results } = save('cut', 2, usual, { completed: false, finishedAt: null })
    const { runs, skipped } = historyOf(results, runsBefore(directory))
    expect(runs).toHaveLength(1)
    expect(skipped).toEqual([{ id: results.run.id, why: 'ended early; it is the run of this report' }])
  })

  test(`goes back ${historyLength} runs`, () => {
    const saved = Array.from({ length: historyLength }, (_, index) => save('long', index + 1))
    const { directory, results } = save('long', historyLength + 1)
    const { runs } = historyOf(results, runsBefore(directory))
    expect(runs).toHaveLength(historyLength)
    expect(runs[0]?.run.id).toBe(saved[1]?.results.run.id)
  })
})

/** A page without the marks of words that stay on one line. */
const unmarked = (page: string) => page.replace(/<span class="whole">(.*?)<\/span>/g, '$1')

test('a verdict that became not applicable, and one that is new, are among the changes', () => {
  const [one, other] = usual as [RequirementFixture, RequirementFixture]
  const runs = [
    runOf([one, { ...other, verdict: 'not-applicable' }]),
    runOf([{ ...one, verdict: 'not-applicable', cause: 'target' }, other]),
  ] as const
  const page = unmarked(historyPage(runs[1], { runs, skipped: [], partial: [] }))
  expect(page).toMatch(/EVENT-WINDOW-LIMIT<\/a><\/td><td role="cell">pass → not-applicable; cause: target</)
  expect(page).toMatch(/TOKEN-REFRESH<\/a><\/td><td role="cell">not-applicable → pass</)
})

test('the page names the runs that it omits, and has its numbers in grammatical sentences', () => {
  const [run] = [runOf(usual, { kind: 'probe' })]
  const partial = ['20261101T030000Z-uat-0001']
  const page = unmarked(historyPage(run, { runs: [run], skipped: [], partial }))
  expect(page).toContain(
    'This is the first finished probe run of uat with all requirements of this run; there is nothing to compare.',
  )
  expect(page).not.toContain('What changed')
  expect(historyPage(run, { runs: [run], skipped: [], partial: [] })).toContain(
    'This is the first finished probe run of uat; there is nothing to compare.',
  )
  expect(page).toContain('<li>20261101T030000Z-uat-0001 checked less than this run.</li>')
  const ended = runOf(usual, { completed: false })
  expect(historyPage(ended, { runs: [], skipped: [], partial: [] })).toContain(
    'No check run of uat has finished',
  )
})

test('charts are labelled with the time of the runs, to the minute if they are of one day', () => {
  const at = (startedAt: string) => runOf(usual, { startedAt })
  const label = (...times: string[]) => {
    const [chart] = historyCharts(times.map(at), new Set())
    return /<text x="44" y="\d+">([^<]*)<\/text>/.exec(chart?.markup ?? '')?.[1]
  }
  expect(label('2026-11-23T00:24:00.000Z')).toBe('2026-11-23 00:24 UTC')
  expect(label('2026-11-23T00:24:00.000Z', '2026-11-23T00:41:00.000Z')).toBe('2026-11-23 00:24 to 00:41 UTC')
  expect(label('2026-11-22T00:24:00.000Z', '2026-11-23T00:41:00.000Z')).toBe('2026-11-22 to 2026-11-23')
  const many = Array.from({ length: 10 }, (_, minute) => `2026-11-23T00:0${minute}:00.000Z`)
  expect(label(...many)).toBe('2026-11-23 00:00 UTC')
})

test('equal consecutive verdicts are combined', () => {
  expect(stretchesText(['pass', 'pass', 'fail', null, 'pass'])).toBe(
    '2 pass, then 1 fail, then 1 unknown, then 1 pass',
  )
  expect(stretchesText([])).toBe('')
})

test('a template escapes inserted values once', () => {
  const hostile = `<script>&"'`
  const inner = html`<b title="${hostile}">${hostile}</b>`
  expect(html`${[inner, 1, undefined]}`.markup).toBe(
    '<b title="&lt;script&gt;&amp;&quot;&#39;">&lt;script&gt;&amp;&quot;&#39;</b>1',
  )
})

test("Allure's history has a line for each run, and every check by the id that the report gives it", () => {
  const lines = allureHistory([runOf(usual), runOf(usual)])
    .trimEnd()
    .split('\n')
  expect(lines).toHaveLength(2)
  const { testResults, knownTestCaseIds } = JSON.parse(lines[0] ?? '')
  expect(Object.keys(testResults)).toEqual(
    knownTestCaseIds.map((id: string) => `${id}.d41d8cd98f00b204e9800998ecf8427e`),
  )
  expect(Object.values(testResults)).toMatchObject([{ status: 'passed' }, { status: 'passed' }])
})

describe('the proof of a fault', () => {
  const fault = { name: 'one', summary: '', requirements: ['A', 'B'] }
  const proof = (caughtBy: string[], violates = ['B', 'A'], name = 'one') => ({
    faults: [{ name, violates, caughtBy, unexpected: [] }],
  })

  test('is that of the unchanged fault in the file, and undefined without one', () => {
    expect(proofStateOf(fault, undefined)).toBe('not run here')
    expect(proofStateOf(fault, proof(['A', 'B']))).toBe('caught')
    expect(proofStateOf(fault, proof(['A']))).toBe('survived')
    expect(proofStateOf(fault, proof(['A'], ['A']))).toBe('changed since')
    expect(proofStateOf(fault, proof([], [], 'other'))).toBe('not in the proof')
  })

  test('counts as absent if the file is missing or invalid', async () => {
    const file = join(reportDir, 'proof.json')
    expect(await readProof(file)).toBeUndefined()
    for (const text of ['{"faults": ', '[]', '{"faults": [{"name": 1}]}']) {
      writeFileSync(file, text)
      expect(await readProof(file)).toBeUndefined()
    }
    writeFileSync(file, JSON.stringify({ finishedAt: '2026-11-21T03:00:00.000Z', ...proof(['A']) }))
    expect(await readProof(file)).toMatchObject({
      finishedAt: '2026-11-21T03:00:00.000Z',
      faults: [{ name: 'one' }],
    })
  })

  test('is summed up in one clause', () => {
    const variants = [{ name: 'lawful', failed: [] }]
    expect(proofResult(proof(['A', 'B']))).toBe('it caught all 1 fault')
    expect(proofResult({ ...proof(['A', 'B']), variants })).toBe(
      'it caught all 1 fault, and no check failed with any of 1 variant',
    )
    expect(proofResult({ ...proof(['A']), variants: [...variants, { name: 'strict', failed: ['A'] }] })).toBe(
      'it did not catch 1 of 1 fault (one), and checks failed with 1 of 2 variants (strict)',
    )
  })
})
