import type { Observation } from '../check/result.ts'
import { valueText } from '../results/queries.ts'
import type { RunResults } from '../results/results.ts'
import type { ObservationDifference, ObservedValue } from './comparison.ts'

/**
 * Numbers that come out a little different each time, by the end of their key: the larger has to be so many
 * times the smaller to count as another.
 */
const spreads: readonly { readonly key: RegExp; readonly factor: number }[] = [
  { key: /-p\d+-ms$/, factor: 2 },
  { key: /-per-second$/, factor: 1.1 },
]

/**
 * Observations that differ, those of requirements that both runs decided, and of probes that both made.
 * @param decidedInBoth ids of requirements
 */
export function compareObservations(
  before: RunResults,
  after: RunResults,
  decidedInBoth: ReadonlySet<string>,
): { readonly differences: ObservationDifference[]; readonly alike: number } {
  const [earlier, later] = [byPlace(before), byPlace(after)]
  const [earlierProbes, laterProbes] = [probesOf(before), probesOf(after)]
  const differences: ObservationDifference[] = []
  let alike = 0
  for (const place of [...new Set([...earlier.keys(), ...later.keys()])].sort()) {
    const [one, other] = [earlier.get(place), later.get(place)]
    const { key, requirement } = (one ?? other) as Found
    const probe = probeOf(key)
    const comparable =
      probe === undefined
        ? decidedInBoth.has(requirement)
        : earlierProbes.has(probe) && laterProbes.has(probe)
    if (!comparable) continue
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

interface Found {
  readonly key: string
  readonly requirement: string
  readonly value: ObservedValue
}

/** Observations by key and requirement; values of one that was made several times come together. */
function byPlace({ observations }: RunResults): Map<string, Found> {
  const groups = Map.groupBy(observations, ({ key, requirement }) => `${key} ${requirement}`)
  return new Map(
    [...groups].map(([place, group]) => {
      const [first] = group as [Observation, ...Observation[]]
      const value = group.length === 1 ? first.value : group.map((one) => valueText(one.value)).sort()
      return [place, { key: first.key, requirement: first.requirement, value }]
    }),
  )
}

/** `limits.userinfo.ramp` of `limits.userinfo.ramp.last-clean-rate`: which probe of which endpoint. */
function probeOf(key: string): string | undefined {
  return /^limits\.[^.]+\.[^.]+/.exec(key)?.[0]
}

function probesOf({ observations }: RunResults): Set<string | undefined> {
  return new Set(observations.map(({ key }) => probeOf(key)))
}

/** Lists say what was seen, not in which order. */
function isAlike(key: string, one: ObservedValue, other: ObservedValue): boolean {
  const spread = spreads.find((candidate) => candidate.key.test(key))
  if (spread && typeof one === 'number' && typeof other === 'number')
    return Math.max(one, other) <= Math.min(one, other) * spread.factor
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))
}

function sorted(value: ObservedValue): ObservedValue {
  return Array.isArray(value) ? [...value].sort() : value
}
