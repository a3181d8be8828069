import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { projectRoot } from '../run/suites.ts'
import { untilStopped } from './signals.ts'
import type { TargetOptions } from './target.ts'

export interface ProbeOptions extends TargetOptions {
  readonly probe?: readonly string[]
  readonly endpoint?: readonly string[]
  readonly rate?: string
  readonly ownServer?: string
  readonly dryRun?: boolean
}

/** What load/ offers to the command; like the suites it is found, not imported. */
interface LoadModule {
  probe(options: ProbeOptions, signal: AbortSignal): Promise<number>
}

/** `plumbline probe`: throttled load probes. */
export async function probe(options: ProbeOptions): Promise<void> {
  const load = (await import(pathToFileURL(join(projectRoot, 'load', 'command.ts')).href)) as LoadModule
  process.exitCode = await untilStopped('Stopping after the answers on their way', (signal) =>
    load.probe(options, signal),
  )
}
