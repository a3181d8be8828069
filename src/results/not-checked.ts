import { neverAllowed, offByDefault } from '../check/applicability.ts'
import type { Level } from '../check/requirement.ts'
import { reasonText } from '../check/result.ts'
import type { Effect, TargetName } from '../target/profiles.ts'
import { counted } from '../text/format.ts'
import type { CheckRecord, RequirementResult, RunResults } from './results.ts'
import { type Scope, scopeText } from './scope.ts'

/**
 * Kinds of reasons why a requirement is not checked, in the order of reports:
 * - `needEnable`: ENABLE must allow an effect
 * - `neverAllowed`: the profile never allows an effect
 * - `needVariable`: a variable must be set or changed
 * - `absent`: the target lacks a feature, or a situation did not occur in the run
 * - `withoutCheck`: Plumbline has no check
 */
const kinds = ['needEnable', 'neverAllowed', 'needVariable', 'absent', 'withoutCheck'] as const
export type NotCheckedKind = (typeof kinds)[number]

/** Requirements that a run did not check for the same reason. */
export interface NotCheckedGroup {
  readonly kind: NotCheckedKind
  readonly reason: string
  /** The effect that ENABLE must allow; only for the kind `needEnable`. */
  readonly effect?: Effect
  readonly ids: readonly string[]
}

/**
 * The requirements that a run did not check, by reason, in the order of the kinds. If the checks of a requirement have
 * several reasons, only the first in this order counts; the requirements page of the report shows all.
 */
export function notCheckedByReason(requirements: readonly RequirementResult[]): NotCheckedGroup[] {
  const unchecked = requirements.filter(isNotChecked).map((one) => ({ id: one.id, ...whyNotChecked(one) }))
  return kinds.flatMap((kind) => {
    const ofKind = unchecked.filter((one) => one.kind === kind)
    return [...Map.groupBy(ofKind, ({ reason }) => reason)].map(([reason, group]) => {
      const effect = group[0]?.effect
      return { kind, reason, ...(effect && { effect }), ids: group.map(({ id }) => id) }
    })
  })
}

export function idsIn(groups: readonly Pick<NotCheckedGroup, 'ids'>[]): string[] {
  return groups.flatMap(({ ids }) => ids)
}

/** The requirements that a run checked, but not with all their checks, by the reasons of the other checks. */
export function partlyCheckedByReason(
  requirements: readonly RequirementResult[],
): Pick<NotCheckedGroup, 'reason' | 'ids'>[] {
  const uncheckedParts = requirements
    .filter((one) => !isNotChecked(one))
    .flatMap(({ id, checks }) =>
      checks
        .filter(({ verdict }) => verdict === 'not-applicable')
        .map((check) => ({ id, reason: reasonText(check) })),
    )
  return [...Map.groupBy(uncheckedParts, ({ reason }) => reason)].map(([reason, group]) => ({
    reason,
    ids: [...new Set(group.map(({ id }) => id))],
  }))
}

function isNotChecked({ verdict }: RequirementResult): boolean {
  return verdict === 'not-applicable'
}

function whyNotChecked({ checks, reason }: RequirementResult): Pick<NotCheckedGroup, 'kind' | 'reason'> & {
  readonly effect?: Effect | undefined
} {
  const rank = (check: CheckRecord) => kinds.indexOf(kindOf(check))
  const [decisive] = checks.toSorted((one, other) => rank(one) - rank(other))
  if (decisive === undefined) return { kind: 'withoutCheck', reason: reason ?? 'no reason is recorded' }
  return { kind: kindOf(decisive), reason: reasonText(decisive), effect: decisive.missingEffect }
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
  /** Other requirements of `notApplicable` with an effect that the profile never allows. */
  readonly neverAllowed: number
  /** Other requirements of `notApplicable` that need a variable to be set or changed. */
  readonly needVariable: number
  readonly withoutCheck: number
  /** Requirements of `withoutCheck` with the level `client`, which bind partners. */
  readonly clientDuties: number
  /** Requirements of `notApplicable` and `withoutCheck` that have the level `must`. */
  readonly must: number
  /** The requirements of `must` by the kind of their reason. */
  readonly mustByKind: CountsByKind
}

type CountsByKind = Readonly<Record<NotCheckedKind, number>>

function countByKind(groups: readonly NotCheckedGroup[]): CountsByKind {
  const ofKind = (kind: NotCheckedKind) => idsIn(groups.filter((one) => one.kind === kind)).length
  return Object.fromEntries(kinds.map((kind) => [kind, ofKind(kind)])) as CountsByKind
}

/** Counts the requirements that a run did not check. Only `mustByKind` counts the kind `absent` separately. */
export function countNotChecked({ requirements }: Pick<RunResults, 'requirements'>): NotCheckedCounts {
  const ofLevel = (level: Level) => notCheckedByReason(requirements.filter((one) => one.level === level))
  const { absent, needEnable, neverAllowed, needVariable, withoutCheck } = countByKind(
    notCheckedByReason(requirements),
  )
  const must = ofLevel('must')
  return {
    notApplicable: needEnable + neverAllowed + needVariable + absent,
    needEnable,
    neverAllowed,
    needVariable,
    withoutCheck,
    clientDuties: countByKind(ofLevel('client')).withoutCheck,
    must: idsIn(must).length,
    mustByKind: countByKind(must),
  }
}

/** What reports state about the requirements of each kind, after their number: `are off by default on uat`. */
const kindTexts: Readonly<Record<NotCheckedKind, (isOne: boolean, target: TargetName) => string>> = {
  needEnable: (isOne, target) => `${isOne ? 'is' : 'are'} ${offByDefault(target)}`,
  neverAllowed: (isOne, target) => `${isOne ? 'is' : 'are'} ${neverAllowed(target)}`,
  needVariable: (isOne) => `${isOne ? 'needs' : 'need'} a variable to be set or changed`,
  absent: (isOne) => `${isOne ? 'needs' : 'need'} a feature or situation that was absent`,
  withoutCheck: (isOne) => `${isOne ? 'has' : 'have'} no check`,
}

/**
 * `57 requirements of level must (32 are off by default on uat, 10 need a feature or situation that was absent, 15 have
 * no check), and 146 of other levels`. If none is of level must, the text states the reasons of the other levels.
 * Empty if every requirement was checked.
 */
export function notCheckedText({ requirements, run: { target } }: RunResults): string {
  const groupsOf = (isMust: boolean) =>
    notCheckedByReason(requirements.filter(({ level }) => (level === 'must') === isMust))
  const [must, otherLevels] = [groupsOf(true), groupsOf(false)]
  const [mustCount, otherCount] = [idsIn(must).length, idsIn(otherLevels).length]
  if (mustCount === 0)
    return otherCount === 0
      ? ''
      : withReasons(`${counted(otherCount, 'requirement')}, none of level must`, otherLevels, target)
  const ofMust = withReasons(`${counted(mustCount, 'requirement')} of level must`, must, target)
  return otherCount === 0 ? ofMust : `${ofMust}, and ${otherCount} of other levels`
}

/**
 * `notCheckedText` for a policy: the reasons in its scope, and the number of requirements outside of the scope. Empty
 * if every requirement was checked.
 * @param groups the requirements in the scope that were not checked
 * @param options.others the number of requirements outside of the scope that were not checked
 */
export function notCheckedInScopeText(
  groups: readonly NotCheckedGroup[],
  { scope, others, target }: { readonly scope: Scope; readonly others: number; readonly target: TargetName },
): string {
  const count = idsIn(groups).length
  const outside = scope.areas === undefined ? 'of other levels' : 'of other levels or areas'
  if (count === 0) return others === 0 ? '' : `${counted(others, 'requirement')} ${outside}`
  const inScope = withReasons(`${counted(count, 'requirement')} of ${scopeText(scope)}`, groups, target)
  return others === 0 ? inScope : `${inScope}, and ${others} ${outside}`
}

/** `47 requirements (32 are off by default on uat, 15 have no check)`, `1 requirement, which has no check` */
function withReasons(subject: string, groups: readonly NotCheckedGroup[], target: TargetName): string {
  const counts = countByKind(groups)
  const kindsInRun = kinds.filter((kind) => counts[kind] > 0)
  const texts = kindsInRun.map((kind) => kindTexts[kind](counts[kind] === 1, target))
  if (texts.length === 1) return `${subject}, which ${texts[0]}`
  return `${subject} (${kindsInRun.map((kind, index) => `${counts[kind]} ${texts[index]}`).join(', ')})`
}
