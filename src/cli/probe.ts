import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { projectRoot } from '../project.ts'
import type { TargetOptions } from '../run/chosen-target.ts'
import { untilStopped } from './signals.ts'

/** What load/ offers to the command; like the suites it is found, not imported. */
interface LoadModule {
  probeCommand(options: TargetOptions, signal: AbortSignal): Promise<number>
}

/** `plumbline probe`: throttled load probes. */
export async function probe(options: TargetOptions): Promise<void> {
  const load = (await import(
    pathToFileURL(join(projectRoot, 'load', 'commands', 'index.ts')).href
  )) as LoadModule
  process.exitCode = await untilStopped('Stopping after the answers on their way', (signal) =>
    load.probeCommand(options, signal),
  )
}
