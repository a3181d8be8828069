import { type Observation, reasonText } from '../check/result.ts'
import { type Cause, countVerdicts, type Verdict } from '../check/verdict.ts'
import { counted, type Style } from '../text/format.ts'
import { requirementOutcome } from './outcome.ts'
import type { CheckRecord, RequirementResult, RunResults } from './results.ts'
import { rootCauses, violatedRoots } from './root-cause.ts'

/** The meaning of each verdict, in the order in which they need attention. */
export const verdictTexts: Readonly<Record<Verdict, string>> = {
  fail: 'the target contradicts the requirement',
  inconclusive: 'Plumbline could not judge; the cause and the reason state why',
  pass: 'the target behaves as the requirement states',
  observed: 'recorded, never judged',
  'not-applicable': 'not checked in this run; the reason states why',
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
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ')
  return value === '' ? 'empty' : String(value)
}

/** A section of the specification: `section "Authentication, 5"`. */
export function sectionText(section: string): string {
  return `section "${section}"`
}

/** Duration of a run in milliseconds; undefined until it is finished. */
export function wallTime({ startedAt, finishedAt }: RunResults['run']): number | undefined {
  return finishedAt === null ? undefined : Date.parse(finishedAt) - Date.parse(startedAt)
}

/** `12 of 500 requests, 1 of 15 logins, never throttled`. */
export function budgetUsed(results: RunResults): string {
  const { budget } = results
  const throttled =
    budget.throttled === 0
      ? 'never throttled'
      : `throttled ${counted(budget.throttled, 'time')}${slowdownText(results)}`
  return `${budget.requests} of ${counted(budget.requestCap, 'request')}, ${budget.logins} of ${counted(budget.loginCap, 'login')}, ${throttled}`
}

/** `; Plumbline slowed down to 2.13 requests/s`; empty if it did not. */
export function slowdownText({ budget: { pace } }: RunResults): string {
  return pace === undefined ? '' : `; Plumbline slowed down to ${pace} requests/s`
}

/** The amount of data behind a verdict: `120 events, 3 pages`. */
export function basisOf(check: CheckRecord): string {
  return Object.entries(check.basis)
    .map(([what, count]) => (what === 'seed' ? `random seed ${count}` : `${count} ${unitOf(what, count)}`))
    .join(', ')
}

/** The unit of a basis, which is stored as a plural: `1 event`, `2 key sets`, `1 search`. */
function unitOf(what: string, count: number): string {
  return count === 1 ? what.replace(/(?<=ch|sh|ss|x)es$|(?<=[^s])s$/, '') : what
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

/** Ids of the requirements without a check, by the reason, which is the same in every run. */
export function withoutCheckByReason({ requirements }: RunResults): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const { id, verdict, reason, checks } of requirements) {
    if (checks.length > 0 || verdict !== 'not-applicable') continue
    const key = reason ?? 'no reason is recorded'
    found.set(key, [...(found.get(key) ?? []), id])
  }
  return found
}

/** Ids of the requirements with checks that do not apply, by reason; with `(in part)` if other checks apply. */
export function notApplicableByReason(results: RunResults): Map<string, string[]> {
  const byReason = new Map<string, string[]>()
  const add = (reason: string, text: string) => {
    const texts = byReason.get(reason) ?? []
    if (!texts.includes(text)) byReason.set(reason, [...texts, text])
  }
  for (const { id, verdict, checks } of results.requirements) {
    const found = checks.filter((one) => one.verdict === 'not-applicable')
    // A requirement is listed once, with its first reason; its row of the requirements page shows all.
    if (verdict === 'not-applicable') for (const check of found.slice(0, 1)) add(reasonText(check), id)
    else for (const check of found) add(reasonText(check), `${id} (in part)`)
  }
  return byReason
}

/** `follows from IDTOKEN-ISSUER: the ID token of the code exchange already violates it` */
export function followsText(violated: readonly string[], reason: string | null): string {
  return `follows from ${violated.join(', ') || 'a violation'}${reason === null ? '' : `: ${reason}`}`
}

/** Why requirements are inconclusive: one reason may stop many. */
export interface InconclusiveReason {
  readonly reason: string
  /** Ids of the requirements. */
  readonly ids: readonly string[]
  /** Whether the reason is a `followsText`. */
  readonly isFollower: boolean
}

/** Inconclusive requirements with one cause. */
interface InconclusiveCause {
  readonly cause: Cause
  readonly reasons: readonly InconclusiveReason[]
  /** Variables that may be wrong. */
  readonly variables: ReadonlySet<string>
}

/** The order in which causes are shown: the first explain others. */
const causes: readonly Cause[] = ['harness', 'target', 'configuration', 'throttled', 'environment']

/** Requirements with inconclusive checks, or of which the run finished none, by root cause and its reason. */
export function inconclusiveByCause(results: RunResults): InconclusiveCause[] {
  const roots = rootCauses(results.requirements)
  const violated = violatedRoots(results.requirements)
  const found: {
    id: string
    cause: Cause
    reason: string
    isFollower: boolean
    variables: readonly string[]
  }[] = []
  for (const requirement of results.requirements) {
    const { id, verdict, checks } = requirement
    for (const check of checks) {
      const root = roots.get(check)
      // The reason of a check that depends on others would send the reader from one requirement to the next.
      if (root === undefined) continue
      const { cause, check: rootCheck } = root
      const isFollower = cause === 'target' && rootCheck.dependsOn.length > 0
      const reason = isFollower ? followsText(violated(rootCheck), rootCheck.reason) : reasonText(rootCheck)
      found.push({ id, cause, reason, isFollower, variables: rootCheck.variables ?? [] })
    }
    const { cause, reason } = requirementOutcome(requirement)
    if (verdict === 'inconclusive' && checks.length === 0)
      found.push({
        id,
        cause: cause ?? 'environment',
        reason: reason ?? '',
        isFollower: false,
        variables: [],
      })
  }
  const byCause = Map.groupBy(found, ({ cause }) => cause)
  return causes.flatMap((cause) => {
    const ofCause = byCause.get(cause)
    if (!ofCause) return []
    const reasons = [...Map.groupBy(ofCause, ({ reason }) => reason)].map(([reason, some]) => ({
      reason,
      ids: [...new Set(some.map(({ id }) => id))],
      isFollower: some.some(({ isFollower }) => isFollower),
    }))
    return [{ cause, reasons, variables: new Set(ofCause.flatMap(({ variables }) => variables)) }]
  })
}

/** How many requirements of an area have each verdict. */
interface AreaCounts {
  readonly area: string
  readonly counts: Readonly<Record<Verdict, number>>
}

/** The areas of a run, in its order, with their requirements by verdict. */
export function countsByArea({ requirements }: RunResults): AreaCounts[] {
  const areas = Map.groupBy(requirements, ({ area }) => area)
  return [...areas].map(([area, ofArea]) => ({ area, counts: countVerdicts(ofArea) }))
}
