import type { RequirementOutcome } from '../results/outcome.ts'
import { valueText } from '../results/queries.ts'
import { capitalized, counted, minuteOf } from '../text/format.ts'
import type {
  Base,
  ComparedRun,
  Comparison,
  ObservationDifference,
  VerdictDifference,
  ViolatedSince,
} from './comparison.ts'
import { driftVerdict, noLongerChecked } from './drift.ts'

// Sentences and headings that terminal, Markdown and HTML share.

/** Headings of the parts of a comparison, in order. */
export const headings = {
  changed: 'Changed verdicts',
  observations: 'Changed observations',
  undecided: 'Inconclusive in one run or both',
  applicability: 'Applied in one run only',
  appeared: 'New requirements',
  vanished: 'Vanished requirements',
} as const satisfies Partial<Record<keyof Comparison, string>>

/** `uat of 2026-11-20 03:00` */
export function runName({ target, startedAt }: ComparedRun): string {
  return `${target} of ${minuteOf(startedAt)}`
}

/** `pass → fail`, with the causes of inconclusive verdicts. */
export function changeText({ before, after }: VerdictDifference): string {
  const text = ({ verdict, cause }: RequirementOutcome) =>
    cause === null || verdict === 'fail' ? verdict : `${verdict} (${cause})`
  return `${text(before)} → ${text(after)}`
}

/** The reason for the later verdict, else for the earlier one; may be empty. */
export function changeReason({ before, after }: VerdictDifference): string {
  if (after.reason !== null) return after.reason
  return before.reason === null ? '' : `before: ${before.reason}`
}

/** How an observation differs; for two lists, only the members that one of them lacks. */
export function observationChange({ before, after }: ObservationDifference): string {
  if (before === undefined) return `new: ${valueText(after ?? null)}`
  if (after === undefined) return `no longer observed, was: ${valueText(before)}`
  const values = `${valueText(before)} → ${valueText(after)}`
  if (!Array.isArray(before) || !Array.isArray(after)) return values
  const gone = before.filter((member) => !after.includes(member))
  const added = after.filter((member) => !before.includes(member))
  const parts = [
    ...(added.length > 0 ? [`now also ${added.join(', ')}`] : []),
    ...(gone.length > 0 ? [`no longer ${gone.join(', ')}`] : []),
  ]
  return parts.join('; ') || values
}

/** The result of a comparison in one or two sentences. */
export function conclusion(comparison: Comparison): string {
  const { before, after, changed, observations, undecided, alike } = comparison
  const unchecked = noLongerCheckedText(comparison)
  const compared = `${counted(alike.requirements + changed.length, 'requirement')} that both decided`
  const differences = changed.length + observations.length
  if (differences > 0) {
    const targets =
      before.target === after.target
        ? ''
        : `${before.target} and ${after.target} differ in more than the host: `
    const what = [...countedPart(changed, 'verdict'), ...countedPart(observations, 'observation')].join(
      ' and ',
    )
    const sentence = `${targets}${what} ${differences === 1 ? 'differs' : 'differ'}, of ${compared}.`
    return unchecked === '' ? sentence : `${sentence} ${capitalized(unchecked)}.`
  }
  if (driftVerdict(comparison) === 'drift') return `${capitalized(unchecked)}.`
  if (alike.requirements === 0) return 'No requirement was decided in both runs, so nothing can be compared.'
  const same =
    before.target === after.target
      ? `No verdict and no observation differs, of ${compared}.`
      : `${before.target} and ${after.target} differ in the host only: no verdict and no observation differs, of ${compared}.`
  if (undecided.length === 0) return same
  return `${same} ${counted(undecided.length, 'requirement')} could not be compared because a verdict is inconclusive.`
}

/** The differences from the last comparable run in one line. */
export function driftLine(drift: Comparison): string {
  const { before, changed, observations, undecided, appeared, vanished, olderBases = [] } = drift
  const name = ({ startedAt, id }: Base | ComparedRun) => `${minuteOf(startedAt)} (${id})`
  const older =
    olderBases.length === 0
      ? ''
      : `, and, where that run was inconclusive, since ${olderBases.map(name).join(', ')}`
  const unchecked = noLongerCheckedText(drift)
  const parts = [
    ...countedPart(changed, 'verdict', ' changed'),
    ...countedPart(observations, 'observation', ' changed'),
    ...(unchecked === '' ? [] : [unchecked]),
    ...countedPart(appeared, 'requirement', ' new'),
    ...countedPart(vanished, 'requirement', ' vanished'),
  ]
  const open = countedPart(
    undecided,
    'requirement',
    ' could not be compared, because a verdict is inconclusive',
  )
  const line = `${parts.join(', ') || 'no change'} since ${name(before)}${older}`
  return [line, ...open].join('; ')
}

function countedPart(list: readonly unknown[], noun: string, rest = ''): string[] {
  return list.length === 0 ? [] : [`${counted(list.length, noun)}${rest}`]
}

/** `no longer checked: 12 requirements (TEST_USER is not set)`; empty if there are none. */
function noLongerCheckedText(comparison: Comparison): string {
  const byReason = Map.groupBy(noLongerChecked(comparison), ({ after }) => after.reason ?? '')
  const parts = [...byReason].map(([reason, list]) => `${counted(list.length, 'requirement')} (${reason})`)
  return parts.length === 0 ? '' : `no longer checked: ${parts.join(', ')}`
}

/** `compared with 20261119T030000Z-uat-5f0a, since later runs were inconclusive: 2 requirements` */
export function baseText({ id, requirements }: Base): string {
  return `compared with ${id}, since later runs were inconclusive: ${counted(requirements.length, 'requirement')}`
}

/** `since 2026-11-19 03:00 (3 runs)` */
export function sinceText({ startedAt, runs }: ViolatedSince): string {
  return `since ${minuteOf(startedAt)} (${counted(runs, 'run')})`
}

/** Differences between the runs themselves, apart from their time. */
export function circumstances({ before, after, differsIn }: Comparison): string[] {
  const text = {
    target: (run: ComparedRun) => run.target,
    hosts: (run: ComparedRun) => run.hosts.join(', ') || 'none',
    version: (run: ComparedRun) => run.version,
    selection: ({ selection: { only, areas } }: ComparedRun) =>
      [...only, ...areas.map((area) => `area ${area}`)].join(', ') || 'everything',
  }
  return differsIn.map((fact) => `${fact}: ${text[fact](before)} → ${text[fact](after)}`)
}
