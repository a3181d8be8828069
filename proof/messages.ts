import type { Case, CaseResult } from './cases.ts'

// Messages between the proof and its processes.

/** A process executes at most one case per lane at the same time. The lane `waiting` is for cases that mostly wait. */
export type Lane = 'busy' | 'waiting'

export interface ProveMessage {
  readonly lane: Lane
  readonly proofCase: Case
}

export interface ResultMessage {
  readonly lane: Lane
  readonly result: CaseResult
}
