import type { Case, CaseResult } from './cases.ts'

// Messages between the proof and its processes.

/** A process proves at most one case in each lane at the same time. */
export type Lane = 'busy' | 'waiting'

export interface ProveMessage {
  readonly lane: Lane
  readonly proofCase: Case
}

export interface ResultMessage {
  readonly lane: Lane
  readonly result: CaseResult
}
