import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import type { RequirementId } from '../../src/check/requirement.ts'
import type { Cause } from '../../src/check/verdict.ts'
import { summaryMarkdown } from '../../src/report/markdown.ts'
import { overviewOf } from '../../src/report/overview.ts'
import { overviewPage } from '../../src/report/pages/overview-page.ts'
import { probeCharts } from '../../src/report/probe-charts.ts'
import { terminalSummary } from '../../src/report/terminal.ts'
import {
  type CheckRecord,
  narrowChart,
  type RequirementResult,
  type RunResults,
} from '../../src/results/results.ts'
import { idsOf } from '../release/given.ts'
import { type RequirementFixture, runOf } from '../results/fixture/runs.ts'

const directory = mkdtempSync(join(tmpdir(), 'plumbline-overview-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const requirementsWith = (
  count: number,
  verdict: RequirementFixture['verdict'],
  rest: Partial<RequirementFixture> = {},
): RequirementFixture[] =>
  Array.from({ length: count }, (_, index) => ({ id: `${verdict}-${index}`, verdict, ...rest }))

const shown = (run: RunResults) =>
  stripVTControlCharacters(
    terminalSummary(overviewOf(run), { stream: process.stdout, directory: 'r', report: 'r' }),
  )

test('of 300 violations the page opens none and folds most, and the terminal shows 20 in full', () => {
  const run = runOf(requirementsWith(300, 'fail'))
  const page = overviewPage(overviewOf(run), [])
  expect(page.match(/<details class="violation">/g)).toHaveLength(300)
  expect(page).toContain('<summary>292 more violated requirements</summary>')
  const text = shown(run)
  expect(text.match(/^ {4}repeat /gm)).toHaveLength(20)
  expect(text).toContain('280 more requirements: fail-20, fail-21')
  expect(text).toContain('fail-299')
})

test('up to four violations are open', () => {
  const page = overviewPage(overviewOf(runOf(requirementsWith(4, 'fail'))), [])
  expect(page.match(/<article class="violation">/g)).toHaveLength(4)
})

test('the summary of a green run has fewer than 25 lines, with one for all that was not checked', () => {
  const text = shown(runOf([...requirementsWith(200, 'pass'), ...requirementsWith(90, 'not-applicable')]))
  expect(text.trimEnd().split('\n').length).toBeLessThan(25)
  expect(text.replaceAll('\n  ', ' ')).toContain(
    'Not checked: 90 requirements of level must, which need a variable to be set or changed. The reasons are in summary.md. To see before a run what it would not check: npx plumbline plan --target uat\n',
  )
})

test('the line of what was not checked counts what ENABLE leaves out', () => {
  const run = runOf([
    ...requirementsWith(3, 'pass'),
    ...requirementsWith(2, 'not-applicable', { missingEffect: 'slow' }),
    { id: 'OTHER', verdict: 'not-applicable', reason: 'needs TEST_USER to be set' },
  ])
  const line =
    'Not checked: 3 requirements of level must (2 are off by default on uat, 1 needs a variable to be set or changed)'
  expect(shown(run).replace(/\s+/g, ' ')).toContain(line)
  expect(overviewPage(overviewOf(run), [])).toContain(`<p>${line}; <a href="#reasons">see why</a>.</p>`)
  expect(summaryMarkdown(overviewOf(run))).toContain(line)
})

test('each hint on what was not checked repeats the selection and lists what it counts', () => {
  const area = 'event-search'
  const [one] = runOf([{ id: 'A', verdict: 'not-applicable', area }]).requirements
  const without = (run: RunResults): RunResults => ({
    ...run,
    requirements: [...run.requirements, { ...(one as (typeof run.requirements)[0]), id: 'W', checks: [] }],
    totals: { ...run.totals, 'not-applicable': run.totals['not-applicable'] + 1 },
  })
  const hints = (...given: Parameters<typeof runOf>) => {
    const { planCommand, listCommand } = overviewOf(without(runOf(...given))).notChecked
    return [planCommand, listCommand].flatMap((command) => command ?? [])
  }
  const open: RequirementFixture[] = [{ id: 'A', verdict: 'not-applicable', area }]
  const hintsWith = (options: string, words = '--unchecked') => [
    `npx plumbline plan --target uat${options}`,
    `npx plumbline list ${words}`,
  ]
  const selection = (only: readonly string[], areas: readonly string[] = []) => ({
    selection: { only, areas },
  })
  expect(hints(open)).toEqual(hintsWith(''))
  expect(hints(open, selection([], [area, 'token']))).toEqual(
    hintsWith(' --area event-search,token', '--unchecked --area event-search,token'),
  )
  expect(hints(open, selection(['EVENT-*', 'A']))).toEqual(
    hintsWith(" --only 'EVENT-*' A", "'EVENT-*' A --unchecked"),
  )
  const summary = summaryMarkdown(overviewOf(without(runOf(open, selection(['EVENT-*'])))))
  expect(summary).toContain("for the reasons that `npx plumbline list 'EVENT-*' --unchecked` lists: **W**")
  expect(hints(open, selection(['A', 'B', 'C', 'D', 'E']))).toEqual(hintsWith(' --area event-search'))
  expect(hints(open, { enabled: ['slow', 'planned'] })).toEqual([
    'ENABLE=slow,planned npx plumbline plan --target uat',
    'npx plumbline list --unchecked',
  ])
  expect(hints(open, { kind: 'probe' })).toEqual(['npx plumbline list --unchecked'])
  expect(shown(runOf(open, { kind: 'probe' }))).toContain(
    '1 requirement of level must, which needs a variable to be set or changed (see\n  summary.md)\n',
  )
})

test('the doctor is not advised for a spent budget', () => {
  const spent = { reason: 'the budget of 50 requests is spent', variables: ['REQUEST_BUDGET'] } as const
  const run = runOf([{ id: 'A', verdict: 'inconclusive', cause: 'configuration', ...spent }])
  expect(overviewOf(run).inconclusive[0]?.command).toBeUndefined()
})

test('the command that repeats inconclusive checks needs only the variables of the selected areas', () => {
  const run = runOf([{ id: 'A', verdict: 'inconclusive' }], { selection: { only: [], areas: ['token'] } })
  expect(overviewOf(run).inconclusive[0]?.command).toBe(
    'npx plumbline check --target uat --rerun-failed --area token',
  )
})

test('the command that repeats inconclusive checks allows the effects of the run', () => {
  const commandAfter = (rest: Partial<RequirementFixture>) =>
    overviewOf(runOf([{ id: 'A', verdict: 'inconclusive', ...rest }], { enabled: ['slow'] })).inconclusive[0]
      ?.command
  expect(commandAfter({})).toBe('ENABLE=slow npx plumbline check --target uat --rerun-failed')
  expect(commandAfter({ cause: 'configuration' })).toBe('ENABLE=slow npx plumbline doctor --target uat')
  expect(commandAfter({ cause: 'environment', dependsOn: idsOf('B') })).toBe(
    'ENABLE=slow npx plumbline check --target uat --only A,B',
  )
})

test.each([
  [1, 0, '1 requirement: 1 pass; 1 check'],
  [2, 0, '2 requirements: 2 pass; 2 checks'],
  [1, 2, '3 requirements: 1 pass, 2 not-applicable; 1 check (2 requirements have no check)'],
  [2, 1, '3 requirements: 2 pass, 1 not-applicable; 2 checks (1 requirement has no check)'],
  [0, 2, '2 requirements: 2 not-applicable; 0 checks (2 requirements have no check)'],
])('the verdicts of %i checked requirements and %i others follow their number', (checked, others, line) => {
  const run = runOf([...requirementsWith(checked, 'pass'), ...requirementsWith(others, 'not-applicable')])
  const withoutChecks = run.requirements.map((one) =>
    one.verdict === 'not-applicable' ? { ...one, checks: [] } : one,
  )
  const shownRun = { ...run, requirements: withoutChecks }
  expect(shown(shownRun)).toContain(`\n${line}\n`)
  const [requirements, checks] = [line.replace(/:.*/, ''), line.replace(/.*; /, '')]
  expect(overviewPage(overviewOf(shownRun), [])).toContain(`>${requirements}; ${checks}.<`)
  expect(summaryMarkdown(overviewOf(shownRun))).toContain(`\n${requirements}; ${checks}; 9 of 500 requests`)
})

test('a run that checked no requirement shows the reasons', () => {
  const text = shown(runOf(requirementsWith(9, 'not-applicable', { reason: 'TEST_USER is not set' })))
  expect(text).toMatch(/^ +- 9 requirements: TEST_USER is not set: not-applicable-0,/m)
})

test('inconclusive requirements are grouped by cause, each with its remedy', () => {
  const { inconclusive } = overviewOf(
    runOf([
      ...requirementsWith(2, 'inconclusive', { cause: 'throttled', reason: '429 four times' }),
      { id: 'B', verdict: 'inconclusive', cause: 'configuration', reason: 'TEST_USER is wrong' },
      { id: 'C', verdict: 'inconclusive', cause: 'target', reason: 'there is no token' },
      { id: 'D', verdict: 'inconclusive', cause: 'environment', reason: 'a time-out' },
    ]),
  )
  expect(inconclusive.map(({ cause, command }) => [cause, command])).toEqual([
    ['target', undefined],
    ['configuration', 'npx plumbline doctor --target uat'],
    ['throttled', 'npx plumbline check --target uat --rerun-failed'],
    ['environment', 'npx plumbline check --target uat --rerun-failed'],
  ])
  expect(inconclusive[2]?.reasons).toEqual([
    { before: '429 four times: ', ids: ['inconclusive-0', 'inconclusive-1'], after: '' },
  ])
})

test('a violated requirement is not listed as inconclusive, unless a defect of Plumbline stopped one of its checks', () => {
  const listed = (cause: Cause) => {
    const follows = cause === 'target' && { dependsOn }
    const run = runOf([
      { id: 'VIOLATED', verdict: 'fail' },
      { id: 'OTHER', verdict: 'inconclusive', cause: 'target', reason: 'no event', dependsOn },
      { id: 'CHECK', verdict: 'inconclusive', cause, reason: 'other pages lack events', ...follows },
    ])
    const [violated, other, extra] = run.requirements as [
      RequirementResult,
      RequirementResult,
      RequirementResult,
    ]
    const requirements = [{ ...violated, checks: [...violated.checks, ...extra.checks] }, other]
    return overviewOf({ ...run, requirements }).inconclusive.map(({ reasons }) => reasons)
  }
  const dependsOn = ['VIOLATED' as RequirementId]
  const follower = { before: '', ids: ['OTHER'], after: ' follows from VIOLATED: no event' }
  expect(listed('target')).toEqual([[follower]])
  expect(listed('throttled')).toEqual([[follower]])
  expect(listed('harness')).toEqual([
    [{ before: 'other pages lack events: ', ids: ['VIOLATED'], after: '' }],
    [follower],
  ])
})

test('a probe run has its charts on the page, the limiter first, and reads no file outside the run', () => {
  mkdirSync(join(directory, 'probes'))
  writeFileSync(join(directory, 'probes', 'limiter.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  writeFileSync(join(directory, 'probes', 'limiter.narrow.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  const plain = runOf(requirementsWith(3, 'observed'), { kind: 'probe' })
  const charts: readonly (readonly [name: string, path: string])[] = [
    ['hold of token', '../../../../etc/hostname'],
    ['limiter of token', 'probes/limiter.svg'],
    ['ramp of token', 'probes/none.svg'],
  ]
  const run: RunResults = {
    ...plain,
    requirements: plain.requirements.map((requirement, index) => {
      const [name, path] = charts[index] ?? ['', '']
      const [check] = requirement.checks as [CheckRecord]
      const narrow = index === 2 ? 'probes/none.narrow.svg' : 'probes/limiter.narrow.svg'
      const attachments = [
        { name: 'chart', mediaType: 'image/svg+xml', path },
        { name: narrowChart, mediaType: 'image/svg+xml', path: narrow },
      ]
      return {
        ...requirement,
        checks: [
          {
            ...check,
            name,
            probe: { name: name.replace(' of token', ''), endpoint: 'token' },
            notes: [{ subject: name, text: 'a finding' }],
            attachments,
          },
        ],
      }
    }),
  }
  const found = probeCharts(directory, run)
  expect(found.map(({ name }) => name)).toEqual(['limiter of token', 'hold of token', 'ramp of token'])
  expect(found.map(({ source }) => source?.slice(0, 26))).toEqual([
    'data:image/svg+xml;base64,',
    undefined,
    undefined,
  ])
  const page = overviewPage(overviewOf(run), found)
  expect(page.match(/<img /g)).toHaveLength(1)
  expect(page).toMatch(/<source media="screen and \(max-width: 48rem\)" srcset="data:image\/svg\+xml;base64,/)
  const [limiter] = found
  const ofOlder = overviewPage(overviewOf(run), limiter ? [{ ...limiter, narrowSource: undefined }] : [])
  expect(ofOlder).toContain('<div class="wide chart" role="region" aria-label="Chart of limiter of token"')
  // A chart contains its findings, so that the page does not repeat them.
  expect(page).toContain('<h3 class="probe-name">limiter of token</h3>')
  expect(page).toContain('latency over time. a finding"')
  expect(page).toContain('<h3 class="probe-name">hold of token</h3><p class="probe-finding">A finding</p>')
  expect(shown(run)).toContain('Measured\n  hold of token: a finding\n')
  for (const text of [page, shown(run), summaryMarkdown(overviewOf(run))])
    expect(text).not.toContain('no verdict depends on')
})
