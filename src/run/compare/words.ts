import type { Outcome } from '../outcome.ts'
import { counted, minuteOf, valueText } from '../text.ts'
import type { ComparedRun, Comparison, ObservationDifference, VerdictDifference } from './comparison.ts'
import { driftVerdict } from './drift.ts'

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

/** What a comparison comes to, in one sentence. */
export function conclusion(comparison: Comparison): string {
  const { before, after, changed, observations, undecided, alike } = comparison
  const compared = `${counted(alike.requirements + changed.length, 'requirement')} that both decided`
  if (driftVerdict(comparison) === 'drift') {
    const what = [
      ...(changed.length > 0 ? [counted(changed.length, 'verdict')] : []),
      ...(observations.length > 0 ? [counted(observations.length, 'observation')] : []),
    ].join(' and ')
    const than =
      before.target === after.target
        ? ''
        : `${before.target} and ${after.target} differ in more than the host: `
    return `${than}${what} ${changed.length + observations.length === 1 ? 'differs' : 'differ'}, of ${compared}.`
  }
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
  const { before, changed, observations, undecided, appeared, vanished } = drift
  const since = `since ${minuteOf(before.startedAt)} (${before.id})`
  const parts = [
    ...(changed.length > 0 ? [`${counted(changed.length, 'verdict')} changed`] : []),
    ...(observations.length > 0 ? [`${counted(observations.length, 'observation')} changed`] : []),
    ...(appeared.length > 0 ? [`${counted(appeared.length, 'requirement')} new`] : []),
    ...(vanished.length > 0 ? [`${counted(vanished.length, 'requirement')} vanished`] : []),
    ...(undecided.length > 0 ? [`${counted(undecided.length, 'requirement')} undecided in one of them`] : []),
  ]
  return parts.length === 0 ? `none ${since}` : `${parts.join(', ')} ${since}`
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
