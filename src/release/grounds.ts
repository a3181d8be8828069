import { idsIn, notCheckedInScopeText } from '../results/not-checked.ts'
import { wallTime } from '../results/queries.ts'
import { areasText } from '../results/scope.ts'
import { runSubject, selectionParts } from '../results/text.ts'
import { counted, duration, minuteOf } from '../text/format.ts'
import type { ReleaseDecision } from './decision.ts'
import type { Minimum, Policy } from './policy.ts'

/**
 * The facts behind the decision, each with a label.
 * @param file the policy file, as the text names it
 */
export function grounds(decision: ReleaseDecision, file: string): (readonly [string, string])[] {
  const { run, policy, decidedAt } = decision
  const time = wallTime(run)
  const ageMs = Math.max(0, Date.parse(decidedAt) - Date.parse(run.finishedAt ?? run.startedAt))
  const took = time === undefined ? '' : `, took ${duration(time)}`
  const unchecked = uncheckedText(decision)
  return [
    ['run', `${run.id}, ${runSubject(run)}`],
    ['time', `started ${minuteOf(run.startedAt)}${took}, ended ${age(ageMs)} before the decision`],
    ['policy', `${file}: ${policyText(policy)}`],
    ['coverage', coverageText(decision)],
    ...(unchecked === '' ? [] : [['not checked', unchecked] as const]),
  ]
}

/**
 * `the run selected only 1 of the 304 requirements in the scope of the policy: 1 checked, 0 not checked; of the checked
 * ones, …`
 */
function coverageText({ run, coverage, inScope, notCheckedInScope }: ReleaseDecision): string {
  const { share, applicable, decided, waived, observed } = coverage
  const notChecked = idsIn(notCheckedInScope).length
  const { inRun, all } = inScope
  const verb = selectionParts(run.selection).length > 0 ? 'selected' : 'contains'
  const subject =
    inRun < all
      ? `the run ${verb} only ${inRun} of the ${counted(all, 'requirement')}`
      : counted(inRun, 'requirement')
  const parts = [
    `${subject} in the scope of the policy: ${applicable} checked`,
    `${notChecked} not checked`,
    ...(observed === 0 ? [] : [`${observed} only observed`]),
  ].join(', ')
  if (share === null) return parts
  const judgedOrWaived =
    waived === 0
      ? `judged pass or fail (${decided} of ${applicable})`
      : `judged or waived (${decided + waived} of ${applicable}: ${judgedAndWaivedText(coverage)})`
  return `${parts}; of the checked ones, ${percent(share)} are ${judgedOrWaived}`
}

/** What the run did not check: in the scope of the policy by reason, outside of that scope only the number. */
function uncheckedText({ run, policy, notChecked, notCheckedInScope }: ReleaseDecision): string {
  const others = notChecked.notApplicable + notChecked.withoutCheck - idsIn(notCheckedInScope).length
  return notCheckedInScopeText(notCheckedInScope, { scope: policy, others, target: run.target })
}

/** `7 judged, 1 waived and inconclusive, 2 following from waived ones` */
function judgedAndWaivedText({ decided, waived, following }: ReleaseDecision['coverage']): string {
  const withWaiver = waived - following
  return [
    `${decided} judged`,
    ...(withWaiver > 0 ? [`${withWaiver} waived and inconclusive`] : []),
    ...(following > 0 ? [`${following} following from waived ones`] : []),
  ].join(', ')
}

/**
 * The conditions of a policy: `check run of uat, at most 24 h old; level must, all areas; each inconclusive requirement
 * blocks; at least 150 checked requirements`. If inconclusive requirements block, the shares of `minimumCoverage`
 * have no effect, so the text states only that each of its areas needs a judged requirement.
 */
function policyText(policy: Policy): string {
  const { kind, target, maximumAgeHours, levels, areas } = policy
  const { inconclusive, minimumCoverage, minimumApplicable } = policy
  const blocks = inconclusive === 'block'
  const named = Object.keys(minimumCoverage.areas ?? {})
  return [
    `${kind} run of ${target}, at most ${age(maximumAgeHours * 3_600_000)} old`,
    `level ${levels.join(', ')}, ${areas === undefined ? 'all areas' : areasText(areas)}`,
    blocks ? 'each inconclusive requirement blocks' : 'inconclusive requirements do not block',
    ...(blocks ? [] : minimumText('coverage', minimumCoverage, percent)),
    ...(blocks && named.length > 0 ? [`at least one judged requirement in ${eachAreaText(named)}`] : []),
    ...minimumText('checked requirements', minimumApplicable, String),
  ].join('; ')
}

/**
 * `at least 98 % coverage (token 100 %)`, `at least 2 checked requirements in the area token, 1 in the area events`;
 * empty if the policy sets no minimum.
 */
function minimumText(
  name: string,
  { overall, areas = {} }: Minimum,
  format: (value: number) => string,
): string[] {
  const each = Object.entries(areas)
  if (overall !== undefined) {
    const ofAreas = each.map(([area, value]) => `${area} ${format(value)}`).join(', ')
    return [`at least ${format(overall)} ${name}${ofAreas === '' ? '' : ` (${ofAreas})`}`]
  }
  const ofAreas = each.map(
    ([area, value], index) => `${format(value)}${index === 0 ? ` ${name}` : ''} in the area ${area}`,
  )
  return ofAreas.length === 0 ? [] : [`at least ${ofAreas.join(', ')}`]
}

/** `the area token`, `each of the areas token, events` */
function eachAreaText(areas: readonly string[]): string {
  return `${areas.length === 1 ? '' : 'each of '}${areasText(areas)}`
}

/** `98.65 %`, rounded down, so that only a complete share is 100 %. `1e-9` offsets the error of the multiplication. */
export function percent(share: number): string {
  return `${Math.floor(share * 10_000 + 1e-9) / 100} %`
}

/** `24 h 1 s`; from 72 h on `3 d 5 min`. Rounded up to seconds, so that an age above a limit never equals the limit. */
export function age(ms: number): string {
  const total = Math.ceil(ms / 1000)
  const days = total < 72 * 3600 ? 0 : Math.floor(total / 86_400)
  const withoutDays = total - days * 86_400
  const parts: readonly (readonly [count: number, unit: string])[] = [
    [days, 'd'],
    [Math.floor(withoutDays / 3600), 'h'],
    [Math.floor(withoutDays / 60) % 60, 'min'],
    [withoutDays % 60, 's'],
  ]
  const shown = parts.filter(([count]) => count > 0)
  return shown.map(([count, unit]) => `${count} ${unit}`).join(' ') || '0 s'
}
