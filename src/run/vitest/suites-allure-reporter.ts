import { join } from 'node:path'
import type { Vitest } from 'vitest/node'
import { catalogue } from '../../check/catalogue.ts'
import { projectRoot } from '../../project.ts'
import { PlumblineAllureReporter } from '../../report/allure/reporter.ts'

/** Writes Allure results to reports/vitest/allure-results if Vitest was started directly. */
export class SuitesAllureReporter extends PlumblineAllureReporter {
  constructor() {
    super(
      join(projectRoot, 'reports', 'vitest', 'allure-results'),
      (id) => catalogue.requirements.get(id),
      process.env.TARGET ?? 'embedded',
    )
  }

  override onInit(vitest: Vitest): void {
    if (vitest.projects.some(({ name }) => name === 'suites')) super.onInit(vitest)
  }

  /** No report follows that could mention the error, so Vitest has to show it. */
  protected override unwritten(error: unknown): void {
    throw error
  }
}
