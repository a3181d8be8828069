import type { Simulation } from './models/model.ts'
import type { Start } from './starts.ts'

/** What a limiter would make of a plan; times in milliseconds. */
export interface Outcome {
  /** Requests until the first 429. */
  readonly admitted: number
  /** When that 429 comes, and when another request would be admitted. */
  readonly refusedAt: number
  readonly next: number
  /** Of a few requests after that wait, those that are admitted. */
  readonly after: number
}

/** Requests after a 429 that a plan is judged by as well: they are few, and any next plan begins with them. */
const A_FEW = 3

/** Retry-After has whole seconds. */
const ROUNDING_MS = 1000

/** What an answer is worth that only a few requests after the wait will show. */
const LATER = 0.8

/** How far a rival is ruled out where `truth` answers a plan of so many requests: 1 wholly, 0 not at all. */
export function ruledOutBy(
  truth: Outcome,
  rival: Outcome,
  most: number,
  spare: number,
  serviceMs: number,
): number {
  const admitted = Math.min(truth.admitted, most)
  const expected = Math.min(rival.admitted, most)
  if (admitted !== expected) return misses(admitted, expected, spare)
  if (admitted === most) return 0
  const isLate = rival.next > retryAt(truth.refusedAt, truth.next) + 2 * serviceMs
  return LATER * misses(truth.after, isLate ? 0 : rival.after, spare)
}

/** An admission too many contradicts for each request, a refusal too early but once. */
function misses(admitted: number, expected: number, spare: number): number {
  if (admitted === expected) return 0
  return Math.min(1, Math.max(1, admitted - expected) / spare)
}

const retryAt = (refusedAt: number, next: number) =>
  refusedAt + Math.ceil((next - refusedAt) / ROUNDING_MS) * ROUNDING_MS

/** @param most requests at the most in the burst of the plan */
export function outcomeOf(state: Simulation, plan: Start, most: number, serviceMs: number): Outcome {
  let at = plan.from + serviceMs / 2
  for (let asked = 0; asked < plan.first + most; asked += 1) {
    if (asked === plan.first) at = Math.max(at, plan.rest + serviceMs / 2)
    const next = state.nextAdmission(at)
    if (next > at)
      return { admitted: asked, refusedAt: at, next, after: fewAfter(state, at, next, serviceMs) }
    state.record(at, true)
    at += serviceMs
  }
  return { admitted: plan.first + most, refusedAt: at, next: at, after: A_FEW }
}

function fewAfter(state: Simulation, refusedAt: number, next: number, serviceMs: number): number {
  state.record(refusedAt, false)
  let at = retryAt(refusedAt, next) + serviceMs
  for (let asked = 0; asked < A_FEW; asked += 1) {
    if (state.nextAdmission(at) > at) return asked
    state.record(at, true)
    at += serviceMs
  }
  return A_FEW
}
