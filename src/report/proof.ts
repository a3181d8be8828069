import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Alteration } from '../embedded/alterations.ts'
import { projectRoot } from '../project.ts'

/** reports/proof.json as far as the fault matrix needs it; older ones do not tell their date. */
const proofFile = z.object({
  finishedAt: z.iso.datetime().optional(),
  version: z.string().optional(),
  faults: z.array(
    z.object({
      name: z.string(),
      violates: z.array(z.string()),
      caughtBy: z.array(z.string()),
      unexpected: z.array(z.string()).default([]),
    }),
  ),
})

export type Proof = z.infer<typeof proofFile>

/** What is known of a fault: whether the last proof saw its checks turn red. */
export type ProofState = 'caught' | 'survived' | 'changed since' | 'not in the proof' | 'not run here'

/** What `npm run proof` found last; undefined where it has not run here, or left something else. */
export function readProof(file = join(projectRoot, 'reports', 'proof.json')): Proof | undefined {
  try {
    return proofFile.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data
  } catch {
    return undefined
  }
}

/** A fault that violates something else now than when it was proved is not proved. */
export function proofStateOf({ name, requirements }: Alteration, proof: Proof | undefined): ProofState {
  if (!proof) return 'not run here'
  const row = proof.faults.find((fault) => fault.name === name)
  if (!row) return 'not in the proof'
  if (row.violates.toSorted().join() !== requirements.toSorted().join()) return 'changed since'
  return requirements.every((id) => row.caughtBy.includes(id)) ? 'caught' : 'survived'
}

/** What a fault turned red in the proof though it does not violate it, nor declares it. */
export function unexpectedOf({ name }: Alteration, proof: Proof | undefined): readonly string[] {
  return proof?.faults.find((fault) => fault.name === name)?.unexpected ?? []
}
