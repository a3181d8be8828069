import type { RunResults } from '../results/results.ts'
import { valueText } from '../results/text.ts'
import type { ObservationDifference, ObservedValue } from './comparison.ts'

/** Figures that vary between runs, by the end of their key: two values within this factor are equal. */
const tolerances: readonly { readonly key: RegExp; readonly factor: number }[] = [
  { key: /-p\d+-ms$/, factor: 2 },
  { key: /-per-second$/, factor: 1.1 },
]

/**
 * Observations that differ: those of requirements that are conclusive in both runs, and of probes that both runs made.
 * @param conclusiveInBoth ids of requirements
 */
export function compareObservations(
  before: RunResults,
  after: RunResults,
  conclusiveInBoth: ReadonlySet<string>,
): { readonly differences: ObservationDifference[]; readonly alike: number } {
  const [earlier, later] = [byKey(before), byKey(after)]
  const [earlierSeries, laterSeries] = [seriesOf(before), seriesOf(after)]
  const differences: ObservationDifference[] = []
  let alike = 0
  for (const [place, { key, requirement }] of [...new Map([...earlier, ...later])].sort(byName)) {
    const series = seriesWith(key)
    const comparable =
      series === undefined
        ? conclusiveInBoth.has(requirement)
        : earlierSeries.has(series) && laterSeries.has(series)
    if (!comparable) continue
    const [one, other] = [earlier.get(place), later.get(place)]
    if (one && other && isAlike(key, one.value, other.value)) alike += 1
    else
      differences.push({
        key,
        requirement,
        ...(one && { before: one.value }),
        ...(other && { after: other.value }),
      })
  }
  return { differences, alike }
}

const byName = ([one]: [string, unknown], [other]: [string, unknown]) => (one < other ? -1 : 1)

interface Observed {
  readonly key: string
  readonly requirement: string
  readonly value: ObservedValue
}

/** Observations by key and requirement; several with the same become one list. */
function byKey({ observations }: RunResults): Map<string, Observed> {
  const found = new Map<string, Observed>()
  for (const [place, group] of Map.groupBy(observations, ({ key, requirement }) => `${key} ${requirement}`)) {
    const [first] = group
    if (!first) continue
    const value = group.length === 1 ? first.value : group.map((one) => valueText(one.value)).sort()
    found.set(place, { key: first.key, requirement: first.requirement, value })
  }
  return found
}

/**
 * The series of a key, which a probe records together: `limits.userinfo.ramp` of `limits.userinfo.ramp.last-clean-rate`.
 * The probe `hold` has two, because workers of Artillery record others.
 */
function seriesWith(key: string): string | undefined {
  return /^limits\.[^.]+\.[^.]+/.exec(key)?.[0]
}

function seriesOf({ observations }: RunResults): Set<string | undefined> {
  return new Set(observations.map(({ key }) => seriesWith(key)))
}

/** Whether two values are equal, ignoring the order of lists. */
function isAlike(key: string, one: ObservedValue, other: ObservedValue): boolean {
  const tolerance = tolerances.find((candidate) => candidate.key.test(key))
  if (tolerance && typeof one === 'number' && typeof other === 'number')
    return Math.max(one, other) <= Math.min(one, other) * tolerance.factor
  const sorted = (value: ObservedValue) => (Array.isArray(value) ? [...value].sort() : value)
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))
}
