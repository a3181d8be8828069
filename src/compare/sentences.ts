import type { RunResults } from '../results/results.ts'
import { capitalized, counted, minuteOf, someOf } from '../text/format.ts'
import type { Base, ComparedRun, Comparison, VerdictDifference } from './compare.ts'
import { driftVerdict, newlyDecided, noLongerChecked, notCompared, usedUp } from './drift.ts'

// Sentences about the differences between runs, for terminal, Markdown and HTML.

/** Whether the runs decided no requirement in common, and show no drift. */
function isEmpty(comparison: Comparison): boolean {
  return driftVerdict(comparison) !== 'drift' && comparison.alike.requirements === 0
}

/** The result of a comparison in one or two sentences. */
export function conclusion(comparison: Comparison): string {
  const { before, after, changed, observations, alike } = comparison
  const nonDrift = nonDriftParts(comparison, true)
  if (isEmpty(comparison)) return `${[capitalized(nothingCompared), ...nonDrift].join('; ')}.`
  const isSameTarget = before.target === after.target
  const targets = `${before.target} and ${after.target}`
  const count = alike.requirements + changed.length
  const compared = `the ${count === 1 ? 'only requirement' : `${count} requirements`} that both runs decided`
  const differ = changed.length + observations.length === 1 ? 'differs' : 'differ'
  const unchecked = uncheckedParts(comparison).map((text) => `${capitalized(text)}.`)
  const decidedOnce = appliedOnceText(comparison)
  const nonDriftSentences = nonDrift.map((text) => `${text}.`)
  const changes = [...countedPart(changed, 'verdict'), ...countedPart(observations, 'observation')]
  if (changes.length > 0) {
    const what = changes.join(' and ')
    const forCompared = count === 0 ? '' : `For ${compared}, `
    const sentence = `${forCompared}${isSameTarget ? `${what} ${differ}` : `${targets} differ in ${what}`}.`
    return [sentence, ...decidedOnce, ...unchecked, ...nonDriftSentences].join(' ')
  }
  if (unchecked.length > 0) return [...unchecked, ...nonDriftSentences].join(' ')
  const noChange = isSameTarget
    ? `Both runs decided ${counted(alike.requirements, 'requirement')}; ${alike.requirements === 1 ? 'its verdict and observations' : 'their verdicts and observations'} are the same.`
    : `${targets} do not differ in ${compared}.`
  return [noChange, ...decidedOnce, ...nonDriftSentences, ...notComparedPart(comparison)].join(' ')
}

/**
 * `3 requirements could not be compared, because a verdict is inconclusive; 2 of them are inconclusive in both runs for
 * the same cause.`
 */
function notComparedPart(comparison: Comparison): string[] {
  const { inconclusive: alike } = comparison.alike
  const count = notCompared(comparison).length + alike
  const are = alike === 1 ? 'is' : 'are'
  const why = ' could not be compared, because a verdict is inconclusive'
  const alikeText = `; ${count === 1 ? 'it' : `${alike} of them`} ${are} inconclusive in both runs for the same cause`
  return count === 0 ? [] : [`${counted(count, 'requirement')}${why}${alike === 0 ? '' : alikeText}.`]
}

/**
 * Requirements that only one of two targets decided: `31 requirements were decided in one run only, so they were not
 * compared.`
 */
function appliedOnceText(comparison: Comparison): string[] {
  if (comparison.before.target === comparison.after.target) return []
  const uncompared = notCompared(comparison)
  const decidedOnce = comparison.applicability.filter((one) => !uncompared.includes(one))
  const isOne = decidedOnce.length === 1
  return countedPart(
    decidedOnce,
    'requirement',
    ` ${isOne ? 'was' : 'were'} decided in one run only, so ${isOne ? 'it was' : 'they were'} not compared.`,
  )
}

const nothingCompared = 'no requirement was decided in both runs, so nothing can be compared'

/** A line lists up to this many ids, and shortens a longer list. */
const maxIds = 5

function ids(differences: readonly VerdictDifference[]): string[] {
  return differences.map(({ id }) => id)
}

export function notComparedText({ completed }: Pick<RunResults['run'], 'completed'>): string {
  return completed
    ? 'no earlier run to compare with'
    : 'this run is incomplete, so it is not compared with earlier runs'
}

/** The differences from the last comparable run in one line, with ids. */
export function driftLine(drift: Comparison): string {
  const { before, changed, observations, appeared, vanished, olderBases = [] } = drift
  const changes = [
    ...countedPart(changed, 'verdict', ` changed (${changedIds(changed)})`),
    ...countedPart(observations, 'observation', ' changed'),
    ...uncheckedParts(drift),
  ]
  const nonDrift = [...inconclusiveParts(drift), ...nonDriftParts(drift, true)]
  const unchanged =
    nonDrift.length === 0 ? ['no verdict or observation changed'] : [...nonDrift, unchangedText(drift)]
  const differences = changes.length === 0 ? unchanged : [...changes, ...nonDrift]
  const parts = isEmpty(drift) ? [nothingCompared, ...nonDriftParts(drift, true)] : differences
  const catalogueChanges = [
    ...countedPart(appeared, 'requirement', ' new'),
    ...countedPart(vanished, 'requirement', ' vanished'),
  ]
  const hosts = hasOtherHosts(drift) ? ', which checked other hosts' : ''
  return `since ${baseName(before)}${hosts}${olderText(olderBases)}: ${[...parts, ...catalogueChanges].join('; ')}`
}

/** Whether the earlier run checked other hosts. False for the embedded provider, which has another port in each run. */
export function hasOtherHosts({ differsIn, after }: Comparison): boolean {
  return differsIn.includes('hosts') && after.target !== 'embedded'
}

/** `A, newly violated`, `A, B; 1 newly violated` */
function changedIds(changed: readonly VerdictDifference[]): string {
  const newly = newlyViolatedIn(changed)
  const named = someOf(ids(changed), '', maxIds)
  if (newly.length === 0) return named
  return changed.length === 1 ? `${named}, newly violated` : `${named}; ${newly.length} newly violated`
}

function newlyViolatedIn(differences: readonly VerdictDifference[]): VerdictDifference[] {
  return differences.filter(({ before, after }) => after.verdict === 'fail' && before.verdict !== 'fail')
}

/**
 * Differences that are not drift, but may hide or show violations: `14 requirements newly decided, 1 of them violated
 * (A)`, `4 requirements not checked again, because they need something that exists only once, …`
 * @param isLong whether the text names violated requirements
 */
function nonDriftParts(drift: Comparison, isLong: boolean): string[] {
  const checked = newlyDecided(drift)
  const violated = newlyViolatedIn(checked)
  const named = isLong ? ` (${someOf(ids(violated), '', maxIds)})` : ''
  const ofThem = checked.length === 1 ? '' : `${violated.length} of them `
  const used = usedUp(drift)
  const need = used.length === 1 ? 'it needs' : 'they need'
  return [
    ...countedPart(
      checked,
      'requirement',
      ` newly decided${violated.length === 0 ? '' : `, ${ofThem}violated${named}`}`,
    ),
    ...countedPart(
      used,
      'requirement',
      ` not checked again, because ${need} something that an earlier run used up, such as a first consent`,
    ),
  ]
}

/** `6 requirements are now inconclusive`, `2 no longer are`, `1 requirement is inconclusive for another cause` */
function inconclusiveParts(drift: Comparison): string[] {
  const isInconclusive = ({ verdict }: VerdictDifference['before']) => verdict === 'inconclusive'
  const uncompared = notCompared(drift)
  const became = uncompared.filter(({ before, after }) => !isInconclusive(before) && isInconclusive(after))
  const noLonger = uncompared.filter(({ before, after }) => isInconclusive(before) && !isInconclusive(after))
  const violated = noLonger.filter(({ after }) => after.verdict === 'fail')
  const gone = noLonger.filter(({ after }) => after.verdict === 'not-applicable')
  const decided = noLonger.filter((one) => !violated.includes(one) && !gone.includes(one))
  const both = uncompared.filter(({ before, after }) => isInconclusive(before) && isInconclusive(after))
  const are = (list: readonly unknown[]) => (list.length === 1 ? 'is' : 'are')
  const were = (list: readonly unknown[]) => (list.length === 1 ? 'was' : 'were')
  const areViolated = ` ${are(violated)} violated that ${were(violated)} inconclusive (${someOf(ids(violated), '', maxIds)})`
  return [
    ...countedPart(violated, 'requirement', areViolated),
    ...countedPart(became, 'requirement', ` ${are(became)} now inconclusive`),
    ...(became.length > 0 && decided.length > 0
      ? [`${decided.length} no longer ${are(decided)}`]
      : countedPart(decided, 'requirement', ` ${are(decided)} no longer inconclusive`)),
    ...countedPart(gone, 'requirement', ` that ${were(gone)} inconclusive ${are(gone)} not checked now`),
    ...countedPart(both, 'requirement', ` ${are(both)} inconclusive for another cause`),
  ]
}

/**
 * What changed since the last comparable run, in numbers: `Changed since 2026-11-20 03:00 UTC: 2 verdicts, 1
 * observation.`
 */
export function driftSummary(drift: Comparison): string {
  const hosts = hasOtherHosts(drift) ? ' (a run of other hosts)' : ''
  const since = `since ${minuteOf(drift.before.startedAt)}${hosts}`
  const nonDrift = nonDriftParts(drift, false)
  if (isEmpty(drift)) return `${[capitalized(nothingCompared), ...nonDrift].join('; ')}.`
  const others = [...inconclusiveParts(drift), ...nonDrift]
  const changes = changesInNumbers(drift)
  if (changes.length > 0) return `Changed ${since}: ${[...changes, ...others].join('; ')}.`
  if (others.length === 0) return `Nothing changed ${since}.`
  return `${capitalized(since)}: ${[...others, unchangedText(drift)].join('; ')}.`
}

/** `2 verdicts (1 newly violated), 1 observation`, `14 requirements no longer checked (1 violated before)` */
function changesInNumbers(drift: Comparison): string[] {
  const { changed, observations } = drift
  const newly = newlyViolatedIn(changed).length
  const unchecked = noLongerChecked(drift)
  const before = violatedBefore(unchecked).length
  const inBrackets = (count: number, all: readonly unknown[], text: string) =>
    count === 0 ? '' : ` (${all.length === 1 ? '' : `${count} `}${text})`
  const changes = [
    ...countedPart(changed, 'verdict', inBrackets(newly, changed, 'newly violated')),
    ...countedPart(observations, 'observation'),
  ]
  const areUnchecked = ` no longer checked${inBrackets(before, unchecked, 'violated before')}`
  return [
    ...(changes.length === 0 ? [] : [changes.join(', ')]),
    ...countedPart(unchecked, 'requirement', areUnchecked),
  ]
}

function violatedBefore(differences: readonly VerdictDifference[]): VerdictDifference[] {
  return differences.filter(({ before }) => before.verdict === 'fail')
}

/** `the 37 requirements that could be compared are unchanged` */
function unchangedText({ alike: { requirements } }: Comparison): string {
  return requirements === 1
    ? 'the only requirement that could be compared is unchanged'
    : `the ${requirements} requirements that could be compared are unchanged`
}

function baseName({ startedAt, id }: Base | ComparedRun): string {
  return `${minuteOf(startedAt)} (${id})`
}

/** `, or since 2026-11-19 03:00 UTC (…) for 2 requirements`; empty if there are no older bases. */
function olderText(bases: readonly Base[]): string {
  const [only] = bases
  if (!only) return ''
  const requirements = bases.flatMap((base) => base.requirements)
  const since = bases.length === 1 ? baseName(only) : 'earlier runs'
  return `, or since ${since} for ${counted(requirements.length, 'requirement')}`
}

function countedPart(list: readonly unknown[], noun: string, suffix = ''): string[] {
  return list.length === 0 ? [] : [`${counted(list.length, noun)}${suffix}`]
}

/** A sentence lists up to this many reasons why requirements are no longer checked. */
const maxReasons = 2

/** `no longer checked: 2 requirements (TEST_USER is not set: A, B), 1 of them violated before (A)` */
function uncheckedParts(comparison: Comparison): string[] {
  const unchecked = noLongerChecked(comparison)
  if (unchecked.length === 0) return []
  const byReason = Map.groupBy(unchecked, ({ after }) => after.reason ?? 'no reason is recorded')
  const parts =
    byReason.size > maxReasons
      ? [`${counted(unchecked.length, 'requirement')}, for ${byReason.size} reasons`]
      : [...byReason].map(
          ([reason, list]) => `${counted(list.length, 'requirement')} (${reason}: ${someOf(ids(list))})`,
        )
  return [`no longer checked: ${parts.join(', ')}${violatedBeforeText(unchecked)}`]
}

/** `, 2 of them violated before (A, B)`; empty if none was violated. */
function violatedBeforeText(differences: readonly VerdictDifference[]): string {
  const violated = ids(violatedBefore(differences))
  if (violated.length === 0) return ''
  if (differences.length === 1) return ', violated before'
  return `, ${violated.length} of them violated before (${someOf(violated, '', maxIds)})`
}
