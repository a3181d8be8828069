import { join } from 'node:path'
import { Writable } from 'node:stream'
import type { Reporter } from 'vitest/node'
import type { RunMessage } from '../check/run-context.ts'
import { projectRoot } from '../project.ts'

interface VitestRunOptions {
  /** Suites to run, relative to the project. */
  readonly files: readonly string[]
  /** Ids of the requirements whose checks run. */
  readonly selected: readonly string[]
  readonly run: RunMessage
  readonly reporters: readonly Reporter[]
  /** Stops after the check that is executing. */
  readonly signal?: AbortSignal
}

/** Forwards what is written to it, and never blocks: a reader that has stopped, such as `| head`, must not stop a worker. */
function forwarded(name: 'stdout' | 'stderr'): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      process[name].write(chunk)
      done()
    },
  })
}

const signals = ['SIGINT', 'SIGTERM'] as const

/** Runs the project `suites` of vitest.config.ts. */
export async function runVitest({
  files,
  selected,
  run,
  reporters,
  signal,
}: VitestRunOptions): Promise<void> {
  const { createVitest } = await import('vitest/node')
  const listeners = signals.map((name) => [name, process.listeners(name)] as const)
  const vitest = await createVitest(
    'test',
    {
      root: projectRoot,
      config: join(projectRoot, 'vitest.config.ts'),
      project: ['suites'],
      watch: false,
      reporters: [...reporters],
      configLoader: 'native',
    },
    {},
    { stdout: forwarded('stdout'), stderr: forwarded('stderr') },
  )
  vitest.provide('run', run)
  vitest.provide('selected', selected)
  // Vitest ends the process at once when it gets a signal; a run ends in order, with what it found.
  for (const [name, before] of listeners) {
    for (const listener of process.listeners(name))
      if (!before.includes(listener)) process.off(name, listener)
  }
  // Vitest marks a run with failed tests by the exit code; here the verdicts decide it.
  const exitCode = process.exitCode
  const cancel = () => void vitest.cancelCurrentRun('keyboard-input')
  signal?.addEventListener('abort', cancel)
  try {
    if (signal?.aborted) return
    await vitest.start(files.map((file) => join(projectRoot, file)))
  } finally {
    signal?.removeEventListener('abort', cancel)
    await vitest.close()
    process.exitCode = exitCode
  }
}
