import { wallTime } from '../results/queries.ts'
import { duration } from '../text/format.ts'
import {
  type FindingEffect,
  type Follower,
  findingEffects,
  type PolicyFinding,
  type ReleaseDecision,
} from './decision.ts'

// Sentences and headings that terminal and Markdown share.

/** `release: no, because 1 requirement is violated: EVENT-WINDOW-LIMIT` */
export function answer({ release, because }: ReleaseDecision): string {
  return `release: ${release ? 'yes' : 'no'}, because ${because}`
}

/** The facts behind the decision, each with a label. */
export function grounds({
  run,
  policy,
  coverage,
  decidedAt,
}: ReleaseDecision): (readonly [string, string])[] {
  const time = wallTime(run)
  const ageMs = Math.max(0, Date.parse(decidedAt) - Date.parse(run.finishedAt ?? run.startedAt))
  const hosts = run.hosts.length === 0 ? '' : ` (${run.hosts.join(', ')})`
  const took = time === undefined ? '' : `, took ${duration(time)}`
  const areas = policy.areas === undefined ? 'all areas' : `the areas ${policy.areas.join(', ')}`
  const waived = coverage.waived === 0 ? '' : `, ${coverage.waived} more waived`
  return [
    ['run', `${run.id}, ${run.kind} of ${run.target}${hosts}`],
    ['time', `started ${run.startedAt}${took}, ${age(ageMs)} old when decided`],
    [
      'policy',
      `level ${policy.levels.join(', ')} in ${areas}; inconclusive ${policy.inconclusive === 'block' ? 'blocks' : 'is allowed'}`,
    ],
    [
      'coverage',
      coverage.share === null
        ? 'no requirement applied'
        : `${coverage.decided} of ${coverage.applicable} applicable requirements were decided${waived} (${percent(coverage.share)})`,
    ],
  ]
}

const headings: Readonly<Record<FindingEffect, string>> = {
  violated: 'Violated',
  undecided: 'Inconclusive',
  noted: 'Noted, without effect',
}

/** Findings by effect, each group with its heading. */
export function findingGroups({ findings }: ReleaseDecision): {
  readonly title: string
  readonly effect: FindingEffect
  readonly findings: readonly PolicyFinding[]
}[] {
  return findingEffects
    .map((effect) => ({
      title: headings[effect],
      effect,
      findings: findings.filter((finding) => finding.effect === effect),
    }))
    .filter((group) => group.findings.length > 0)
}

/** The requirements that waivers settle, each with a text: first those with their own waiver. */
export function waivedLines({
  waived,
  following,
}: ReleaseDecision): (readonly [requirement: string, text: string])[] {
  return [
    ...waived.map((one) => [one.requirement, waiverText(one)] as const),
    ...following.map((one) => [one.requirement, followerText(one)] as const),
  ]
}

/** `fail, waived until 2026-12-31 by team identity: fixed in release 2.5 (https://…)` */
function waiverText({ expires, owner, reason, issue, verdict }: ReleaseDecision['waived'][number]): string {
  return `${verdict}, waived until ${expires} by ${owner}: ${reason} (${issue})`
}

/** `inconclusive, follows from IDTOKEN-ISSUER: the code exchange has the same violation` */
function followerText({ follows, reason }: Follower): string {
  return `inconclusive, follows from ${follows.join(', ')}: ${reason}`
}

/** `98.6 %`, rounded down, so that only a complete share is 100 %. */
export function percent(share: number): string {
  return `${Math.floor(share * 1000 + 1e-9) / 10} %`
}

/** Exact to the second, rounded up: an age above a limit never looks like the limit. `24 h 1 s`, `3 d 5 min`. */
export function age(ms: number): string {
  const total = Math.ceil(ms / 1000)
  const days = total < 72 * 3600 ? 0 : Math.floor(total / 86_400)
  const rest = total - days * 86_400
  const parts: readonly (readonly [count: number, unit: string])[] = [
    [days, 'd'],
    [Math.floor(rest / 3600), 'h'],
    [Math.floor(rest / 60) % 60, 'min'],
    [rest % 60, 's'],
  ]
  const shown = parts.filter(([count]) => count > 0)
  return shown.map(([count, unit]) => `${count} ${unit}`).join(' ') || '0 s'
}
