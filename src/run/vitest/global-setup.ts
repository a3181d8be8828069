import type { TestProject } from 'vitest/node'
import type { Target } from '../../target/target.ts'
import { startTarget } from '../chosen-target.ts'
import { commandRun } from './command-run.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The target of a worker that starts its own run. */
    target: Target
  }
}

/**
 * Opens the target if Vitest was started directly (`npx vitest --project suites`, `--ui`, an editor). `plumbline check`
 * has opened it already.
 */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (commandRun()) return undefined
  const starting = startTarget()
  try {
    project.provide('target', await starting.ready())
  } catch (error) {
    await starting.close()
    throw error
  }
  return () => starting.close()
}
