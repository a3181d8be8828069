import { noteText, reasonText } from '../check/result.ts'
import type { CheckRecord, RequirementOutcome, RequirementResult } from '../results/results.ts'
import { basisOf, sectionText } from '../results/text.ts'
import { counted } from '../text/format.ts'
import { missingDependencyRemedy, remedies, remedyOfViolations } from './remedy.ts'

// The rows of a finding, such as `expected: status 400`, in reading order. Each report renders them in its own form.

/** A command. It stays on one line, so that it can be copied. */
interface Command {
  readonly command: string
}

export type Row = readonly [label: string, content: string | Command]

/** The parts of a violation, in reading order. */
interface Violation {
  readonly requirement: readonly Row[]
  /** The rows of each failed check. */
  readonly checks: readonly (readonly Row[])[]
  readonly repeat: readonly Row[]
}

export function violationOf(
  requirement: Pick<RequirementResult, 'statement' | 'interpretation'>,
  checks: readonly CheckRecord[],
): Violation {
  return {
    requirement: [['requirement', requirement.statement], ...interpretationRows(requirement)],
    checks: checks.map(checkRows),
    repeat: repeatRows(checks),
  }
}

/** Why a check may expect more than the statement of its requirement, or less. */
export function interpretationRows({ interpretation }: Pick<RequirementResult, 'interpretation'>): Row[] {
  return interpretation === undefined ? [] : [['interpretation', interpretation]]
}

function checkRows(check: CheckRecord): Row[] {
  return [['check', check.name], ...findingRows(check)]
}

/**
 * The finding of a violation: request, expected, actual, and advice if there is any. For other verdicts, the reason.
 * @returns empty if the verdict has no reason
 */
export function findingRows(check: Pick<CheckRecord, 'finding' | 'reason' | 'advice' | 'dependsOn'>): Row[] {
  const { finding, advice } = check
  if (finding === null) {
    const reason = reasonText(check)
    return reason === '' ? [] : [['reason', reason]]
  }
  const { request, expected, actual } = finding
  return [
    ...(request === null ? [] : [['request', request] as const]),
    ['expected', expected],
    ['actual', actual],
    ...(advice === null ? [] : [['advice', advice] as const]),
  ]
}

/** What a check recorded besides its finding: remarks, the amount of data behind its verdict, and its random seed. */
export function recordedRows(check: CheckRecord): Row[] {
  const basis = basisOf(check)
  return [
    ...check.notes.map((note) => ['note', noteText(note)] as const),
    ...(basis === '' ? [] : [['based on', basis] as const]),
    ...(check.seed === undefined
      ? []
      : [['random seed', `${check.seed} (SEED=${check.seed} repeats the same random choices)`] as const]),
  ]
}

/**
 * Who has to act on a failed or inconclusive check.
 * @param missing requirements on which the check depends, but which the run did not contain
 */
export function actionRows(
  {
    verdict,
    cause,
    advice = null,
  }: Pick<RequirementOutcome, 'verdict' | 'cause'> & Partial<Pick<CheckRecord, 'advice'>>,
  missing: readonly string[] = [],
): Row[] {
  if (verdict === 'fail') return [['action', remedyOfViolations([advice])]]
  if (verdict !== 'inconclusive') return []
  return [['action', missing.length > 0 ? missingDependencyRemedy : remedies[cause ?? 'environment']]]
}

/**
 * The commands that repeat checks. Commands for failed checks come first. Checks have different commands if they need
 * different effects. A check that judges requests of other checks needs a command that repeats these checks, too.
 */
export function repeatRows(checks: readonly CheckRecord[]): Row[] {
  const commands = [...Map.groupBy(checks, ({ reproduce }) => reproduce)]
  const { failed = [], other = [] } = Object.groupBy(commands, ([, repeated]) =>
    repeated.some(({ verdict }) => verdict === 'fail') ? 'failed' : 'other',
  )
  const isMixed = failed.length > 0 && other.length > 0
  const row = ([command, repeated]: (typeof commands)[number], kind: 'failed' | 'other'): Row => [
    isMixed
      ? `repeat the ${kind} ${countOf(repeated, kind) === 1 ? 'check' : 'checks'}`
      : commands.length > 1
        ? `repeat (${repeated.length} of ${counted(checks.length, 'check')})`
        : 'repeat',
    { command },
  ]
  return [...failed.map((one) => row(one, 'failed')), ...other.map((one) => row(one, 'other'))]
}

/** The number of failed checks. For the kind `other`, the number of all given checks: none of these failed. */
function countOf(checks: readonly CheckRecord[], kind: 'failed' | 'other'): number {
  return kind === 'other' ? checks.length : checks.filter(({ verdict }) => verdict === 'fail').length
}

/** `section "Authentication", item 5; newly violated` */
export function whereText(section: string, since: string | undefined): string {
  return [sectionText(section), since ?? []].flat().join('; ')
}

/** A requirement with its id and section, for texts without a heading that states them. */
export function requirementRow(
  { id, section, statement }: Pick<RequirementResult, 'id' | 'section' | 'statement'>,
  since?: string,
): Row {
  return ['requirement', `${statement} (${id}, ${whereText(section, since)})`]
}

/**
 * A check with its requirement as plain text.
 * @param since when the violation began: `newly violated`, `since 2026-11-19 03:00 UTC (3 runs)`; undefined if unknown
 * @param missing requirements on which the check depends, but which the run did not contain
 */
export function findingText(
  requirement: Parameters<typeof requirementRow>[0] & Pick<RequirementResult, 'interpretation'>,
  check: CheckRecord,
  since?: string,
  missing?: readonly string[],
): string {
  return rowsText([
    requirementRow(requirement, since),
    ...interpretationRows(requirement),
    ...checkRows(check),
    ...actionRows(check, missing),
    ...repeatRows([check]),
  ])
}

export function rowsText(rows: readonly Row[]): string {
  return rows
    .map(([label, content]) => `${label}: ${typeof content === 'string' ? content : content.command}`)
    .join('\n')
}
