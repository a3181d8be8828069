import { join } from 'node:path'
import { BaseSequencer, type TestSpecification, type Vitest } from 'vitest/node'
import { catalogue } from '../../check/catalogue.ts'
import { loadSuites } from '../../check/suites.ts'
import { projectRoot } from '../../project.ts'
import { PlumblineAllureReporter } from '../../report/allure/reporter.ts'

// Parts of vitest.config.ts.

/** Sorts suites in the order of `loadSuites`, which shared state requires; other tests as Vitest does. */
export class SuiteSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const suites = files.filter(({ project }) => project.name === 'suites')
    const others = files.filter(({ project }) => project.name !== 'suites')
    if (suites.length === 0) return super.sort(others)
    const { checks } = await loadSuites()
    const order = [...new Set(checks.map(({ file }) => join(projectRoot, file)))]
    const position = ({ moduleId }: TestSpecification) => order.indexOf(moduleId)
    return [...(await super.sort(others)), ...suites.sort((a, b) => position(a) - position(b))]
  }
}

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
}
