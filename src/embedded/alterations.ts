import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '../project.ts'

/** A fault or variant of the embedded provider, as far as the traceability matrix needs it. */
export interface Alteration {
  readonly name: string
  readonly summary: string
  /** Requirements that a fault violates, or that a variant is a lawful reading of. */
  readonly requirements: readonly string[]
  /** Requirements that a fault unavoidably turns red as well. */
  readonly consequences?: readonly string[]
}

export interface Alterations {
  readonly faults: readonly Alteration[]
  readonly variants: readonly Alteration[]
}

/**
 * Faults and variants, asked of the embedded provider as a program: the harness imports nothing of it,
 * so that neither can lean on the other's reading of the specification.
 */
export async function readAlterations(): Promise<Alterations> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(projectRoot, 'provider', 'main.ts'),
    '--list',
  ])
  return JSON.parse(stdout) as Alterations
}

/** Names of those that concern a requirement. */
export function concerning(alterations: readonly Alteration[], requirement: string): string[] {
  return alterations.filter(({ requirements }) => requirements.includes(requirement)).map(({ name }) => name)
}
