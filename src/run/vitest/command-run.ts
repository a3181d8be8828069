import type { RunContext } from '../../check/run-context.ts'

/** The run of `plumbline check`. */
interface CommandRun {
  readonly run: RunContext
  /** Ids of the requirements whose checks run. */
  readonly selectedIds: ReadonlySet<string>
}

let current: CommandRun | undefined

/** The run that this process executes; undefined in a worker of Vitest, which starts a run of its own. */
export function commandRun(): CommandRun | undefined {
  return current
}

/** Makes a run the `commandRun` of this process while `execute` executes the suites. */
export async function withCommandRun<T>(run: CommandRun, execute: () => Promise<T>): Promise<T> {
  current = run
  try {
    return await execute()
  } finally {
    current = undefined
  }
}
