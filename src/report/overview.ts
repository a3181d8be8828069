import type { Cause } from '../check/verdict.ts'
import type { Comparison } from '../compare/comparison.ts'
import { driftLine, driftSummary, sinceText } from '../compare/text.ts'
import type { PolicyAnswer } from '../release/gate.ts'
import { countNotChecked, notCheckedText } from '../results/applicable.ts'
import { type InconclusiveReason, inconclusiveByCause } from '../results/inconclusive.ts'
import {
  allChecks,
  checksWith,
  notApplicableByReason,
  wallTime,
  withoutCheckByReason,
} from '../results/queries.ts'
import type { CheckRecord, RequirementResult, RunResults } from '../results/results.ts'
import { capitalized, counted, duration, minuteOf } from '../text/format.ts'
import { type Answer, answerOf } from './answer.ts'
import { remedies, remedyCommand } from './remedy.ts'
import { selectionOptions, uncheckedCommand } from './selection-options.ts'

/** Headings of an overview, in its order. */
export const headings = {
  violated: 'Violated',
  inconclusive: 'Inconclusive',
  drift: 'Drift',
  measured: 'Measured',
  numbers: 'Areas and budget',
  notes: 'Notes',
  notChecked: 'Not checked',
} as const

/** `4 remarks; no verdict depends on them`. */
export function notesText({ notes }: Pick<Overview, 'notes'>): string {
  return `${counted(notes.length, 'remark')}; no verdict depends on ${notes.length === 1 ? 'it' : 'them'}`
}

/** A run in the order and with the texts of the first page, the terminal and summary.md. */
export interface Overview {
  readonly results: RunResults
  readonly answer: Answer
  /** Target, hosts, time and version. */
  readonly facts: string
  readonly violations: readonly Violation[]
  readonly inconclusive: readonly InconclusiveGroup[]
  /** Differences from the last comparable run; undefined if there is none. */
  readonly drift: Comparison | undefined
  /** The same in one line, with the ids. */
  readonly driftText: string
  /** What changed, in numbers: one sentence. */
  readonly changedText: string
  /** Number of requirements and checks. */
  readonly size: string
  readonly notes: readonly { readonly id: string; readonly text: string }[]
  readonly notChecked: NotChecked
}

export interface Violation {
  readonly requirement: RequirementResult
  /** Its failed checks. */
  readonly checks: readonly CheckRecord[]
  /** Since when; undefined if there is no earlier run to compare with. */
  readonly since: string | undefined
}

/** Inconclusive requirements with one cause, and who can change that. */
export interface InconclusiveGroup {
  readonly cause: Cause
  readonly title: string
  /** Who has to act, and how: one sentence. */
  readonly remedy: string
  /** The command of the remedy, if it has one. */
  readonly command?: string
  readonly reasons: readonly InconclusiveReason[]
}

export interface NotChecked {
  /** Numbers of requirements with the general reasons; undefined if every requirement was checked. */
  readonly text: string | undefined
  /** The commands that list the reasons. */
  readonly commands: readonly string[]
  /** Ids by reason. */
  readonly notApplicable: ReadonlyMap<string, readonly string[]>
  readonly withoutCheck: ReadonlyMap<string, readonly string[]>
}

/**
 * Arranges the results of a run.
 * @param policy the result of the project's release policy; undefined if there is none
 */
export function overviewOf(results: RunResults, drift?: Comparison, policy?: PolicyAnswer): Overview {
  return {
    results,
    answer: answerOf(results, policy),
    facts: factsOf(results),
    violations: violationsOf(results, drift),
    inconclusive: inconclusiveOf(results),
    drift,
    driftText: drift ? driftLine(drift) : 'no earlier run to compare with',
    changedText: drift ? driftSummary(drift) : 'No earlier run to compare with.',
    size: sizeOf(results),
    notes: allChecks(results).flatMap(({ requirement: { id }, check }) =>
      check.notes.map(({ text }) => ({ id, text })),
    ),
    notChecked: notCheckedOf(results),
  }
}

function factsOf({ run }: RunResults): string {
  const time = wallTime(run)
  const hosts = run.hosts.length === 0 ? '' : ` (${run.hosts.join(', ')})`
  return [
    `${capitalized(run.kind)} of ${run.target}${hosts}`,
    minuteOf(run.startedAt),
    ...(time === undefined ? [] : [`took ${duration(time)}`]),
    `Plumbline ${run.version}`,
  ].join(', ')
}

function violationsOf(results: RunResults, drift: Comparison | undefined): Violation[] {
  const failed = Map.groupBy(checksWith(results, 'fail'), ({ requirement }) => requirement)
  return [...failed].map(([requirement, found]) => {
    const known = drift?.violatedSince?.[requirement.id]
    return {
      requirement,
      checks: found.map(({ check }) => check),
      since: known ? sinceText(known) : drift && 'first seen in this run',
    }
  })
}

/** The state and the basis of an answer in one line; may be empty. */
export function besideSentence({ state = '', ground }: Answer): string {
  return `${state} ${ground}`.trim()
}

/** What a line states before and after the ids with a reason: of a follower, the requirement at stake comes first. */
export function aroundIds({ reason, ids, isFollower }: InconclusiveReason): {
  before: string
  after: string
} {
  if (!isFollower) return { before: `${reason}: `, after: '' }
  return { before: '', after: ` ${ids.length === 1 ? reason : reason.replace('follows', 'follow')}` }
}

/** Titles of the causes of inconclusive requirements. */
const causeTitles: Readonly<Record<Cause, string>> = {
  target: 'Follows from a violation',
  configuration: 'Configuration',
  throttled: 'Throttled',
  environment: 'Environment',
  harness: 'A defect of Plumbline',
}

function inconclusiveOf(results: RunResults): InconclusiveGroup[] {
  return inconclusiveByCause(results).map(({ cause, reasons, variables }) => {
    const command = remedyCommand(cause, results, variables)
    const title = causeTitles[cause]
    return { cause, title, remedy: remedies[cause], reasons, ...(command !== undefined && { command }) }
  })
}

/** `460 requirements, 385 of them with 444 checks`. */
function sizeOf(results: RunResults): string {
  const all = results.requirements.length
  const checked = results.requirements.filter(({ checks }) => checks.length > 0).length
  const checks = counted(allChecks(results).length, 'check')
  const requirements = counted(all, 'requirement')
  return checked === all
    ? `${requirements} (${checks})`
    : `${requirements}, ${checked} of them with ${checks}`
}

function notCheckedOf(results: RunResults): NotChecked {
  const { kind, target } = results.run
  const counts = countNotChecked(results)
  // The reasons of a probe run are known only after it.
  const isPlanned = kind === 'check' && counts.notApplicable > 0
  return {
    text: notCheckedText(counts, target) || undefined,
    commands: [
      ...(isPlanned ? [`npx plumbline plan --target ${target}${selectionOptions(results)}`] : []),
      ...(counts.withoutCheck > 0 ? [uncheckedCommand(results)] : []),
    ],
    notApplicable: notApplicableByReason(results),
    withoutCheck: withoutCheckByReason(results),
  }
}
