import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestResult } from 'allure-js-commons'
import { afterAll, expect, test } from 'vitest'
import { writeReports } from '../../src/report/report.ts'
import type { CheckRecord, RunResults } from '../../src/results/results.ts'
import { runOf } from '../results/fixture/runs.ts'
import { exchange } from '../results/fixture/synthetic.ts'

const reportDir = mkdtempSync(join(tmpdir(), 'plumbline-report-files-'))
afterAll(() => rmSync(reportDir, { recursive: true, force: true }))

function save(id: string, results: unknown): string {
  const directory = join(reportDir, 'runs', id)
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'results.json'), JSON.stringify(results))
  return directory
}

/** A run in which all checks are based on the same two exchanges. */
function sharing(...ids: string[]): RunResults {
  const run = runOf(ids.map((id) => ({ id, verdict: 'pass' })))
  return {
    ...run,
    exchanges: [exchange(1), exchange(2)],
    requirements: run.requirements.map((requirement) => ({
      ...requirement,
      checks: requirement.checks.map((check): CheckRecord => ({ ...check, exchanges: [1, 2] })),
    })),
  }
}

const attachmentsOf = ({ steps }: TestResult) => steps.flatMap(({ attachments }) => attachments)

test('each check has the files of exchanges that it shares, written once, and the page shows them', async () => {
  const directory = save('20261119T000000Z-uat-0001', sharing('TOKEN-A', 'TOKEN-B', 'TOKEN-C'))
  await writeReports(directory)
  const page = readFileSync(join(directory, 'report', 'checks.html'), 'utf8')
  const folder = join(directory, 'allure-results')
  const results = readdirSync(folder)
    .filter((name) => name.endsWith('-result.json'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as TestResult)
  expect(results).toHaveLength(3)
  const [first, ...others] = results.map(attachmentsOf)
  expect(first?.map(({ name }) => name)).toEqual([
    'request and response',
    'curl',
    'request and response',
    'curl',
  ])
  for (const [index, { source }] of first?.entries() ?? []) {
    const contents = [source, ...others.map((other) => other[index]?.source ?? '')]
    expect(new Set(contents).size).toBe(3)
    expect(new Set(contents.map((name) => statSync(join(folder, name)).ino)).size).toBe(1)
    for (const name of contents)
      expect(page).toContain(`data/attachments/${createHash('md5').update(name).digest('hex')}.`)
  }
})

test('a report that is built again is the same, of the same files', async () => {
  const directory = save('20261120T000000Z-uat-0002', sharing('TOKEN-A', 'TOKEN-B'))
  await writeReports(directory)
  const folder = join(directory, 'allure-results')
  const files = () =>
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const)
  const before = files()
  await writeReports(directory)
  expect(files()).toEqual(before)
  expect(readdirSync(join(directory, 'report')).sort()).toEqual([
    'checks.html',
    'faults.html',
    'history.html',
    'index.html',
    'requirements.html',
  ])
})

test('a run of format 1 has a report, with its findings under the names of today', async () => {
  const run = runOf([
    { id: 'TOKEN-A', verdict: 'fail', reason: 'expected status 400, but status 200' },
    { id: 'TOKEN-B', verdict: 'inconclusive', reason: 'there is no token; see TOKEN-A' },
  ])
  const requirements = run.requirements.map((requirement) => ({
    ...requirement,
    checks: requirement.checks.map(({ advice, dependsOn, finding, ...check }) => ({
      ...check,
      sent: 'POST /token',
      ...(check.verdict === 'fail' && { expectation: { acceptable: 'status 400', came: 'status 200' } }),
    })),
  }))
  const directory = save('20261121T000000Z-uat-0003', { ...run, formatVersion: 1, requirements })
  const warnings: string[] = []
  await writeReports(directory, { warn: (sentence) => warnings.push(sentence) })
  expect(warnings).toEqual([])
  const read = (name: string) => readFileSync(join(directory, name), 'utf8')
  expect(read('summary.md')).toContain(
    'request: POST /token; expected: status 400; actual: status 200\n  - Repeat: `npx',
  )
  expect(read('summary.md')).toContain('there is no token; see TOKEN-A: **TOKEN-B**')
  expect(read('report/requirements.html')).toContain('<dt>actual</dt> <dd>status 200</dd>')
})
