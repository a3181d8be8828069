import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { TestCase, Vitest } from 'vitest/node'
import { PlumblineAllureReporter } from '../../src/report/allure/reporter.ts'
import { inconclusiveResult } from '../../src/results/check-record.ts'
import { requirements } from '../results/fixture/synthetic.ts'

const [requirement] = requirements
const result = inconclusiveResult(
  { requirement: requirement?.id ?? '', name: 'a check', file: 'suites/a.test.ts', durationMs: 1 },
  'environment',
  'no response',
)
const ended = {
  meta: () => ({ plumbline: { requirement: requirement?.id, name: 'a check', result } }),
  diagnostic: () => undefined,
} as unknown as TestCase

/** Begins, loses the folder of the results, and ends a check. */
function endWithoutFolder(reporter: PlumblineAllureReporter, folder: string): void {
  reporter.onInit({ config: { browser: {}, projects: [] }, projects: [] } as unknown as Vitest)
  rmSync(folder, { recursive: true })
  writeFileSync(folder, '')
  reporter.onTestCaseResult(ended)
}

test('a result that cannot be written does not end the run, whose report writes it again', () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'plumbline-allure-')), 'allure-results')
  const reporter = new PlumblineAllureReporter(folder, () => requirement, 'uat')
  expect(() => endWithoutFolder(reporter, folder)).not.toThrow()
})
