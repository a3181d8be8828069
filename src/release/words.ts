import { wallTime } from '../results/queries.ts'
import { duration } from '../text/format.ts'
import { type Decision, type Effect, effects, type Finding, type Follower } from './decision.ts'

/** `release: no, because 1 requirement is violated: EVENT-WINDOW-LIMIT` */
export function answer({ release, because }: Decision): string {
  return `release: ${release ? 'yes' : 'no'}, because ${because}`
}

/** What the decision rests on: a label and a text each. */
export function grounds({ run, policy, coverage, decidedAt }: Decision): (readonly [string, string])[] {
  const ended = run.finishedAt ?? run.startedAt
  const time = wallTime(run)
  const ageMs = Math.max(0, Date.parse(decidedAt) - Date.parse(ended))
  return [
    [
      'run',
      `${run.id}, ${run.kind} of ${run.target}${run.hosts.length === 0 ? '' : ` (${run.hosts.join(', ')})`}`,
    ],
    [
      'when',
      `started ${run.startedAt}${time === undefined ? '' : `, took ${duration(time)}`}, ${age(ageMs)} old when decided`,
    ],
    [
      'asked for',
      `level ${policy.levels.join(', ')} in ${policy.areas === undefined ? 'all areas' : `the areas ${policy.areas.join(', ')}`}; inconclusive ${policy.inconclusive === 'block' ? 'blocks' : 'is allowed'}`,
    ],
    [
      'coverage',
      coverage.share === null
        ? 'nothing applied'
        : `${coverage.decided} of ${coverage.applicable} requirements that apply were decided${coverage.waived === 0 ? '' : `, ${coverage.waived} more waived`} (${percent(coverage.share)})`,
    ],
  ]
}

const headings: Readonly<Record<Effect, string>> = {
  violated: 'Violated',
  undecided: 'Not decided',
  noted: 'Noted, without effect',
}

/** Findings under their headings; what has none is left out. */
export function groups({
  findings,
}: Decision): { readonly title: string; readonly effect: Effect; readonly findings: readonly Finding[] }[] {
  return effects
    .map((effect) => ({
      title: headings[effect],
      effect,
      findings: findings.filter((finding) => finding.effect === effect),
    }))
    .filter((group) => group.findings.length > 0)
}

/** `fail, waived until 2026-12-31 by team identity: the provider mends it (https://…)` */
export function waiverText({ expires, owner, reason, issue, verdict }: Decision['waived'][number]): string {
  return `${verdict}, waived until ${expires} by ${owner}: ${reason} (${issue})`
}

/** `inconclusive, follows from IDTOKEN-ISSUER: the code exchange has it wrong as well; see IDTOKEN-ISSUER` */
export function followerText({ follows, reason }: Follower): string {
  return `inconclusive, follows from ${follows.join(', ')}: ${reason}`
}

/** `98.6 %`, rounded down: what falls short of a whole never looks like it. */
export function percent(share: number): string {
  return `${Math.floor(share * 1000 + 1e-9) / 10} %`
}

/** `3.5 h`, `12 d`. */
export function age(ms: number): string {
  const hours = ms / 3_600_000
  return hours >= 72 ? `${Math.floor(hours / 24)} d` : `${Math.ceil(hours * 10) / 10} h`
}
