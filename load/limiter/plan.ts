import { CLEARLY } from './candidates.ts'
import { evenly } from './few.ts'
import { type Outcome, outcomeOf, ruledOutBy } from './outcome.ts'
import { near, type Possibility, window } from './possibility.ts'
import { type Start, type Surroundings, starts } from './starts.ts'

/** A start, and its burst: until the first 429, at most `most` requests. */
export interface Plan extends Start {
  readonly most: number
}

/**
 * The first plan where a Retry-After has been kept: one request, a pause of nearly the time in which all came back,
 * and a burst. It rules out the many limiters with shorter windows that the Retry-After kept from being seen, and
 * leaves a window that it does not rule out within a tenth.
 */
export function pausedBurst(recoveredAfterMs: number, burst: number, { earliest }: Surroundings): Plan {
  return {
    from: earliest,
    first: 1,
    rest: earliest + 0.93 * recoveredAfterMs,
    most: burst + 1,
    shape: 'paused burst',
  }
}

/**
 * A plan for a limiter that seems to remember so long (milliseconds), and was never seen to refuse what came after a
 * silence: when it has forgotten all, one request, a pause in which a shorter memory fades, and a burst.
 */
export function afterSilence(memoryMs: number, capacity: number, { earliest }: Surroundings): Plan {
  const from = earliest + 1.05 * memoryMs
  return { from, first: 1, rest: from + 0.6 * memoryMs, most: capacity, shape: 'after silence' }
}

/** A plan is worth so much less for each time that one of its shape was carried out. */
const AGAIN = 0.5

/** What it takes to the end from here: so many bursts of all, each with its window. */
const BURSTS_TO_GO = 3

/**
 * The plan that brings the end nearest: what it costs, and what is still to be paid for the rivals that it leaves. Each
 * possibility counts as the truth by its weight, and all models count the same as rivals: each has to be ruled out.
 * undefined: no plan rules anything out.
 */
export function choosePlan(
  possibilities: readonly Possibility[],
  surroundings: Surroundings,
  tried: ReadonlyMap<string, number>,
): Plan | undefined {
  const pairs = differing(possibilities)
  const all = pairs.reduce((sum, { weight }) => sum + weight, 0)
  const capacity = Math.max(...possibilities.map(({ values }) => values.capacity))
  const typical = median(possibilities.map(({ kind, values }) => window(kind, values)))
  const toGo = BURSTS_TO_GO * ((capacity + 2) / surroundings.requestsLeft + typical / surroundings.msLeft)
  let best: { readonly plan: Plan; readonly value: number } | undefined
  for (const start of starts(possibilities, surroundings)) {
    const outcomes = possibilities.map(({ state }) =>
      outcomeOf(state.copy(), start, capacity + 2, surroundings.serviceMs),
    )
    for (const most of sizes(possibilities, outcomes, start.first)) {
      let ruledOut = 0
      for (const { truth, rival, weight, spare } of pairs) {
        ruledOut +=
          weight *
          ruledOutBy(
            outcomes[truth] as Outcome,
            outcomes[rival] as Outcome,
            start.first + most,
            spare,
            surroundings.serviceMs,
          )
      }
      if (ruledOut === 0) continue
      const asked = possibilities.reduce(
        (sum, { weight }, index) =>
          sum + weight * Math.min(start.first + most, (outcomes[index]?.admitted ?? 0) + 1),
        0,
      )
      const shape = `${start.shape}, ${most > 3 ? 'many' : most}`
      const cost = asked / surroundings.requestsLeft + lasts(start, surroundings) / surroundings.msLeft
      const value = (ruledOut / all) * AGAIN ** (tried.get(shape) ?? 0) * toGo - cost
      if (best === undefined || value > best.value) best = { plan: { ...start, most, shape }, value }
    }
  }
  return best?.plan
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

function lasts({ rest }: Start, { earliest, serviceMs }: Surroundings): number {
  return rest - earliest + serviceMs
}

interface Pair {
  readonly truth: number
  readonly rival: number
  /** Observations more that the rival must fail to explain. */
  readonly spare: number
  readonly weight: number
}

function differing(possibilities: readonly Possibility[]): Pair[] {
  const pairs: Pair[] = []
  for (const [truth, a] of possibilities.entries()) {
    for (const [rival, b] of possibilities.entries()) {
      const sameKind = a.kind === b.kind
      if (sameKind && a.values.capacity === b.values.capacity && near(a.values.period, b.values.period))
        continue
      // Of another kind, a rival has to fail clearly; of the same, once is enough.
      const spare = b.spare - (sameKind ? CLEARLY - 1 : 0)
      if (spare <= 0) continue
      // Kinds first: the rest follows from knowing the kind.
      pairs.push({ truth, rival, spare, weight: a.weight * b.rivalWeight * (sameKind ? 1 : 3) })
    }
  }
  return pairs
}

/** Sizes of a burst worth comparing: just enough to rule out this rival or that, and all. */
function sizes(
  possibilities: readonly Possibility[],
  outcomes: readonly Outcome[],
  first: number,
): Set<number> {
  const enough = possibilities.map(({ spare }, index) => (outcomes[index]?.admitted ?? 0) + spare - first)
  const some = [...new Set(enough.filter((size) => size > 0))].sort((one, other) => one - other)
  return new Set([1, ...evenly(some, 6)])
}
