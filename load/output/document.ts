import type { ProbeResult } from '../result.ts'
import { type Counts, countsOf } from './outcome.ts'
import { type TimesByOutcome, timesByOutcome } from './percentiles.ts'

/** A probe's JSON file: its result as it is, what it comes to in numbers, and how long answers took. */
export type ProbeDocument = ProbeResult & { readonly counts: Counts; readonly times: TimesByOutcome }

export function probeDocument(result: ProbeResult): ProbeDocument {
  const { shots, requests } = result
  return { ...result, counts: countsOf(shots, requests), times: timesByOutcome(shots) }
}
