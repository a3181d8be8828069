import { catalogue } from '../check/catalogue.ts'
import { noteText } from '../check/result.ts'
import type { Cause } from '../check/verdict.ts'
import type { Comparison } from '../compare/compare.ts'
import { driftLine, driftSummary, notComparedText } from '../compare/sentences.ts'
import { newViolationText, sinceText } from '../compare/text.ts'
import type { PolicyAnswer } from '../release/gate.ts'
import { followsText, type InconclusiveReason, inconclusiveByCause } from '../results/inconclusive.ts'
import {
  countNotChecked,
  idsIn,
  notCheckedByReason,
  notCheckedText,
  partlyCheckedByReason,
} from '../results/not-checked.ts'
import { allChecks, checksWith } from '../results/queries.ts'
import type { CheckRecord, RequirementResult, RunResults } from '../results/results.ts'
import { runCommand } from '../results/run-command.ts'
import { runFacts } from '../results/text.ts'
import { capitalized, counted } from '../text/format.ts'
import { type Answer, answerOf } from './answer.ts'
import {
  commandForAll,
  missingDependencyRemedy,
  remedies,
  remedyCommand,
  remedyOfViolations,
  selectionOptions,
  uncheckedCommand,
} from './remedy.ts'

export const headings = {
  violated: 'Violated',
  inconclusive: 'Inconclusive',
  drift: 'Drift',
  measured: 'Measured',
  numbers: 'Areas and budget',
  notes: 'Notes',
  notChecked: 'Not checked',
  partlyChecked: 'Checked in part',
} as const

/** The number of notes, for the place after their heading: `4; no verdict depends on them`. */
export function notesText({ notes }: Pick<Overview, 'notes'>): string {
  return `${notes.length}; no verdict depends on ${notes.length === 1 ? 'it' : 'them'}`
}

/** What the first page of the HTML report, the summary on the terminal and summary.md show of a run. */
export interface Overview {
  readonly results: RunResults
  readonly answer: Answer
  /** Target, hosts, time and version. */
  readonly facts: string
  readonly violations: readonly ViolatedRequirement[]
  /** Who has to act on the violations. */
  readonly violationRemedy: string
  readonly inconclusive: readonly InconclusiveGroup[]
  /** Differences from the last comparable run; undefined if there is none. */
  readonly drift: Comparison | undefined
  /** The drift in one line, with the ids. */
  readonly driftText: string
  /** What changed, in numbers: one sentence. */
  readonly changedText: string
  readonly size: Size
  /** Notes of probes: what they measured. */
  readonly measured: readonly NoteOfRequirement[]
  /** Notes of checks, which change no verdict. */
  readonly notes: readonly NoteOfRequirement[]
  readonly notChecked: NotChecked
}

/** Two parts of a sentence about the size of a run. A report may state the verdicts between them. */
interface Size {
  /** `460 requirements` */
  readonly requirements: string
  /** `554 checks (75 requirements have no check)` */
  readonly checks: string
}

interface NoteOfRequirement {
  readonly id: string
  readonly text: string
}

export interface ViolatedRequirement {
  readonly requirement: RequirementResult
  /** Failed checks of the requirement. */
  readonly checks: readonly CheckRecord[]
  /** `since 2026-11-19 03:00 UTC (3 runs)`, `newly violated`; undefined if there is no earlier run to compare with. */
  readonly since: string | undefined
}

/** Inconclusive requirements with one cause, and who has to act. */
export interface InconclusiveGroup {
  readonly cause: Cause
  readonly title: string
  /** Who has to act, and how: one sentence. */
  readonly remedy: string
  /** The command of the remedy, if it has one. */
  readonly command?: string
  readonly reasons: readonly Reason[]
}

/** A line with the ids of requirements, and the texts before and after the ids. */
export interface Reason {
  readonly before: string
  readonly ids: readonly string[]
  readonly after: string
}

export interface NotChecked {
  /** Numbers of requirements by kind of reason; undefined if every requirement was checked. */
  readonly text: string | undefined
  /** Number of requirements. */
  readonly count: number
  /** The level must, then all other levels together. */
  readonly levels: readonly UncheckedLevel[]
  /** The command that lists why checks would not run; undefined for a probe run, or if every check was applicable. */
  readonly planCommand: string | undefined
  /** The command that lists the requirements without a check; undefined if each requirement has a check. */
  readonly listCommand: string | undefined
  /** Requirements with some checks that were applicable, and others that were not. `text` and `count` omit them. */
  readonly inPart: {
    /** `6 requirements: some of their checks did not apply; …`; undefined if there is none. */
    readonly text: string | undefined
    readonly reasons: readonly Reason[]
  }
}

/** The requirements of one or more levels that were not checked. */
interface UncheckedLevel {
  /** `Level must (57)` */
  readonly title: string
  readonly notApplicable: readonly Reason[]
  readonly withoutCheck: readonly Reason[]
}

/**
 * Arranges the results of a run.
 * @param policy the result of the project's release policy; undefined if there is none
 */
export function overviewOf(results: RunResults, drift?: Comparison, policy?: PolicyAnswer): Overview {
  const notes = allChecks(results).flatMap(({ requirement: { id }, check }) =>
    check.notes.map((note) => ({ id, text: noteText(note), isMeasured: check.probe !== undefined })),
  )
  const notCompared = notComparedText(results.run)
  const violations = violationsOf(results, drift)
  const failed = violations.flatMap(({ checks }) => checks)
  return {
    results,
    answer: answerOf(results, policy),
    facts: runFacts(results.run),
    violations,
    violationRemedy: remedyOfViolations(failed.map(({ advice }) => advice)),
    inconclusive: inconclusiveOf(results),
    drift,
    driftText: drift ? driftLine(drift) : notCompared,
    changedText: drift ? driftSummary(drift) : `${capitalized(notCompared)}.`,
    size: sizeOf(results),
    measured: notes.filter(({ isMeasured }) => isMeasured),
    notes: notes.filter(({ isMeasured }) => !isMeasured),
    notChecked: notCheckedOf(results),
  }
}

function violationsOf(results: RunResults, drift: Comparison | undefined): ViolatedRequirement[] {
  const failed = Map.groupBy(checksWith(results, 'fail'), ({ requirement }) => requirement)
  return [...failed].map(([requirement, ofRequirement]) => {
    const start = drift?.violatedSince?.[requirement.id]
    return {
      requirement,
      checks: ofRequirement.map(({ check }) => check),
      since: start ? sinceText(start) : drift && newViolationText(drift, requirement.id),
    }
  })
}

/** The state and the basis of an answer in one line; may be empty. */
export function stateAndBasis({ state = '', basis }: Answer): string {
  return `${state} ${basis}`.trim()
}

/** `the budget is spent: A, B`. For requirements that follow from violated ones: `A, B follow from C: …`. */
function reasonOf({ reason, ids, follows }: InconclusiveReason): Reason {
  if (follows === undefined) return { before: `${reason}: `, ids, after: '' }
  return { before: '', ids, after: ` ${followsText(follows, reason, ids.length)}` }
}

const causeTitles: Readonly<Record<Cause, string>> = {
  // These requirements follow from a violated requirement, or have the same finding as that requirement.
  target: 'Explained by a violation',
  configuration: 'Configuration',
  throttled: 'Throttled',
  environment: 'Environment',
  harness: 'A defect of Plumbline',
}

function inconclusiveOf(results: RunResults): InconclusiveGroup[] {
  const areas = new Map(results.requirements.map(({ id, area }) => [id, area]))
  const areaOf = (id: string) => areas.get(id) ?? catalogue.requirements.get(id)?.area
  return inconclusiveByCause(results).map(({ cause, together, reasons, variables }) => {
    // `together`: requirements to select in one run, because some depend on others that this run did not select.
    const command = together
      ? commandForAll(results, together, areaOf)
      : remedyCommand(cause, results, variables)
    return {
      cause,
      title: together ? 'Depends on requirements that this run did not select' : causeTitles[cause],
      remedy: together ? missingDependencyRemedy : remedies[cause],
      ...(command !== undefined && { command }),
      reasons: reasons.map(reasonOf),
    }
  })
}

function sizeOf(results: RunResults): Size {
  const all = results.requirements.length
  const withoutCheck = results.requirements.filter(({ checks }) => checks.length === 0).length
  const checks = counted(allChecks(results).length, 'check')
  const have = withoutCheck === 1 ? 'has' : 'have'
  const remark = withoutCheck === 0 ? '' : ` (${counted(withoutCheck, 'requirement')} ${have} no check)`
  return { requirements: counted(all, 'requirement'), checks: `${checks}${remark}` }
}

function notCheckedOf(results: RunResults): NotChecked {
  const { requirements, run } = results
  const counts = countNotChecked(results)
  const partly = partlyCheckedByReason(requirements)
  // `plan` cannot predict the reasons of a probe run.
  const hasPlanCommand = run.kind === 'check' && counts.notApplicable > 0
  return {
    text: notCheckedText(results) || undefined,
    count: counts.notApplicable + counts.withoutCheck,
    levels: [true, false].flatMap((isMust) => uncheckedLevel(requirements, isMust)),
    planCommand: hasPlanCommand ? runCommand('plan', run, selectionOptions(results)) : undefined,
    listCommand: counts.withoutCheck > 0 ? uncheckedCommand(run.selection) : undefined,
    inPart: {
      text: inPartText(new Set(idsIn(partly)).size),
      reasons: partly.map(reasonOf),
    },
  }
}

/** The level must, or all other levels. Empty if all requirements of these levels were checked. */
function uncheckedLevel(requirements: readonly RequirementResult[], isMust: boolean): UncheckedLevel[] {
  const unchecked = notCheckedByReason(requirements.filter(({ level }) => (level === 'must') === isMust))
  const count = idsIn(unchecked).length
  if (count === 0) return []
  return [
    {
      title: `${isMust ? 'Level must' : 'Other levels'} (${count})`,
      notApplicable: unchecked.filter(({ kind }) => kind !== 'withoutCheck').map(reasonOf),
      withoutCheck: unchecked.filter(({ kind }) => kind === 'withoutCheck').map(reasonOf),
    },
  ]
}

function inPartText(count: number): string | undefined {
  if (count === 0) return undefined
  return `${counted(count, 'requirement')}: some of ${count === 1 ? 'its' : 'their'} checks did not apply; the other checks decide the verdict`
}
