import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { writeReports } from '../../src/report/report.ts'
import { runOf } from '../results/fixture/runs.ts'

const reportDir = mkdtempSync(join(tmpdir(), 'plumbline-drift-'))
afterAll(() => rmSync(reportDir, { recursive: true, force: true }))

function save(id: string, verdict: 'pass' | 'fail'): string {
  const directory = join(reportDir, 'runs', id)
  mkdirSync(directory, { recursive: true })
  const results = runOf([{ id: 'EVENT-WINDOW-LIMIT', verdict, reason: '<b>the response</b> differs' }], {
    id,
  })
  writeFileSync(join(directory, 'results.json'), JSON.stringify(results))
  return directory
}

test('drift is in summary.md and in the report, and is not counted as a check', async () => {
  save('20261119T000000Z-uat-0001', 'pass')
  const directory = save('20261120T000000Z-uat-0002', 'fail')
  const report = await writeReports(directory)
  expect(readFileSync(join(directory, 'summary.md'), 'utf8')).toContain(
    '| EVENT-WINDOW-LIMIT | pass → fail | &lt;b&gt;the response&lt;/b&gt; differs |',
  )
  const allure = (name: string) => readFileSync(join(directory, 'allure-results', name), 'utf8')
  expect(allure('environment.properties')).toMatch(
    /^drift ?= ?since .*: 1 verdict changed \(EVENT-WINDOW-LIMIT, newly violated\)/m,
  )
  expect(JSON.parse(allure('drift-globals.json'))).toMatchObject({ attachments: [{ name: 'Drift' }] })
  expect(allure('drift-attachment.md')).toContain(
    'For the only requirement that both runs decided, 1 verdict differs.',
  )
  expect(report).toBe(join(directory, 'report', 'index.html'))
})

test('a first run has no drift, and reports that', async () => {
  const directory = join(reportDir, 'runs', '20261119T000000Z-uat-0001')
  await writeReports(directory)
  expect(readFileSync(join(directory, 'summary.md'), 'utf8')).not.toContain('Drift')
  const page = readFileSync(join(directory, 'report', 'index.html'), 'utf8')
  expect(page).toContain('<p>No earlier run to compare with.</p>')
  expect(page).not.toContain('id="drift"')
  const environment = readFileSync(join(directory, 'allure-results', 'environment.properties'), 'utf8')
  expect(environment).toMatch(/^drift ?= ?no earlier run to compare with/m)
})
