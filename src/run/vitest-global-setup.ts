import type { TestProject } from 'vitest/node'
import { loadSuites } from '../check/suites.ts'
import { openTarget } from './chosen-target.ts'
import { forWorker, prepareRun } from './prepare-run.ts'

/**
 * Where Vitest itself starts the suites (`npx vitest --project suites`, `--ui`, an editor): the target of the
 * environment, its browser, and the preflight. `plumbline check` has provided its own run by then.
 */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (project.vitest.getRootProject().getProvidedContext().run !== undefined) return undefined
  const { target, close } = await openTarget()
  try {
    const { checks } = await loadSuites()
    const prepared = await prepareRun({ target, checks, headed: false, shared: true })
    project.provide('run', forWorker(prepared))
    project.provide('selected', null)
    return async () => {
      await prepared.close()
      await close()
    }
  } catch (error) {
    await close()
    throw error
  }
}
