import type { TestProject } from 'vitest/node'
import { loadSuites } from '../check/suites.ts'
import { openTarget } from './chosen-target.ts'
import { forWorker, prepareRun } from './prepare-run.ts'

/**
 * Prepares target, browser and preflight if Vitest was started directly (`npx vitest --project suites`, `--ui`, an
 * editor). `plumbline check` provides its own run.
 */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (project.vitest.getRootProject().getProvidedContext().run !== undefined) return undefined
  const { target, close } = await openTarget()
  try {
    const { checks } = await loadSuites()
    const prepared = await prepareRun({ target, checks, headed: false, inWorker: true })
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
