import { z } from 'zod'

/** The members of reports/proof.json that reports and commands need; older files have no date. */
export const proofFile = z.object({
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
  variants: z.array(z.object({ name: z.string(), failed: z.array(z.string()) })).optional(),
})

export type Proof = z.infer<typeof proofFile>
