import type { TestResult } from 'allure-js-commons'
import { createDefaultWriter } from 'allure-js-commons/sdk/reporter'
import AllureVitestReporter from 'allure-vitest/reporter'
import { experimental_getRunnerTask, type TestCase } from 'vitest/node'
import type { PlumblineMeta } from '../check/vitest-adapter.ts'
import { type AllureCheck, allureCheck } from './allure-result.ts'
import { recordOf } from './check-record.ts'
import type { ResultsFile } from './results-file.ts'

type Writer = ReturnType<typeof createDefaultWriter>

/** Writes the files that go with a result. */
export function writeAttachments(writer: Writer, { attachments }: AllureCheck): void {
  for (const [name, content] of attachments) writer.writeAttachment(name, content)
}

/**
 * Allure's reporter for vitest with what Plumbline knows better: the verdict, its cause, the
 * requirement and the redacted evidence take the place of what vitest saw of a test, which may
 * quote the target. Results are written as tests end, so that a killed run has them.
 */
export class AllureReporter extends AllureVitestReporter {
  readonly #results: ResultsFile
  readonly #target: string
  readonly #writer: Writer
  #current: AllureCheck | undefined

  constructor(results: ResultsFile, target: string, resultsDir: string) {
    super({
      resultsDir,
      reportMatchers: false,
      listeners: [{ beforeTestResultWrite: (result) => this.#replace(result) }],
    })
    this.#results = results
    this.#target = target
    this.#writer = createDefaultWriter({ resultsDir })
  }

  onTestCaseResult(test: TestCase): void {
    const { plumbline }: { plumbline?: PlumblineMeta } = test.meta()
    if (!plumbline) return
    const { result } = plumbline
    const requirement = this.#results.selected(result.requirement)
    const endedAt = Math.round((test.diagnostic()?.startTime ?? Date.now()) + result.durationMs)
    this.#current = allureCheck(requirement, recordOf(result, this.#target), result.observations, endedAt)
    writeAttachments(this.#writer, this.#current)
    this.handleTask(experimental_getRunnerTask(test))
  }

  /** All tests were handled as they ended; what has no test is written when the report is built. */
  override onTestRunEnd(): void {}

  #replace(result: TestResult): void {
    if (this.#current) Object.assign(result, this.#current.result)
  }
}
