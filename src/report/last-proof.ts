import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Alteration } from '../embedded/alterations.ts'
import { projectRoot } from '../project.ts'
import { counted, someOf } from '../text/format.ts'
import type { Proof } from './proof-file.ts'

/** The possible results of a fault in the last proof. Results that need attention come first. */
export const proofStates = [
  'survived',
  'changed since',
  'not in the proof',
  'not run here',
  'caught',
] as const
export type ProofState = (typeof proofStates)[number]

/** The result of the last `npm run proof`; undefined if there is none, or the file is invalid. */
export async function readProof(
  file = join(projectRoot, 'reports', 'proof.json'),
): Promise<Proof | undefined> {
  if (!existsSync(file)) return undefined
  // Loading the schema takes a fifth of the time of `plumbline list`.
  const { proofFile } = await import('./proof-file.ts')
  try {
    return proofFile.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data
  } catch {
    return undefined
  }
}

/** `changed since`: the fault now violates other requirements than in the proof. */
export function proofStateOf({ name, requirements }: Alteration, proof: Proof | undefined): ProofState {
  if (!proof) return 'not run here'
  const row = proof.faults.find((fault) => fault.name === name)
  if (!row) return 'not in the proof'
  if (row.violates.toSorted().join() !== requirements.toSorted().join()) return 'changed since'
  return requirements.every((id) => row.caughtBy.includes(id)) ? 'caught' : 'survived'
}

/** Requirements whose checks failed with a fault in the proof, although the fault does not declare them. */
export function unexpectedOf({ name }: Alteration, proof: Proof | undefined): readonly string[] {
  return proof?.faults.find((fault) => fault.name === name)?.unexpected ?? []
}

/** `it caught all 1012 faults, and no check failed with any of 321 variants` */
export function proofResult({ faults, variants }: Proof): string {
  const survived = faults.filter(({ violates, caughtBy }) => !violates.every((id) => caughtBy.includes(id)))
  const failed = variants?.filter((variant) => variant.failed.length > 0) ?? []
  const caught =
    survived.length === 0
      ? `it caught all ${counted(faults.length, 'fault')}`
      : `it did not catch ${survived.length} of ${counted(faults.length, 'fault')} (${namesOf(survived)})`
  if (variants === undefined) return caught
  return failed.length === 0
    ? `${caught}, and no check failed with any of ${counted(variants.length, 'variant')}`
    : `${caught}, and checks failed with ${failed.length} of ${counted(variants.length, 'variant')} (${namesOf(failed)})`
}

function namesOf(alterations: readonly { readonly name: string }[]): string {
  return someOf(alterations.map(({ name }) => name))
}
