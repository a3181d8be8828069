import { mkdirSync, rmSync } from 'node:fs'
import type { TestResult } from 'allure-js-commons'
import AllureVitestReporter from 'allure-vitest/reporter'
import { experimental_getRunnerTask, type TestCase, type Vitest } from 'vitest/node'
import type { PlumblineMeta } from '../../check/vitest/adapter.ts'
import { recordOf } from '../../results/check-record.ts'
import { type AllureCheck, allureCheck, type RequirementFacts, writeAttachments } from './result.ts'

/**
 * Allure's reporter for vitest with what Plumbline knows better: the verdict, its cause, the
 * requirement and the redacted evidence take the place of what vitest saw of a test, which may
 * quote the target. Results are written as tests end, so that a killed run has them.
 */
export class PlumblineAllureReporter extends AllureVitestReporter {
  readonly #requirementOf: (id: string) => RequirementFacts | undefined
  readonly #target: string
  readonly #folder: string
  #current: AllureCheck | undefined

  /** @param resultsDir its content is replaced */
  constructor(
    resultsDir: string,
    requirementOf: (id: string) => RequirementFacts | undefined,
    target: string,
  ) {
    super({
      resultsDir,
      reportMatchers: false,
      listeners: [{ beforeTestResultWrite: (result) => this.#replace(result) }],
    })
    this.#requirementOf = requirementOf
    this.#target = target
    this.#folder = resultsDir
  }

  override onInit(vitest: Vitest): void {
    rmSync(this.#folder, { recursive: true, force: true })
    mkdirSync(this.#folder, { recursive: true })
    super.onInit(vitest)
  }

  onTestCaseResult(test: TestCase): void {
    const { plumbline: { result } = {} }: { plumbline?: Partial<PlumblineMeta> } = test.meta()
    const requirement = result && this.#requirementOf(result.requirement)
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
