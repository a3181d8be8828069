import { reasonText } from '../check/result.ts'
import type { RequirementOutcome } from '../results/outcome.ts'
import type { CheckRecord, RequirementResult } from '../results/results.ts'
import { sectionText } from '../results/text.ts'
import { remedies, violationRemedy } from './remedy.ts'

/** One labelled line of a finding. */
export type FindingLine = readonly [
  label: 'request' | 'expected' | 'actual' | 'advice' | 'reason',
  text: string,
]

/**
 * The finding of a check, in reading order: request, expected and actual of a violation, and what to check first, if
 * anything; otherwise the reason of its verdict. Every report renders these lines.
 * @returns empty if the verdict needs no explanation
 */
export function findingLines(
  check: Pick<CheckRecord, 'finding' | 'reason' | 'advice' | 'dependsOn'>,
): FindingLine[] {
  const { finding } = check
  if (finding === null) {
    const reason = reasonText(check)
    return reason === '' ? [] : [['reason', reason]]
  }
  return [
    ...(finding.request === null ? [] : [['request', finding.request] as const]),
    ['expected', finding.expected],
    ['actual', finding.actual],
    ...(check.advice === null ? [] : [['advice', check.advice] as const]),
  ]
}

/** Who has to act on a violated or inconclusive check. */
export function actionLines({
  verdict,
  cause,
}: Pick<RequirementOutcome, 'verdict' | 'cause'>): (readonly [label: 'action', text: string])[] {
  if (verdict === 'fail') return [['action', violationRemedy]]
  return verdict === 'inconclusive' ? [['action', remedies[cause ?? 'environment']]] : []
}

/** A finding as plain text: its lines between the requirement and the command that repeats the check. */
export function findingText({
  requirement: { id, section, statement },
  check,
}: {
  readonly requirement: Pick<RequirementResult, 'id' | 'section' | 'statement'>
  readonly check: CheckRecord
}): string {
  return [
    ['requirement', `${statement} (${id}, ${sectionText(section)})`],
    ...findingLines(check),
    ...actionLines(check),
    ['repeat', check.reproduce],
  ]
    .map(([label, text]) => `${label}: ${text}`)
    .join('\n')
}
