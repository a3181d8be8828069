import { isRecorded } from '../check/requirement.ts'
import { countVerdicts } from '../check/verdict.ts'
import { counted } from '../text/format.ts'
import { withoutCheckByReason } from './queries.ts'
import type { RequirementResult, RunResults } from './results.ts'

/** Numbers of requirements, as the reports and the release gate show them. */
export interface ApplicableCounts {
  /** Requirements that hold, are violated or are inconclusive. */
  readonly applicable: number
  readonly pass: number
  readonly fail: number
  readonly inconclusive: number
  /** Inconclusive requirements of which the run ended before their checks. */
  readonly unbegun: number
  /** Requirements that are only recorded, without the inconclusive ones. */
  readonly observed: number
  /** Requirements that are only recorded, and are inconclusive. */
  readonly unobserved: number
}

/** Counts requirements by their verdicts. Those of the levels `silent` and `reference` are recorded and never judged. */
export function countApplicable(requirements: readonly RequirementResult[]): ApplicableCounts {
  const { recorded = [], others = [] } = Object.groupBy(requirements, ({ level }) =>
    isRecorded(level) ? 'recorded' : 'others',
  )
  const judged = countVerdicts(others)
  const unbegun = others.filter(({ verdict, checks }) => verdict === 'inconclusive' && checks.length === 0)
  const { pass, fail, inconclusive } = judged
  return {
    applicable: pass + fail + inconclusive,
    pass,
    fail,
    inconclusive,
    unbegun: unbegun.length,
    observed: judged.observed + countVerdicts(recorded).observed,
    unobserved: countVerdicts(recorded).inconclusive,
  }
}

/** Numbers of requirements that a run did not check. */
export interface NotCheckedCounts {
  /** Requirements with checks, none of which was applicable. */
  readonly notApplicable: number
  /** Requirements of `notApplicable` that need ENABLE. */
  readonly needEnable: number
  /** Other requirements of `notApplicable` that need a variable that is not set; absent in decisions of older versions. */
  readonly needVariable?: number
  readonly withoutCheck: number
  /** Requirements of `withoutCheck` that bind clients, not the target; absent in decisions of older versions. */
  readonly clientDuties?: number
  /** Requirements of `notApplicable` and `withoutCheck` that have the level `must`. */
  readonly must: number
}

export function countNotChecked(results: RunResults): NotCheckedCounts {
  const idsWithoutCheck = new Set([...withoutCheckByReason(results).values()].flat())
  const withoutCheck = idsWithoutCheck.size
  const notChecked = results.requirements.filter(({ verdict }) => verdict === 'not-applicable')
  // A requirement that applies in part is checked.
  const needEnable = notChecked.filter(({ checks }) => checks.some((check) => check.missingEffect))
  const needVariable = notChecked.filter(
    (one) => !needEnable.includes(one) && one.checks.some(({ cause }) => cause === 'configuration'),
  )
  return {
    notApplicable: results.totals['not-applicable'] - withoutCheck,
    needEnable: needEnable.length,
    needVariable: needVariable.length,
    withoutCheck,
    clientDuties: notChecked.filter(({ id, level }) => level === 'client' && idsWithoutCheck.has(id)).length,
    must: notChecked.filter(({ level }) => level === 'must').length,
  }
}

/**
 * `195 requirements (31 of level must): 94 are off by default on uat (ENABLE turns them on); 5 need a variable that is not
 * set; 21 need a feature or situation that was absent; 75 have no check, 49 of them duties of clients`; empty if every requirement was checked.
 */
export function notCheckedText(
  { notApplicable, needEnable, needVariable = 0, withoutCheck, clientDuties = 0, must }: NotCheckedCounts,
  target: string,
): string {
  const others = notApplicable - needEnable - needVariable
  const kinds = (
    [
      [
        needEnable,
        (what, isOne) =>
          `${what} ${isOne ? 'is' : 'are'} off by default on ${target} (ENABLE turns ${isOne ? 'it' : 'them'} on)`,
      ],
      [needVariable, (what, isOne) => `${what} ${isOne ? 'needs' : 'need'} a variable that is not set`],
      [others, (what, isOne) => `${what} ${isOne ? 'needs' : 'need'} a feature or situation that was absent`],
      [
        withoutCheck,
        (what, isOne) =>
          `${what} ${isOne ? 'has' : 'have'} no check${dutiesText(withoutCheck, clientDuties)}`,
      ],
    ] satisfies [number, (what: string, isOne: boolean) => string][]
  ).filter(([count]) => count > 0)
  const [only] = kinds
  if (only && kinds.length === 1) return only[1](counted(only[0], 'requirement'), only[0] === 1)
  if (!only) return ''
  const parts = kinds.map(([count, text]) => text(String(count), count === 1))
  const all = counted(notApplicable + withoutCheck, 'requirement')
  return `${all} (${must === 0 ? 'none' : must} of level must): ${parts.join('; ')}`
}

/** `, 49 of them duties of clients`: these say nothing about the target; empty if there are none. */
export function dutiesText(withoutCheck: number, clientDuties: number): string {
  if (clientDuties === 0) return ''
  if (withoutCheck === 1) return ': it is a duty of clients'
  if (clientDuties === withoutCheck) return ': they are duties of clients'
  return `, ${clientDuties} of them ${clientDuties === 1 ? 'a duty' : 'duties'} of clients`
}
