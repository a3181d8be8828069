import type { Outcome } from '../results/outcome.ts'
import { valueText } from '../results/queries.ts'
import { counted, minuteOf } from '../text/format.ts'
import type {
  Base,
  ComparedRun,
  Comparison,
  ObservationDifference,
  VerdictDifference,
  ViolatedSince,
} from './comparison.ts'
import { driftVerdict, noLongerLookedAt } from './drift.ts'

/** Headings of what differs, by the part of a comparison that stands below. */
export const headings = {
  changed: 'Changed verdicts',
  observations: 'Changed observations',
  undecided: 'Undecided in one run or both',
  applicability: 'Applied in one run only',
  appeared: 'New requirements',
  vanished: 'Vanished requirements',
} as const satisfies Partial<Record<keyof Comparison, string>>

/** `uat of 2026-11-20 03:00` */
export function runName({ target, startedAt }: ComparedRun): string {
  return `${target} of ${minuteOf(startedAt)}`
}

/** `pass → fail`; where cause tells two undecided ones apart, with it. */
export function changeOf({ before, after }: VerdictDifference): string {
  return `${outcomeWord(before)} → ${outcomeWord(after)}`
}

function outcomeWord({ verdict, cause }: Outcome): string {
  return cause === null || verdict === 'fail' ? verdict : `${verdict} (${cause})`
}

/** Why it came to that, of whichever run has something to say. */
export function reasonOf({ before, after }: VerdictDifference): string {
  if (after.reason !== null) return after.reason
  return before.reason === null ? '' : `before: ${before.reason}`
}

/** What of an observation differs: of two lists only what one of them lacks. */
export function observationChange({ before, after }: ObservationDifference): string {
  if (before === undefined) return `new: ${valueText(after ?? null)}`
  if (after === undefined) return `no longer made, was: ${valueText(before)}`
  if (!Array.isArray(before) || !Array.isArray(after)) return `${valueText(before)} → ${valueText(after)}`
  const lacks = (one: readonly string[], other: readonly string[]) =>
    one.filter((member) => !other.includes(member))
  const [gone, come] = [lacks(before, after), lacks(after, before)]
  const parts = [
    ...(come.length > 0 ? [`now also ${come.join(', ')}`] : []),
    ...(gone.length > 0 ? [`no longer ${gone.join(', ')}`] : []),
  ]
  return parts.length > 0 ? parts.join('; ') : `${valueText(before)} → ${valueText(after)}`
}

/** A text as the beginning of a sentence. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** What a comparison comes to, in one sentence or two. */
export function conclusion(comparison: Comparison): string {
  const { before, after, changed, observations, undecided, alike } = comparison
  const unlooked = unlookedText(comparison)
  const compared = `${counted(alike.requirements + changed.length, 'requirement')} that both decided`
  if (changed.length + observations.length > 0) {
    const what = [
      ...(changed.length > 0 ? [counted(changed.length, 'verdict')] : []),
      ...(observations.length > 0 ? [counted(observations.length, 'observation')] : []),
    ].join(' and ')
    const than =
      before.target === after.target
        ? ''
        : `${before.target} and ${after.target} differ in more than the host: `
    return `${than}${what} ${changed.length + observations.length === 1 ? 'differs' : 'differ'}, of ${compared}.${unlooked === '' ? '' : ` ${capitalized(unlooked)}.`}`
  }
  if (driftVerdict(comparison) === 'drift') return `${capitalized(unlooked)}.`
  if (alike.requirements === 0) return 'No requirement was decided in both runs, so nothing can be said.'
  const open =
    undecided.length === 0
      ? ''
      : ` ${counted(undecided.length, 'requirement')} could not be compared, because undecided.`
  const same =
    before.target === after.target
      ? `No verdict and no observation differs, of ${compared}.`
      : `${before.target} and ${after.target} differ in host only, as far as the ${compared} tell.`
  return same + open
}

/** One line on how a run differs from the last comparable one. */
export function driftLine(drift: Comparison): string {
  const { before, changed, observations, undecided, appeared, vanished, olderBases = [] } = drift
  const since = [before, ...olderBases]
    .map(({ startedAt, id }) => `${minuteOf(startedAt)} (${id})`)
    .join(', ')
  const unlooked = unlookedText(drift)
  const parts = [
    ...(changed.length > 0 ? [`${counted(changed.length, 'verdict')} changed`] : []),
    ...(observations.length > 0 ? [`${counted(observations.length, 'observation')} changed`] : []),
    ...(unlooked === '' ? [] : [unlooked]),
    ...(appeared.length > 0 ? [`${counted(appeared.length, 'requirement')} new`] : []),
    ...(vanished.length > 0 ? [`${counted(vanished.length, 'requirement')} vanished`] : []),
    ...(undecided.length > 0 ? [`${counted(undecided.length, 'requirement')} undecided in one of them`] : []),
  ]
  return parts.length === 0 ? `none since ${since}` : `${parts.join(', ')} since ${since}`
}

/** `no longer looked at: 12 requirements (TEST_USER is not set)`; empty where there are none. */
function unlookedText(comparison: Comparison): string {
  const byReason = Map.groupBy(noLongerLookedAt(comparison), ({ after }) => after.reason ?? '')
  const parts = [...byReason].map(([reason, list]) => `${counted(list.length, 'requirement')} (${reason})`)
  return parts.length === 0 ? '' : `no longer looked at: ${parts.join(', ')}`
}

/** `held against 20261119T030000Z-uat-5f0a, since no later run decided them: 2 requirements` */
export function baseText({ id, requirements }: Base): string {
  return `held against ${id}, since no later run decided them: ${counted(requirements.length, 'requirement')}`
}

/** `since 2026-11-19 03:00 (3 runs)` */
export function sinceText({ startedAt, runs }: ViolatedSince): string {
  return `since ${minuteOf(startedAt)} (${counted(runs, 'run')})`
}

/** In what the runs themselves differ, beside their time. */
export function circumstances({ before, after, differsIn }: Comparison): string[] {
  const said = {
    target: (run: ComparedRun) => run.target,
    hosts: (run: ComparedRun) => run.hosts.join(', ') || 'none',
    version: (run: ComparedRun) => run.version,
    selection: ({ selection: { only, areas } }: ComparedRun) =>
      [...only, ...areas.map((area) => `area ${area}`)].join(', ') || 'everything',
  }
  return differsIn.map((fact) => `${fact}: ${said[fact](before)} → ${said[fact](after)}`)
}
