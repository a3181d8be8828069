import AllureVitestReporter from 'allure-vitest/reporter'
import type { TestCase } from 'vitest/node'
import type { PlumblineMeta } from '../../check/vitest/adapter.ts'
import { recordOf } from '../../results/check-record.ts'
import type { SelectedRequirement } from '../../results/results-file.ts'
import { AllureFolder } from './folder.ts'
import { allureCheck } from './result.ts'

/**
 * Allure's reporter for vitest, which writes the verdict, the requirement and the redacted evidence of a check instead of
 * the test that vitest saw, which may quote the target. Each result is written when its test ends, so that a killed run
 * has it; Allure's own writer would wait for the disk each time.
 */
export class PlumblineAllureReporter extends AllureVitestReporter {
  readonly #requirements: ReadonlyMap<string, SelectedRequirement>
  readonly #target: string
  readonly #folder: AllureFolder

  constructor(runDirectory: string, selection: readonly SelectedRequirement[], target: string) {
    const folder = new AllureFolder(runDirectory)
    super({ resultsDir: folder.path, reportMatchers: false })
    this.#requirements = new Map(selection.map((requirement) => [requirement.id, requirement]))
    this.#target = target
    this.#folder = folder
  }

  onTestCaseResult(test: TestCase): void {
    const { plumbline: { result } = {} }: { plumbline?: Partial<PlumblineMeta> } = test.meta()
    const requirement = result && this.#requirements.get(result.requirement)
    if (!requirement) return
    const { observations, exchanges } = result
    const endedAt = Math.round((test.diagnostic()?.startTime ?? Date.now()) + result.durationMs)
    const record = recordOf(result, this.#target)
    this.#folder.add(allureCheck(requirement, record, observations, exchanges, endedAt))
  }

  /** Requirements without a test are written when the report is built. */
  override onTestRunEnd(): void {}
}
