import type { Verdict } from '../check/verdict.ts'
import { countApplicable } from '../results/applicable.ts'
import type { RequirementResult, RunResults } from '../results/results.ts'
import { areasText, isInScope } from '../results/scope.ts'
import { counted, someOf } from '../text/format.ts'
import { nearName } from '../text/near-name.ts'
import type { Coverage, PolicyFinding, ReleaseDecision } from './decision.ts'
import { age, percent } from './grounds.ts'
import type { Minimum, Policy } from './policy.ts'
import { hasExpired, type Waiver } from './waivers.ts'

/** A run may end up to this many milliseconds in the future, because the clocks of two machines differ. */
const clockTolerance = 5 * 60_000

/** Whether a run has another target or kind than the policy requires. The violations of such a run decide nothing. */
export function isForeign({ target, kind }: RunResults['run'], policy: Policy): boolean {
  return target !== policy.target || kind !== policy.kind
}

/** A requirement, with the members that decide whether a policy covers it. */
export type CatalogueEntry = Pick<RequirementResult, 'id' | 'area' | 'level'>

interface PolicyQuestion {
  readonly policy: Policy
  /** Ids of all requirements of this version of Plumbline and of the run. */
  readonly known: readonly string[]
  readonly now: Date
}

/** Why a run is unsuitable for the policy: a finding for each condition that it does not meet. */
export function runFindings(
  { run, requirements }: RunResults,
  { policy, known, now }: PolicyQuestion,
): PolicyFinding[] {
  const ageMs = now.getTime() - Date.parse(run.finishedAt ?? run.startedAt)
  const maxMs = policy.maximumAgeHours * 3_600_000
  const { only } = run.selection
  // The run stores the areas as the user typed them, in upper or lower case.
  const areas = run.selection.areas.map((area) => area.toLowerCase())
  // A policy without areas covers all areas, so a run that selected areas does not suffice.
  const missingAreas = policy.areas?.filter((area) => !areas.includes(area))
  const inRun = new Set(requirements.map(({ id }) => id))
  const notInRun = new Set(known.filter((id) => !inRun.has(id))).size
  const selectedOnly = (what: string) =>
    notInRun === 0
      ? `the run selected only ${what}`
      : `the run selected only ${inRun.size} of ${counted(inRun.size + notInRun, 'requirement')}: ${what}`
  const rules: readonly (readonly [isBroken: boolean, text: string])[] = [
    [
      run.target !== policy.target,
      `the run checked the target ${run.target}, but the policy requires ${policy.target}`,
    ],
    [run.kind !== policy.kind, `the run is a ${run.kind} run, but the policy requires a ${policy.kind} run`],
    [!run.completed, 'the run is incomplete'],
    [ageMs > maxMs, `the run ended ${age(ageMs)} ago, and the policy allows ${age(maxMs)}`],
    [ageMs < -clockTolerance, `the end of the run is ${age(-ageMs)} in the future, so a clock is wrong`],
    [only.length > 0, selectedOnly(someOf(only))],
    [
      areas.length > 0 && (missingAreas === undefined || missingAreas.length > 0),
      selectedOnly(areasText(areas)),
    ],
  ]
  return rules.flatMap(([isBroken, text]) =>
    isBroken ? [{ effect: 'undecided', subject: 'run', requirement: null, text }] : [],
  )
}

/**
 * Coverage of the requirements, overall and by area.
 * @param waivedIds ids of the violated and inconclusive requirements with a waiver
 * @param followingWaivedIds ids of the requirements that are inconclusive because of waived ones
 */
export function coverageOf(
  requirements: readonly RequirementResult[],
  waivedIds: ReadonlySet<string>,
  followingWaivedIds: ReadonlySet<string>,
): ReleaseDecision['coverage'] {
  const coverage = (group: readonly RequirementResult[]): Coverage => {
    const { applicable, inconclusive, observed } = countApplicable(group)
    const inconclusiveIn = (ids: ReadonlySet<string>) =>
      countApplicable(group.filter(({ id }) => ids.has(id))).inconclusive
    const decided = applicable - inconclusive
    const following = inconclusiveIn(followingWaivedIds)
    // `waived` also counts the requirements that follow from waived ones.
    const waived = inconclusiveIn(waivedIds) + following
    const share = applicable === 0 ? null : (decided + waived) / applicable
    return { applicable, decided, waived, following, observed, share }
  }
  const areas = Map.groupBy(requirements, ({ area }) => area)
  return {
    ...coverage(requirements),
    areas: Object.fromEntries([...areas].map(([area, group]) => [area, coverage(group)])),
  }
}

/** A finding for each minimum of the policy that a run does not reach, and for areas without a judged requirement. */
export function coverageFindings(coverage: ReleaseDecision['coverage'], policy: Policy): PolicyFinding[] {
  const areas = new Set([
    ...(policy.areas ?? []),
    ...Object.keys(policy.minimumCoverage.areas ?? {}),
    ...Object.keys(policy.minimumApplicable.areas ?? {}),
  ])
  const texts = [undefined, ...areas].flatMap((area) => shortfalls(coverage, policy, area))
  return texts.map((text) => ({ effect: 'undecided', subject: 'coverage', requirement: null, text }))
}

/**
 * The minimums of a policy that a run does not reach, each as a text; or that no requirement was judged.
 * @param area undefined for all areas together
 */
function shortfalls(coverage: ReleaseDecision['coverage'], policy: Policy, area?: string): string[] {
  const [where, counts] = area === undefined ? ['', coverage] : [` in the area ${area}`, coverage.areas[area]]
  // The share is null if no requirement was checked.
  if (!counts || counts.share === null) return [`no requirement was judged${where}`]
  const minimumOf = ({ overall = 0, areas = {} }: Minimum) =>
    area === undefined ? overall : (areas[area] ?? 0)
  // If inconclusive requirements block, each has its own finding, which a finding on low coverage would only repeat.
  const inconclusiveBlocks = policy.inconclusive === 'block'
  const minimumShare = inconclusiveBlocks ? 0 : minimumOf(policy.minimumCoverage)
  const minimumChecked = minimumOf(policy.minimumApplicable)
  const judgedOrWaived = `${counts.decided + counts.waived} of ${counts.applicable}`
  const texts = [
    ...(counts.share < minimumShare
      ? [
          `the coverage${where} is ${percent(counts.share)}${where === '' ? '' : ` (${judgedOrWaived})`}, but the policy requires ${percent(minimumShare)}`,
        ]
      : []),
    ...(counts.applicable < minimumChecked
      ? [
          `${counted(counts.applicable, 'requirement')} ${counts.applicable === 1 ? 'was' : 'were'} checked${where}, but the policy requires ${minimumChecked}`,
        ]
      : []),
  ]
  if (counts.decided > 0 || texts.length > 0) return texts
  // If inconclusive requirements block, each without a waiver has its own finding.
  const hasOtherFindings = inconclusiveBlocks && counts.waived < counts.applicable
  return hasOtherFindings ? [] : [`no requirement was judged${where}`]
}

/** The finding on a run that selected everything, but lacks requirements of this version of Plumbline. */
export function absentFindings(
  { run, requirements }: RunResults,
  policy: Policy,
  catalogue: readonly CatalogueEntry[],
): PolicyFinding[] {
  const { only, areas } = run.selection
  if (isForeign(run, policy) || only.length > 0 || areas.length > 0) return []
  const inRun = new Set<string>(requirements.map(({ id }) => id))
  const absent = catalogue.filter((one) => isInScope(one, policy) && !inRun.has(one.id))
  if (absent.length === 0) return []
  const text = `the run does not contain ${counted(absent.length, 'requirement')} of this version of Plumbline (${someOf(absent.map(({ id }) => id))}): start a new run to check ${absent.length === 1 ? 'it' : 'them'}`
  return [{ effect: 'noted', subject: 'coverage', requirement: null, text }]
}

/** Findings on waivers that are invalid or no longer needed. docs/gating.md lists the findings that block. */
export function waiverFindings(
  waivers: readonly Waiver[],
  { results, policy, known, now }: PolicyQuestion & { readonly results: RunResults },
): PolicyFinding[] {
  const verdicts = new Map(results.requirements.map(({ id, verdict }) => [id, verdict]))
  const defaultWeight = policy.waiverFindings === 'block' ? 'undecided' : 'noted'
  return waivers.flatMap((waiver) => {
    const { requirement, target, expires, owner } = waiver
    const subject = `the waiver of ${requirement}`
    const finding = (text: string, effect: PolicyFinding['effect'] = defaultWeight) => [
      { effect, subject: 'waiver', requirement, text } as const,
    ]
    const verdict = verdicts.get(requirement)
    const unneeded = whyUnneeded(verdict)
    if (verdict === undefined && !known.includes(requirement))
      return finding(
        `${subject} matches nothing: there is no such requirement; ${nearest(requirement, known)}`,
      )
    if (target !== results.run.target) return []
    if (hasExpired(waiver, now))
      return finding(`${subject} expired on ${expires}${afterExpiry(verdict, owner)}`)
    if (verdict === undefined)
      return finding(`${subject} matches nothing: this run does not contain the requirement`)
    if (unneeded !== undefined) return finding(`${subject} is no longer needed: ${unneeded}`)
    if (verdict === 'not-applicable')
      return finding(`${subject} was not needed: the requirement was not applicable in this run`, 'noted')
    return []
  })
}

/** Why a requirement with this verdict needs no waiver, and what to do; undefined if it may need a waiver. */
function whyUnneeded(verdict: Verdict | undefined): string | undefined {
  if (verdict === 'pass') return 'the requirement holds, so remove the waiver'
  return verdict === 'observed' ? 'the requirement is only observed, so remove the waiver' : undefined
}

/** What to do after a waiver has expired. */
function afterExpiry(verdict: Verdict | undefined, owner: string): string {
  const unneeded = whyUnneeded(verdict)
  if (unneeded !== undefined) return `; ${unneeded}`
  if (verdict === 'fail') return `: fix the violation, or ask its owner (${owner}) to renew it`
  return `: its owner (${owner}) must renew or remove it`
}

function nearest(requirement: string, known: readonly string[]): string {
  const near = nearName(requirement, known)
  return near === undefined ? '`npx plumbline list` shows all requirements' : `the nearest is ${near}`
}
