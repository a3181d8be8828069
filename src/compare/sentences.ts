import { isDecided, type RunResults } from '../results/results.ts'
import { capitalized, counted, minuteOf, someOf } from '../text/format.ts'
import type { Base, ComparedRun, Comparison, VerdictDifference } from './compare.ts'
import { driftVerdict, newlyChecked, noLongerChecked, notCompared } from './drift.ts'

// Sentences that terminal, Markdown and HTML share.

/** What the sentences about a comparison have in common. */
interface DriftParts {
  /** `2 verdicts`, `1 observation` */
  readonly changes: readonly string[]
  /** `no longer checked: 2 requirements (TEST_USER is not set: A, B)` */
  readonly unchecked: readonly string[]
  readonly isDrift: boolean
  /** Whether there is neither drift nor a requirement that both runs decided. */
  readonly isEmpty: boolean
}

function driftParts(comparison: Comparison): DriftParts {
  const { changed, observations, alike } = comparison
  const isDrift = driftVerdict(comparison) === 'drift'
  return {
    changes: [...countedPart(changed, 'verdict'), ...countedPart(observations, 'observation')],
    unchecked: uncheckedParts(comparison),
    isDrift,
    isEmpty: !isDrift && alike.requirements === 0,
  }
}

/** The result of a comparison in one or two sentences. */
export function conclusion(comparison: Comparison): string {
  const { before, after, changed, observations, alike } = comparison
  const { changes, unchecked, isDrift, isEmpty } = driftParts(comparison)
  if (isEmpty) return `${capitalized(nothingCompared)}.`
  const isSame = before.target === after.target
  const targets = `${before.target} and ${after.target}`
  const compared = `${counted(alike.requirements + changed.length, 'requirement')} that both decided`
  const differ = changed.length + observations.length === 1 ? 'differs' : 'differ'
  const gone = unchecked.map((text) => `${capitalized(text)}.`)
  const once = appliedOnceText(comparison)
  if (changes.length > 0) {
    const what = changes.join(' and ')
    const sentence = `${isSame ? `${what} ${differ}` : `${targets} differ in ${what}`}, of ${compared}.`
    return [sentence, ...once, ...gone].join(' ')
  }
  if (isDrift) return gone.join(' ')
  const none = isSame
    ? `Both runs decided ${counted(alike.requirements, 'requirement')}; ${alike.requirements === 1 ? 'its verdict and observations' : 'their verdicts and observations'} are the same.`
    : `${targets} do not differ in the ${compared}.`
  const open = countedPart(notCompared(comparison), 'requirement', `${inconclusive}.`)
  return [none, ...once, ...open].join(' ')
}

/** Requirements that only one of two targets decided: `31 requirements were decided in one run only, so they were not compared.` */
function appliedOnceText({ before, after, applicability, inconclusive }: Comparison): string[] {
  if (before.target === after.target) return []
  const once = [...applicability, ...inconclusive].filter(
    (one) => isDecided(one.before.verdict) || isDecided(one.after.verdict),
  )
  const isOne = once.length === 1
  return countedPart(
    once,
    'requirement',
    ` ${isOne ? 'was' : 'were'} decided in one run only, so ${isOne ? 'it was' : 'they were'} not compared.`,
  )
}

const nothingCompared = 'no requirement was decided in both runs, so nothing can be compared'
const inconclusive = ' could not be compared, because a verdict is inconclusive'

/** Up to this number, a line lists all changed verdicts. */
const maxChanged = 5

function ids(differences: readonly VerdictDifference[]): string[] {
  return differences.map(({ id }) => id)
}

/** Why a run is not compared with earlier ones. */
export function notComparedText({ completed }: Pick<RunResults['run'], 'completed'>): string {
  return completed
    ? 'no earlier run to compare with'
    : 'this run is incomplete, so it is not compared with earlier runs'
}

/** The differences from the last comparable run in one line. */
export function driftLine(drift: Comparison): string {
  const { before, changed, observations, appeared, vanished, olderBases = [] } = drift
  const { unchecked, isEmpty } = driftParts(drift)
  const changes = [
    ...countedPart(changed, 'verdict', ` changed (${someOf(ids(changed), '', maxChanged)})`),
    ...countedPart(observations, 'observation', ' changed'),
    ...unchecked,
  ]
  const others = [
    ...countedPart(newlyChecked(drift), 'requirement', ' newly checked'),
    ...countedPart(appeared, 'requirement', ' new'),
    ...countedPart(vanished, 'requirement', ' vanished'),
  ]
  const open = openParts(drift)
  const unchanged = open.length === 0 ? ['no change'] : [...open, unchangedText(drift)]
  const known = changes.length === 0 ? unchanged : [...changes, ...open]
  const parts = isEmpty ? [nothingCompared] : known
  return `since ${baseName(before)}${olderText(olderBases)}: ${[...parts, ...others].join('; ')}`
}

/** `6 requirements became inconclusive`, `2 no longer are`, `1 requirement is inconclusive for another cause` */
function openParts(drift: Comparison): string[] {
  const isOpen = ({ verdict }: VerdictDifference['before']) => verdict === 'inconclusive'
  const open = notCompared(drift)
  const became = open.filter(({ before, after }) => !isOpen(before) && isOpen(after))
  const noLonger = open.filter(({ before, after }) => isOpen(before) && !isOpen(after))
  const violated = noLonger.filter(({ after }) => after.verdict === 'fail')
  const decided = noLonger.filter(({ after }) => after.verdict !== 'fail')
  const both = open.filter(({ before, after }) => isOpen(before) && isOpen(after))
  const are = (list: readonly unknown[]) => (list.length === 1 ? 'is' : 'are')
  const newly = ` ${are(violated)} violated that ${violated.length === 1 ? 'was' : 'were'} inconclusive (${someOf(ids(violated), '', maxChanged)})`
  return [
    ...countedPart(violated, 'requirement', newly),
    ...countedPart(became, 'requirement', ' became inconclusive'),
    ...(became.length > 0 && decided.length > 0
      ? [`${decided.length} no longer ${are(decided)}`]
      : countedPart(decided, 'requirement', ` ${are(decided)} no longer inconclusive`)),
    ...countedPart(both, 'requirement', ` ${are(both)} inconclusive for another cause`),
  ]
}

/** What changed since the last comparable run, in numbers: `Changed since 2026-11-20 03:00 UTC: 2 verdicts, 1 observation.` */
export function driftSummary(drift: Comparison): string {
  const { changes, isDrift, isEmpty } = driftParts(drift)
  if (isEmpty) return `${capitalized(nothingCompared)}.`
  const since = `since ${minuteOf(drift.before.startedAt)}`
  const open = openParts(drift)
  if (!isDrift && open.length === 0) return `Nothing changed ${since}.`
  if (!isDrift) return `${capitalized(since)}: ${[...open, unchangedText(drift)].join('; ')}.`
  const parts = [
    ...(changes.length === 0 ? [] : [changes.join(', ')]),
    ...countedPart(noLongerChecked(drift), 'requirement', ' no longer checked'),
    ...open,
  ]
  return `Changed ${since}: ${parts.join('; ')}.`
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

/** `, and for 2 requirements since 2026-11-19 03:00 UTC (…)`; empty if there are no older bases. */
function olderText(bases: readonly Base[]): string {
  const [only] = bases
  if (!only) return ''
  const requirements = bases.flatMap((base) => base.requirements)
  const since = bases.length === 1 ? baseName(only) : 'earlier runs'
  return `, and for ${counted(requirements.length, 'requirement')} since ${since}`
}

function countedPart(list: readonly unknown[], noun: string, rest = ''): string[] {
  return list.length === 0 ? [] : [`${counted(list.length, noun)}${rest}`]
}

/** Up to this number, a sentence lists the reasons why requirements are no longer checked. */
const maxReasons = 2

/** `no longer checked: 2 requirements (TEST_USER is not set: A, B)` */
function uncheckedParts(comparison: Comparison): string[] {
  const unchecked = noLongerChecked(comparison)
  const byReason = Map.groupBy(unchecked, ({ after }) => after.reason ?? 'no reason is recorded')
  if (byReason.size > maxReasons)
    return [`no longer checked: ${counted(unchecked.length, 'requirement')}, for ${byReason.size} reasons`]
  const parts = [...byReason].map(
    ([reason, list]) => `${counted(list.length, 'requirement')} (${reason}: ${someOf(ids(list))})`,
  )
  return parts.length === 0 ? [] : [`no longer checked: ${parts.join(', ')}`]
}
