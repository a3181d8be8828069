import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '../project.ts'
import { counted } from '../text/format.ts'

/** A fault or variant of the embedded provider, as the traceability matrix shows it. */
export interface Alteration {
  readonly name: string
  readonly summary: string
  /** Requirements that a fault violates, or whose checks a variant may affect. */
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

let read: Promise<Alterations> | undefined

/**
 * Reads faults and variants, once per process, from the embedded provider, which runs as a separate program: provider and
 * checks share no code, so that each interprets the specification independently. A caller that will need them can start
 * this early, and need not await it.
 */
export function readAlterations(): Promise<Alterations> {
  if (read === undefined) {
    read = listed()
    read.catch(() => undefined)
  }
  return read
}

async function listed(): Promise<Alterations> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(projectRoot, 'provider', 'main.ts'),
    '--list',
  ])
  return JSON.parse(stdout) as Alterations
}

/** Looks up the faults or variants of a requirement. */
export function byRequirement(
  alterations: readonly Alteration[],
): (requirement: string) => readonly Alteration[] {
  const concerned = alterations.flatMap((alteration) =>
    alteration.requirements.map((requirement) => ({ requirement, alteration })),
  )
  const groups = Map.groupBy(concerned, ({ requirement }) => requirement)
  return (requirement) => groups.get(requirement)?.map(({ alteration }) => alteration) ?? []
}

/** `1 check, 2 faults, 2 variants`; kinds that do not exist are omitted. */
export function checksText(checks: number, faults: number, variants: number): string {
  return [
    counted(checks, 'check'),
    ...(faults > 0 ? [counted(faults, 'fault')] : []),
    ...(variants > 0 ? [counted(variants, 'variant')] : []),
  ].join(', ')
}

/** What a variant does, and the verdict that a requirement must have with it, if that is not its usual one. */
export function variantText({ summary, inconclusive = [] }: Alteration, requirement: string): string {
  return inconclusive.includes(requirement) ? `${summary} The verdict must be inconclusive.` : summary
}
