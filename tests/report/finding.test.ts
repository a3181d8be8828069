import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import type { Cause } from '../../src/check/verdict.ts'
import { allureCheck } from '../../src/report/allure/result.ts'
import { githubAnnotations } from '../../src/report/annotations.ts'
import { findingRows, recordedRows, repeatRows } from '../../src/report/finding.ts'
import { junit } from '../../src/report/junit.ts'
import { summaryMarkdown } from '../../src/report/markdown.ts'
import { overviewOf } from '../../src/report/overview.ts'
import { overviewPage } from '../../src/report/pages/overview-page.ts'
import { requirementsPage } from '../../src/report/pages/requirements-page.ts'
import { remedies, violationRemedy } from '../../src/report/remedy.ts'
import { terminalSummary } from '../../src/report/terminal.ts'
import type { CheckRecord, RequirementResult, RunResults } from '../../src/results/results.ts'
import { runOf } from '../results/fixture/runs.ts'
import { exchange } from '../results/fixture/synthetic.ts'

const finding = {
  request: 'GET /events/search with a window of 25 hours',
  expected: 'status 400',
  actual: 'status 200 with 10 events',
}
const plain = runOf([{ id: 'EVENT-WINDOW-LIMIT', verdict: 'fail', reason: 'expected status 400' }])
const [requirement] = plain.requirements as [RequirementResult]
const check: CheckRecord = { ...(requirement.checks[0] as CheckRecord), finding }
const run: RunResults = { ...plain, requirements: [{ ...requirement, checks: [check] }] }

/** Text as a reader sees it: without tags, escapes and line breaks. */
const shown = (text: string) =>
  stripVTControlCharacters(text)
    .replaceAll('%0A', ' ')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')

const unescaped = (text: string) => text.replaceAll('&#39;', "'").replaceAll('\\_', '_')

test.each([
  ['terminal', () => terminalSummary(overviewOf(run), { stream: process.stdout, directory: '.' })],
  ['Markdown', () => summaryMarkdown(overviewOf(run))],
  ['JUnit', () => junit(run)],
  ['annotations', () => githubAnnotations(overviewOf(run))],
  ['Allure message', () => allureCheck(requirement, check, [], [], 1).result.statusDetails.message ?? ''],
  [
    'requirements page',
    () => requirementsPage(run, { runs: [], skipped: [], partial: [] }, { faults: [], variants: [] }),
  ],
])('%s: a violation has request, expected and actual, in this order', (_, render) => {
  const { request, expected, actual } = finding
  expect(shown(render())).toMatch(
    new RegExp(`request:? ${request}[; ]+expected:? ${expected}[; ]+actual:? ${actual}`, 'i'),
  )
})

const everywhere: readonly (readonly [string, (run: RunResults) => string])[] = [
  ['first page', (some) => overviewPage(overviewOf(some), [])],
  ['terminal', (some) => terminalSummary(overviewOf(some), { stream: process.stdout, directory: '.' })],
  ['Markdown', (some) => summaryMarkdown(overviewOf(some))],
  ['JUnit', junit],
  ['annotations', (some) => githubAnnotations(overviewOf(some))],
]

test('Allure marks the requests that were sent before the check, and the violating one', () => {
  const two = { ...check, earlierExchanges: 1, finding: { ...finding, exchange: 2 } }
  const exchanges = [1, 2].map((number) => ({ ...exchange(number), number }))
  const names = allureCheck(requirement, two, [], exchanges, 1).result.steps.map(({ name }) => name)
  expect(names).toEqual([
    expect.stringMatching(/ \(sent before this check\)$/),
    expect.stringMatching(/: violates the requirement$/),
  ])
})

test('Allure shows a finding or a reason once, in the message', () => {
  const inconclusive: CheckRecord = {
    ...check,
    verdict: 'inconclusive',
    finding: null,
    reason: 'there is no token',
  }
  for (const [one, text] of [
    [check, finding.actual],
    [inconclusive, 'there is no token'],
  ] as const) {
    const { statusDetails, descriptionHtml = '' } = allureCheck(requirement, one, [], [], 1).result
    expect(`${statusDetails.message}${descriptionHtml}`.split(text)).toHaveLength(2)
    expect(descriptionHtml.replaceAll(/<\/?span[^>]*>/g, '')).toContain(one.reproduce)
  }
})

test.each(everywhere)('%s: a violation has its rows in one order', (_, render) => {
  const text = unescaped(shown(render(run)))
  const parts = [requirement.statement, check.name, ...Object.values(finding), check.reproduce]
  const places = parts.map((part) => text.lastIndexOf(part))
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  expect(places).not.toContain(-1)
})

test.each(everywhere)('%s: checks that need different effects have their own commands', (_, render) => {
  const slow = { ...check, name: 'another check', reproduce: `ENABLE=slow ${check.reproduce}` }
  const both = { ...run, requirements: [{ ...requirement, checks: [check, slow] }] }
  const text = shown(render(both))
  expect(text.split(check.reproduce)).toHaveLength(3)
  expect(text.split(slow.reproduce)).toHaveLength(2)
})

test.each(everywhere)(
  '%s: a violation, and each cause of inconclusive checks, says who has to act',
  (_, render) => {
    const text = (some: RunResults) => unescaped(shown(render(some)))
    expect(text(run)).toContain(violationRemedy)
    for (const [cause, remedy] of Object.entries(remedies))
      expect(text(runOf([{ id: 'A', verdict: 'inconclusive', cause: cause as Cause }]))).toContain(remedy)
  },
)

test.each(everywhere)('%s: a violation with advice says that you have to act first', (_, render) => {
  const advised = { ...requirement, id: 'B', checks: [{ ...check, advice: 'check SCOPE first' }] }
  const text = (...requirements: RequirementResult[]) => unescaped(shown(render({ ...run, requirements })))
  const first = 'You have to act first: follow the advice. If the violation remains, the provider'
  expect(text(advised)).toContain(first)
  expect(text(advised)).not.toContain(violationRemedy.slice(0, 40).replace('The', ' The'))
  expect(text(requirement, advised)).toMatch(/you have to act first/i)
})

test('a command that repeats failed checks differs in its label from one that repeats the others', () => {
  const passing: CheckRecord = { ...check, verdict: 'pass', reproduce: 'npx plumbline check --only A' }
  expect(repeatRows([passing, check])).toEqual([
    ['repeat the failed check', { command: check.reproduce }],
    ['repeat the other check', { command: passing.reproduce }],
  ])
  expect(repeatRows([passing, check, check, passing]).map(([label]) => label)).toEqual([
    'repeat the failed checks',
    'repeat the other checks',
  ])
  expect(repeatRows([check])).toEqual([['repeat', { command: check.reproduce }]])
})

test('in Allure, the message, which looks like a last step, begins with the verdict, and tags name what they are', () => {
  const { statusDetails, labels, links } = allureCheck(
    requirement,
    { ...check, cause: 'target' },
    [],
    [],
    1,
  ).result
  expect(statusDetails.message).toMatch(/^verdict: fail, cause: target\nrequirement: /)
  expect(labels.filter(({ name }) => name === 'tag').map(({ value }) => value)).toEqual([
    'level: must',
    'cause: target',
  ])
  expect(links.map(({ name }) => name)).toEqual([`${requirement.id} on the page Requirements`])
})

test('Allure marks the request whose response violates the requirement', () => {
  const violating = { ...check, finding: { ...finding, exchange: 2 } }
  const { steps } = allureCheck(requirement, violating, [], [exchange(1), exchange(2)], 1).result
  expect(steps.map(({ name, status }) => [name?.includes('violates the requirement'), status])).toEqual([
    [false, 'passed'],
    [true, 'failed'],
  ])
})

test('Allure explains why a check has fewer steps than it judged requests', () => {
  const descriptionOf = (one: CheckRecord) =>
    allureCheck(requirement, one, [], [exchange(1)], 1).result.descriptionHtml
  const explanation = 'including those of other checks'
  expect(descriptionOf({ ...check, judgedAreas: ['event-search'] })).toContain(explanation)
  expect(descriptionOf(check)).not.toContain(explanation)
})

test.each(everywhere)('%s: a violation has the interpretation of its requirement, once', (_, render) => {
  const interpretation = 'A page with status 200 passes, too.'
  const text = (one: RequirementResult) => unescaped(shown(render({ ...run, requirements: [one] })))
  const open = text({ ...requirement, interpretation, checks: [check] })
  expect(open.split(interpretation)).toHaveLength(2)
  expect(open.indexOf(interpretation)).toBeGreaterThan(open.lastIndexOf(requirement.statement))
  expect(open.indexOf(interpretation)).toBeLessThan(open.lastIndexOf(finding.expected))
  expect(text(requirement)).not.toMatch(/interpretation/i)
})

test('the requirements page has the interpretation of each requirement, whatever its verdict', () => {
  const interpretation = 'A page with status 200 passes, too.'
  for (const verdict of ['pass', 'fail', 'inconclusive', 'not-applicable'] as const) {
    const page = requirementsPage(
      {
        ...run,
        requirements: [{ ...requirement, verdict, interpretation, checks: [{ ...check, verdict }] }],
      },
      { runs: [], skipped: [], partial: [] },
      { faults: [], variants: [] },
    )
    expect(page.split(interpretation)).toHaveLength(2)
  }
})

test('a verdict other than a violation has a reason, with advice and dependencies', () => {
  const advice = 'set TEST_USER'
  const inconclusive = { ...check, finding: null, reason: 'there is no token', advice, dependsOn: [] }
  expect(findingRows(inconclusive)).toEqual([['reason', 'there is no token; set TEST_USER']])
  expect(findingRows({ ...inconclusive, reason: null, advice: null })).toEqual([])
})

test('Markdown has the statement and the command of a requirement once, whatever number of its checks failed', () => {
  const checks = [check, { ...check, name: 'another check' }]
  const lines = summaryMarkdown(overviewOf({ ...run, requirements: [{ ...requirement, checks }] })).split(
    '\n',
  )
  const place = lines.findIndex((line) => line.includes(requirement.statement))
  expect(lines.slice(place - 1, place + 5)).toEqual([
    `- **${requirement.id}** (section "Token")`,
    `  - Requirement: ${requirement.statement}`,
    expect.stringContaining(`  - Check: ${check.name}; request: `),
    '  - Check: another check; request: GET /events/search with a window of 25 hours; expected: status 400; actual: status 200 with 10 events',
    `  - Repeat: \`${check.reproduce}\``,
    '',
  ])
})

test.each<[string, Partial<CheckRecord>, string | undefined]>([
  ['its own requests', { requests: 3, basis: { events: 120, pages: 1 } }, '120 events, 1 page'],
  ['its own requests, without an amount of data', { requests: 3, exchanges: [1, 2, 3] }, undefined],
  [
    'pages of other checks',
    { requests: 0, basis: { pages: 29 } },
    '29 pages, from requests sent before this check',
  ],
  [
    'pages of its own and of other checks',
    { requests: 2, basis: { pages: 28 }, judgedAreas: ['event-search'] },
    '28 pages, from 2 requests of this check and earlier requests',
  ],
  ['one shared request', { requests: 0, exchanges: [7] }, '1 request sent before this check'],
  [
    'a duration',
    { requests: 0, basis: {}, secondsSince: { 'it was replaced': 20 }, exchanges: [7] },
    '20 seconds since it was replaced',
  ],
  [
    'concurrent requests',
    { requests: 2, basis: { refreshes: 2 }, timingsMs: { 'from the first request to the last': 0.4 } },
    '2 refreshes, 0.4 ms from the first request to the last',
  ],
  ['random windows', { requests: 1, basis: {}, seed: 7 }, undefined],
  ['nothing, since it does not apply', { requests: 0, exchanges: [7], verdict: 'not-applicable' }, undefined],
])('a check that judges %s states that', (_, some, expected) => {
  const judged: CheckRecord = { ...check, verdict: 'pass', ...some }
  expect(new Map(recordedRows(judged)).get('based on')).toBe(expected)
  const page = requirementsPage(
    { ...run, requirements: [{ ...requirement, verdict: judged.verdict, checks: [judged] }] },
    { runs: [], skipped: [], partial: [] },
    { faults: [], variants: [] },
  )
  expect(page).not.toMatch(/\b0 requests/)
})
