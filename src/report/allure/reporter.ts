import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TestResult } from 'allure-js-commons'
import AllureVitestReporter from 'allure-vitest/reporter'
import { experimental_getRunnerTask, type TestCase } from 'vitest/node'
import type { PlumblineMeta } from '../../check/vitest/adapter.ts'
import { recordOf } from '../../results/check-record.ts'
import type { SelectedRequirement } from '../../results/results-file.ts'
import { runFiles } from '../../results/run-directory.ts'
import { type AllureCheck, allureCheck, writeAttachments } from './result.ts'

/**
 * Allure's reporter for vitest with what Plumbline knows better: the verdict, its cause, the
 * requirement and the redacted evidence take the place of what vitest saw of a test, which may
 * quote the target. Results are written as tests end, so that a killed run has them.
 */
export class PlumblineAllureReporter extends AllureVitestReporter {
  readonly #requirements: ReadonlyMap<string, SelectedRequirement>
  readonly #target: string
  readonly #folder: string
  #current: AllureCheck | undefined

  constructor(runDirectory: string, selection: readonly SelectedRequirement[], target: string) {
    const resultsDir = join(runDirectory, runFiles.allureResults)
    super({
      resultsDir,
      reportMatchers: false,
      listeners: [{ beforeTestResultWrite: (result) => this.#replace(result) }],
    })
    this.#requirements = new Map(selection.map((requirement) => [requirement.id, requirement]))
    this.#target = target
    this.#folder = resultsDir
    mkdirSync(resultsDir, { recursive: true })
  }

  onTestCaseResult(test: TestCase): void {
    const { plumbline: { result } = {} }: { plumbline?: Partial<PlumblineMeta> } = test.meta()
    const requirement = result && this.#requirements.get(result.requirement)
    if (!requirement) return
    const endedAt = Math.round((test.diagnostic()?.startTime ?? Date.now()) + result.durationMs)
    const { observations, exchanges } = result
    const record = recordOf(result, this.#target)
    this.#current = allureCheck(requirement, record, observations, exchanges, endedAt)
    writeAttachments(this.#folder, this.#current)
    this.handleTask({ ...experimental_getRunnerTask(test), meta: {} })
  }

  /** All tests were handled as they ended; what has no test is written when the report is built. */
  override onTestRunEnd(): void {}

  #replace(result: TestResult): void {
    if (this.#current) Object.assign(result, this.#current.result)
  }
}
