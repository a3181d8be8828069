import { neverAllowed, offByDefault } from '../check/applicability.ts'
import type { Level } from '../check/requirement.ts'
import { reasonText } from '../check/result.ts'
import type { TargetName } from '../target/profiles.ts'
import { counted } from '../text/format.ts'
import type { CheckRecord, RequirementResult, RunResults } from './results.ts'

/**
 * Kinds of reasons for which a requirement is not checked, in the order of reports: ENABLE has to allow an effect, the
 * profile never allows it, a variable has to be set or changed, the target lacks a feature or the run a situation, and
 * Plumbline has no check.
 */
const kinds = ['needEnable', 'neverAllowed', 'needVariable', 'absent', 'withoutCheck'] as const
export type NotCheckedKind = (typeof kinds)[number]

/** Requirements that a run did not check for the same reason. */
export interface NotCheckedGroup {
  readonly kind: NotCheckedKind
  readonly reason: string
  readonly ids: readonly string[]
}

/**
 * The requirements that a run did not check, by reason, in the order of the kinds. A requirement has one reason, also if
 * its checks have several; its row of the requirements page shows all.
 */
export function notCheckedByReason(requirements: readonly RequirementResult[]): NotCheckedGroup[] {
  const found = requirements.filter(isNotChecked).map((one) => ({ id: one.id, ...whyNotChecked(one) }))
  return kinds.flatMap((kind) => {
    const ofKind = found.filter((one) => one.kind === kind)
    return [...Map.groupBy(ofKind, ({ reason }) => reason)].map(([reason, group]) => ({
      kind,
      reason,
      ids: group.map(({ id }) => id),
    }))
  })
}

/** Requirements of which some checks were not applicable for the same reason, while others gave a verdict. */
export interface PartlyCheckedGroup {
  readonly reason: string
  readonly ids: readonly string[]
}

/** The requirements of which a run made some checks only, by the reasons of the others: one for each reason. */
export function partlyCheckedByReason(requirements: readonly RequirementResult[]): PartlyCheckedGroup[] {
  const found = requirements
    .filter((one) => !isNotChecked(one))
    .flatMap(({ id, checks }) =>
      checks
        .filter(({ verdict }) => verdict === 'not-applicable')
        .map((check) => ({ id, reason: reasonText(check) })),
    )
  return [...Map.groupBy(found, ({ reason }) => reason)].map(([reason, group]) => ({
    reason,
    ids: [...new Set(group.map(({ id }) => id))],
  }))
}

function isNotChecked({ verdict }: RequirementResult): boolean {
  return verdict === 'not-applicable'
}

function whyNotChecked({ checks, reason }: RequirementResult): Pick<NotCheckedGroup, 'kind' | 'reason'> {
  const [first, ...others] = checks
  if (first === undefined) return { kind: 'withoutCheck', reason: reason ?? 'no reason is recorded' }
  const rank = (check: CheckRecord) => kinds.indexOf(kindOf(check))
  const decisive = others.reduce((best, check) => (rank(check) < rank(best) ? check : best), first)
  return { kind: kindOf(decisive), reason: reasonText(decisive) }
}

function kindOf({ missingEffect, forbiddenEffect, cause }: CheckRecord): NotCheckedKind {
  if (missingEffect !== undefined) return 'needEnable'
  if (forbiddenEffect !== undefined) return 'neverAllowed'
  return cause === 'configuration' ? 'needVariable' : 'absent'
}

/** Numbers of requirements that a run did not check. */
export interface NotCheckedCounts {
  /** Requirements with checks, none of which was applicable. */
  readonly notApplicable: number
  /** Requirements of `notApplicable` that need ENABLE. */
  readonly needEnable: number
  /** Other requirements of `notApplicable` with an effect that the profile never allows; absent in decisions of older versions. */
  readonly neverAllowed?: number
  /** Other requirements of `notApplicable` that need a variable to be set or changed; absent in decisions of older versions. */
  readonly needVariable?: number
  readonly withoutCheck: number
  /** Requirements of `withoutCheck` that bind partners, not the target; absent in decisions of older versions. */
  readonly clientDuties?: number
  /** Requirements of `notApplicable` and `withoutCheck` that have the level `must`. */
  readonly must: number
  /** The requirements of `must` by the kind of their reason; absent in decisions of older versions. */
  readonly mustByKind?: CountsByKind
}

type CountsByKind = Readonly<Record<NotCheckedKind, number>>

function countByKind(requirements: readonly RequirementResult[]): CountsByKind {
  const found = requirements.map((one) => whyNotChecked(one).kind)
  const counts = kinds.map((kind) => [kind, found.filter((one) => one === kind).length])
  return Object.fromEntries(counts)
}

/** The counts as in decisions, which state `absent` as the rest of `notApplicable`. */
export function countNotChecked({ requirements }: Pick<RunResults, 'requirements'>): NotCheckedCounts {
  const notChecked = requirements.filter(isNotChecked)
  const ofLevel = (level: Level) => notChecked.filter((one) => one.level === level)
  const { absent, needEnable, neverAllowed, needVariable, withoutCheck } = countByKind(notChecked)
  const must = ofLevel('must')
  return {
    notApplicable: needEnable + neverAllowed + needVariable + absent,
    needEnable,
    neverAllowed,
    needVariable,
    withoutCheck,
    clientDuties: countByKind(ofLevel('client')).withoutCheck,
    must: must.length,
    mustByKind: countByKind(must),
  }
}

/** The counts of a decision by kind. */
function byKindOf({
  notApplicable,
  needEnable,
  neverAllowed = 0,
  needVariable = 0,
  withoutCheck,
}: NotCheckedCounts): CountsByKind {
  const absent = notApplicable - needEnable - neverAllowed - needVariable
  return { needEnable, neverAllowed, needVariable, absent, withoutCheck }
}

/** What requirements of each kind need, after their number. */
const kindTexts: Readonly<Record<NotCheckedKind, (isOne: boolean, target: TargetName) => string>> = {
  needEnable: (isOne, target) =>
    `${isOne ? 'is' : 'are'} ${offByDefault(target)} (ENABLE turns ${isOne ? 'it' : 'them'} on)`,
  neverAllowed: (isOne, target) => `${isOne ? 'is' : 'are'} ${neverAllowed(target)}`,
  needVariable: (isOne) => `${isOne ? 'needs' : 'need'} a variable to be set or changed`,
  absent: (isOne) => `${isOne ? 'needs' : 'need'} a feature or situation that was absent`,
  withoutCheck: (isOne) => `${isOne ? 'has' : 'have'} no check`,
}

/**
 * `195 requirements (31 of level must): 94 (must: 20) are off by default on uat (ENABLE turns them on); 26 (must: 7) need
 * a feature or situation that was absent; 75 (must: 4) have no check, 49 of them duties of partners`; empty if every
 * requirement was checked.
 */
export function notCheckedText(counts: NotCheckedCounts, target: TargetName): string {
  const { notApplicable, withoutCheck, clientDuties = 0, must, mustByKind } = counts
  const byKind = byKindOf(counts)
  const found = kinds.filter((kind) => byKind[kind] > 0)
  const textOf = (kind: NotCheckedKind, what: string) => {
    const duties = kind === 'withoutCheck' ? dutiesText(withoutCheck, clientDuties) : ''
    return `${what} ${kindTexts[kind](byKind[kind] === 1, target)}${duties}`
  }
  const all = allText(notApplicable + withoutCheck, must)
  const [only] = found
  if (only === undefined) return ''
  if (found.length === 1) return textOf(only, all)
  const ofMust = (kind: NotCheckedKind) =>
    mustByKind === undefined || must === 0 ? '' : ` (must: ${mustByKind[kind]})`
  return `${all}: ${found.map((kind) => textOf(kind, `${byKind[kind]}${ofMust(kind)}`)).join('; ')}`
}

/** `195 requirements (31 of level must)` */
function allText(count: number, must: number): string {
  if (count === 1) return must === 1 ? '1 requirement of level must' : '1 requirement'
  return `${counted(count, 'requirement')} (${must === 0 ? 'none' : must} of level must)`
}

/** `, 49 of them duties of partners`: these say nothing about the target; empty if there are none. */
export function dutiesText(withoutCheck: number, clientDuties: number): string {
  if (clientDuties === 0) return ''
  if (withoutCheck === 1) return ': it is a duty of partners'
  if (clientDuties === withoutCheck) return ': they are duties of partners'
  return `, ${clientDuties} of them ${clientDuties === 1 ? 'a duty' : 'duties'} of partners`
}
