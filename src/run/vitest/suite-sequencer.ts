import { join } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { loadSuites } from '../../check/suites.ts'
import { projectRoot } from '../../project.ts'

/** Sorts suites in the order of `loadSuites`, because suites share state. Sorts other tests as Vitest does. */
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
