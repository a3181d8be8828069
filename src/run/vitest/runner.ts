import { relative } from 'node:path'
import { TestRunner } from 'vitest'
import { projectRoot } from '../../project.ts'

/** Runs the suites in Vitest. The suites are already loaded, so their tests are defined without importing a file. */
export default class SuiteRunner extends TestRunner {
  override async importFile(path: string, source: 'collect' | 'setup'): Promise<unknown> {
    if (source === 'setup') return super.importFile(path, source)
    // Vitest's functions work only after its runner has started.
    const { defineTests } = await import('./tests.ts')
    return defineTests(relative(projectRoot, path))
  }
}
