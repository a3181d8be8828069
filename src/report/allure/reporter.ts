import { rmSync } from 'node:fs'
import AllureVitestReporter from 'allure-vitest/reporter'
import type { TestCase, Vitest } from 'vitest/node'
import { recordOf } from '../../results/check-record.ts'
import type { RequirementFacts } from '../../results/results.ts'
import { AllureFolder } from './folder.ts'
import { allureCheck } from './result.ts'
import type { PlumblineMeta } from './test-meta.ts'

/**
 * Allure's reporter for Vitest. It writes checks with redacted evidence instead of Vitest's tests, which may quote the
 * target. It writes each result when the test ends, so that a killed run has results.
 */
export class PlumblineAllureReporter extends AllureVitestReporter {
  readonly #resultsDir: string
  readonly #requirementOf: (id: string) => RequirementFacts | undefined
  readonly #target: string
  #folder: AllureFolder | undefined

  /** @param resultsDir the folder of results, whose content is replaced */
  constructor(
    resultsDir: string,
    requirementOf: (id: string) => RequirementFacts | undefined,
    target: string,
  ) {
    super({ resultsDir, reportMatchers: false })
    this.#resultsDir = resultsDir
    this.#requirementOf = requirementOf
    this.#target = target
  }

  override onInit(vitest: Vitest): void {
    rmSync(this.#resultsDir, { recursive: true, force: true })
    this.#folder = new AllureFolder(this.#resultsDir)
    super.onInit(vitest)
  }

  onTestCaseResult(test: TestCase): void {
    const { plumbline: { result } = {} }: { plumbline?: Partial<PlumblineMeta> } = test.meta()
    const requirement = result && this.#requirementOf(result.requirement)
    if (!requirement) return
    const { observations, exchanges } = result
    const endedAt = Math.round((test.diagnostic()?.startTime ?? Date.now()) + result.durationMs)
    const record = recordOf(result, this.#target)
    const written = allureCheck(requirement, record, observations, exchanges, endedAt)
    try {
      this.#folder?.add(written)
    } catch (error) {
      this.unwritten(error)
    }
  }

  /** Called if a result could not be written, for example on a full disk. The report of the run writes it again. */
  protected unwritten(_error: unknown): void {}

  /** Requirements without a test are written when the report is built. */
  override onTestRunEnd(): void {}
}
