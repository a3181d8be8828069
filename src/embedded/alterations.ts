import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '../project.ts'
import { counted } from '../text/format.ts'

/** A fault or variant of the embedded provider. */
export interface Alteration {
  readonly name: string
  readonly summary: string
  /** Ids of the requirements that a fault violates, or whose checks a variant may affect. */
  readonly requirements: readonly string[]
  /** Further requirements that a fault unavoidably violates. */
  readonly consequences?: readonly string[]
  /** Requirements that must be inconclusive with a variant. */
  readonly inconclusive?: readonly string[]
}

export interface Alterations {
  readonly faults: readonly Alteration[]
  readonly variants: readonly Alteration[]
}

let alterations: Promise<Alterations> | undefined

/**
 * Reads the faults and variants, once per process. The embedded provider lists them in a separate process, because
 * provider and checks share no code. A caller can start reading early without awaiting the result.
 */
export function readAlterations(): Promise<Alterations> {
  if (alterations === undefined) {
    alterations = listAlterations()
    alterations.catch(() => undefined)
  }
  return alterations
}

async function listAlterations(): Promise<Alterations> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(projectRoot, 'provider', 'main.ts'),
    '--list',
  ])
  return JSON.parse(stdout) as Alterations
}

/** Groups faults or variants by requirement. @returns a lookup by the id of a requirement */
export function byRequirement(
  alterations: readonly Alteration[],
): (requirement: string) => readonly Alteration[] {
  const pairs = alterations.flatMap((alteration) =>
    alteration.requirements.map((requirement) => ({ requirement, alteration })),
  )
  const groups = Map.groupBy(pairs, ({ requirement }) => requirement)
  return (requirement) => groups.get(requirement)?.map(({ alteration }) => alteration) ?? []
}

/** `1 check, 2 faults, 2 variants`. Without faults: `1 check, 2 variants`. */
export function checksText(checks: number, faults: number, variants: number): string {
  return [
    counted(checks, 'check'),
    ...(faults > 0 ? [counted(faults, 'fault')] : []),
    ...(variants > 0 ? [counted(variants, 'variant')] : []),
  ].join(', ')
}

/** The summary of a variant, with a second sentence if the requirement must be inconclusive with this variant. */
export function variantText({ summary, inconclusive = [] }: Alteration, requirement: string): string {
  return inconclusive.includes(requirement) ? `${summary} The verdict must be inconclusive.` : summary
}
