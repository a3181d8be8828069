import { selects } from '../check/selection.ts'
import { isConclusive, requirementOutcome } from '../results/outcome.ts'
import type { RequirementResult, RunResults } from '../results/results.ts'
import { SetupError } from '../target/problem.ts'
import type { ComparedRun, Comparison, VerdictDifference } from './comparison.ts'
import { compareObservations } from './observations.ts'

/** Compares two completed runs. */
export function compare(before: RunResults, after: RunResults): Comparison {
  const earlier = byId(before)
  const later = byId(after)
  const pairs = [...earlier.values()]
    .flatMap((one) => {
      const other = later.get(one.id)
      return other ? [[one, other] as const] : []
    })
    .sort(([one], [other]) => (one.id < other.id ? -1 : 1))
  const conclusiveInBoth = new Set(
    pairs.filter((pair) => pair.every(({ verdict }) => isConclusive(verdict))).map(([{ id }]) => id),
  )
  const differences = Map.groupBy(
    pairs.flatMap(([one, other]) => differenceOf(one, other) ?? []),
    partOf,
  )
  const changed = differences.get('changed') ?? []
  const observations = compareObservations(before, after, conclusiveInBoth)
  const onlyAfter = onlyIn(later, earlier, selects(before.run.selection))
  const onlyBefore = onlyIn(earlier, later, selects(after.run.selection))
  return {
    formatVersion: 1,
    before: factsOf(before),
    after: factsOf(after),
    differsIn: (['target', 'hosts', 'version', 'selection'] as const).filter(
      (fact) => JSON.stringify(before.run[fact]) !== JSON.stringify(after.run[fact]),
    ),
    changed,
    undecided: differences.get('undecided') ?? [],
    applicability: differences.get('applicability') ?? [],
    observations: observations.differences,
    appeared: onlyAfter.selected,
    vanished: onlyBefore.selected,
    notSelected: { before: onlyAfter.unselected, after: onlyBefore.unselected },
    alike: { requirements: conclusiveInBoth.size - changed.length, observations: observations.alike },
  }
}

/** @throws {SetupError} if a run is incomplete, or one is a check run and the other a probe run */
export function requireComparable(before: RunResults, after: RunResults): void {
  const refuse = (name: string, what: string) => {
    throw new SetupError({ name, what })
  }
  for (const [name, { run }] of Object.entries({ RUN_A: before, RUN_B: after }))
    if (!run.completed) refuse(name, `${run.id} is incomplete: compare completed runs`)
  const [one, other] = [before.run, after.run]
  if (one.kind !== other.kind)
    refuse(
      'RUN_A',
      `${one.id} is a ${one.kind} run and RUN_B ${other.id} is a ${other.kind} run: name two runs of the same kind`,
    )
}

/** The part of a comparison that a difference belongs to. */
function partOf({ before, after }: VerdictDifference): 'changed' | 'undecided' | 'applicability' {
  const verdicts = [before.verdict, after.verdict]
  if (verdicts.includes('not-applicable')) return 'applicability'
  return verdicts.includes('inconclusive') ? 'undecided' : 'changed'
}

function differenceOf(before: RequirementResult, after: RequirementResult): VerdictDifference | undefined {
  const outcomes = { before: requirementOutcome(before), after: requirementOutcome(after) }
  const verdictsOf = ({ checks }: RequirementResult) =>
    new Map(checks.map(({ name, verdict }) => [name, verdict]))
  const [earlier, later] = [verdictsOf(before), verdictsOf(after)]
  const checks = [...new Set([...earlier.keys(), ...later.keys()])]
    .sort()
    .map((name) => ({ name, before: earlier.get(name) ?? null, after: later.get(name) ?? null }))
    .filter((check) => check.before !== check.after)
  // The requirement stays violated, but differs, if one check turns red and another turns green.
  const otherChecks = checks.some((check) => [check.before, check.after].sort().join() === 'fail,pass')
  const otherCause = before.verdict === 'inconclusive' && outcomes.before.cause !== outcomes.after.cause
  if (before.verdict === after.verdict && !otherCause && !otherChecks) return undefined
  return { id: before.id, ...outcomes, checks }
}

function byId({ requirements }: RunResults): Map<string, RequirementResult> {
  return new Map(requirements.map((requirement) => [requirement.id, requirement]))
}

/** Ids of requirements that only one run has: the other does not know them, or did not select them. */
function onlyIn(
  one: ReadonlyMap<string, RequirementResult>,
  other: ReadonlyMap<string, RequirementResult>,
  isSelected: ReturnType<typeof selects>,
) {
  const only = [...one.values()].filter(({ id }) => !other.has(id))
  const ids = (selected: boolean) =>
    only
      .filter((requirement) => isSelected(requirement) === selected)
      .map(({ id }) => id)
      .sort()
  return { selected: ids(true), unselected: ids(false) }
}

function factsOf({ run }: RunResults): ComparedRun {
  const { id, kind, target, hosts, startedAt, version, selection } = run
  return { id, kind, target, hosts, startedAt, version, selection }
}
