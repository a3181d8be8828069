import { type Observation, reasonText } from '../check/result.ts'
import type { Cause, Verdict } from '../check/verdict.ts'
import { counted, type Style } from '../text/format.ts'
import type { CheckRecord, RequirementResult, RunResults } from './results.ts'

/** The meaning of each verdict, in the order in which they need attention. */
export const verdictTexts: Readonly<Record<Verdict, string>> = {
  fail: 'the target contradicts the specification',
  inconclusive: 'could not be decided',
  pass: 'observed, and it holds',
  observed: 'recorded, not judged',
  'not-applicable': 'does not apply to this target',
}

/** Styles of verdicts on a terminal. */
export const verdictStyles: Readonly<Record<Verdict, Style>> = {
  fail: ['bold', 'red'],
  inconclusive: 'yellow',
  pass: 'green',
  observed: 'cyan',
  'not-applicable': 'dim',
}

/** Verdicts, those that need attention first. */
export const verdicts = Object.keys(verdictTexts) as Verdict[]

/** An observed value as text. */
export function valueText(value: Observation['value']): string {
  return Array.isArray(value) ? value.join(', ') : String(value)
}

/** Duration of a run in milliseconds; undefined until it is finished. */
export function wallTime({ startedAt, finishedAt }: RunResults['run']): number | undefined {
  return finishedAt === null ? undefined : Date.parse(finishedAt) - Date.parse(startedAt)
}

/** `12 of 500 requests, 1 of 15 logins, never throttled`. */
export function budgetUsed({ budget }: RunResults): string {
  const throttled =
    budget.throttled === 0
      ? 'never throttled'
      : `throttled ${counted(budget.throttled, 'time')}${budget.pace === undefined ? '' : `, at last ${budget.pace} requests/s`}`
  return `${budget.requests} of ${counted(budget.requestCap, 'request')}, ${budget.logins} of ${counted(budget.loginCap, 'login')}, ${throttled}`
}

/** The amount of data behind a verdict: `events: 120, pages: 3`. */
export function basisOf(check: CheckRecord): string {
  return Object.entries(check.basis)
    .map(([what, count]) => `${what}: ${count}`)
    .join(', ')
}

/** A check of a run with its requirement. */
interface CheckInRun {
  readonly requirement: RequirementResult
  readonly check: CheckRecord
}

/** The checks of a run with one verdict, in the order of the requirements. */
export function checksWith(results: RunResults, verdict: Verdict): CheckInRun[] {
  return allChecks(results).filter(({ check }) => check.verdict === verdict)
}

export function allChecks(results: RunResults): CheckInRun[] {
  return results.requirements.flatMap((requirement) =>
    requirement.checks.map((check) => ({ requirement, check })),
  )
}

/** Ids of the requirements without a check. Their reasons are the same in every run. */
export function idsWithoutCheck({ requirements }: RunResults): string[] {
  return requirements.filter(({ checks }) => checks.length === 0).map(({ id }) => id)
}

/** Ids of the requirements with checks that do not apply, by reason; with `(in part)` if other checks apply. */
export function notApplicableByReason(results: RunResults): Map<string, string[]> {
  const byReason = new Map<string, string[]>()
  const add = (reason: string, text: string) => {
    const texts = byReason.get(reason) ?? []
    if (!texts.includes(text)) byReason.set(reason, [...texts, text])
  }
  for (const { id, verdict, checks } of results.requirements) {
    for (const check of checks.filter((one) => one.verdict === 'not-applicable'))
      add(reasonText(check), verdict === 'not-applicable' ? id : `${id} (in part)`)
  }
  return byReason
}

/** The cause of an inconclusive verdict as text; the cause `target` means that it follows from a violation. */
export function inconclusiveCause(cause: Cause | null): string {
  return cause === 'target' ? 'follows from a violation' : (cause ?? '')
}

/** Ids of the requirements with inconclusive checks, by cause and reason. */
export function inconclusiveByReason(results: RunResults): Map<string, string[]> {
  const byReason = new Map<string, string[]>()
  for (const { requirement, check } of checksWith(results, 'inconclusive')) {
    const reason = `${inconclusiveCause(check.cause)}: ${reasonText(check)}`
    const ids = byReason.get(reason) ?? []
    if (!ids.includes(requirement.id)) byReason.set(reason, [...ids, requirement.id])
  }
  return byReason
}
