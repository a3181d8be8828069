import { neverAllowed, offByDefault } from '../check/applicability.ts'
import type { Level } from '../check/requirement.ts'
import { reasonText } from '../check/result.ts'
import type { Effect, TargetName } from '../target/profiles.ts'
import { counted } from '../text/format.ts'
import type { CheckRecord, RequirementResult, RunResults } from './results.ts'
import { type Scope, scopeText } from './scope.ts'

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
  /** The effect that ENABLE has to allow; absent for other kinds. */
  readonly effect?: Effect
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
    return [...Map.groupBy(ofKind, ({ reason }) => reason)].map(([reason, group]) => {
      const effect = group[0]?.effect
      return { kind, reason, ...(effect && { effect }), ids: group.map(({ id }) => id) }
    })
  })
}

/** Requirements of which some checks were not applicable for the same reason, while others gave a verdict. */
interface PartlyCheckedGroup {
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

function whyNotChecked({ checks, reason }: RequirementResult): Omit<NotCheckedGroup, 'ids' | 'effect'> & {
  readonly effect?: CheckRecord['missingEffect'] | undefined
} {
  const [first, ...others] = checks
  if (first === undefined) return { kind: 'withoutCheck', reason: reason ?? 'no reason is recorded' }
  const rank = (check: CheckRecord) => kinds.indexOf(kindOf(check))
  const decisive = others.reduce((best, check) => (rank(check) < rank(best) ? check : best), first)
  const { missingEffect } = decisive
  return {
    kind: kindOf(decisive),
    reason: reasonText(decisive),
    effect: missingEffect,
  }
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
  /**
   * Other requirements of `notApplicable` with an effect that the profile never allows; absent in decisions of older
   * versions.
   */
  readonly neverAllowed?: number
  /**
   * Other requirements of `notApplicable` that need a variable to be set or changed; absent in decisions of older
   * versions.
   */
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
  needEnable: (isOne, target) => `${isOne ? 'is' : 'are'} ${offByDefault(target)}`,
  neverAllowed: (isOne, target) => `${isOne ? 'is' : 'are'} ${neverAllowed(target)}`,
  needVariable: (isOne) => `${isOne ? 'needs' : 'need'} a variable to be set or changed`,
  absent: (isOne) => `${isOne ? 'needs' : 'need'} a feature or situation that was absent`,
  withoutCheck: (isOne) => `${isOne ? 'has' : 'have'} no check`,
}

/**
 * `57 requirements of level must (32 are off by default on uat, 10 need a feature or situation that was absent, 15 have
 * no check), and 146 of other levels`; without any of level must, the reasons of the others. Empty if every requirement
 * was checked.
 */
export function notCheckedText(counts: NotCheckedCounts, target: TargetName): string {
  const { notApplicable, withoutCheck, must, mustByKind } = counts
  const others = notApplicable + withoutCheck - must
  const subject = (count: number) => counted(count, 'requirement')
  if (must === 0)
    return others === 0 ? '' : withReasons(`${subject(others)}, none of level must`, byKindOf(counts), target)
  const what = `${subject(must)} of level must`
  const ofMust = mustByKind === undefined ? what : withReasons(what, mustByKind, target)
  return others === 0 ? ofMust : `${ofMust}, and ${others} of other levels`
}

/**
 * What a run did not check, as `notCheckedText` does, for a policy: the reasons in its scope, and the number of the
 * others. Empty if every requirement was checked.
 */
export function notCheckedInScopeText(
  groups: readonly NotCheckedGroup[],
  { scope, others, target }: { readonly scope: Scope; readonly others: number; readonly target: TargetName },
): string {
  const counts = Object.fromEntries(
    kinds.map((kind) => [kind, groups.filter((one) => one.kind === kind).flatMap(({ ids }) => ids).length]),
  ) as CountsByKind
  const count = groups.flatMap(({ ids }) => ids).length
  const outside = scope.areas === undefined ? 'of other levels' : 'of other levels or areas'
  if (count === 0) return others === 0 ? '' : `${counted(others, 'requirement')} ${outside}`
  const inScope = withReasons(`${counted(count, 'requirement')} of ${scopeText(scope)}`, counts, target)
  return others === 0 ? inScope : `${inScope}, and ${others} ${outside}`
}

/** `47 requirements (32 are off by default on uat, 15 have no check)`, `1 requirement, which has no check` */
function withReasons(subject: string, counts: CountsByKind, target: TargetName): string {
  const found = kinds.filter((kind) => counts[kind] > 0)
  const texts = found.map((kind) => kindTexts[kind](counts[kind] === 1, target))
  if (texts.length === 1) return `${subject}, which ${texts[0]}`
  return `${subject} (${texts.map((text, index) => `${counts[found[index] as NotCheckedKind]} ${text}`).join(', ')})`
}
