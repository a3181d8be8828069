import type { ProbeResult } from '../result.ts'
import { type TimesByOutcome, timesByOutcome } from './percentiles.ts'

/** A probe's JSON file: its result as it is, and how long answers took. */
export type ProbeDocument = ProbeResult & { readonly times: TimesByOutcome }

export function probeDocument(result: ProbeResult): ProbeDocument {
  return { ...result, times: timesByOutcome(result.shots) }
}
