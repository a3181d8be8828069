import { CLEARLY } from './candidates.ts'
import type { Kind, Simulation, Values } from './models/model.ts'

/** Ask `first` times from `from` on, one after the other, then until the first 429 from `rest` on, at most `most` times. */
export interface Plan {
  readonly from: number
  readonly first: number
  readonly rest: number
  readonly most: number
  /** What plans of this sort have in common: one that settled nothing is tried again later than others. */
  readonly shape: string
}

/** One limiter that the observations leave possible, in the state that they leave it in. */
export interface Possibility {
  readonly kind: Kind
  readonly values: Values
  readonly state: Simulation
  /** Share among all possibilities. */
  readonly weight: number
  /** The same for each model, shared among its possibilities. */
  readonly rivalWeight: number
  /** Observations more that it must fail to explain, to be ruled out. */
  readonly spare: number
}

export interface Surroundings {
  /** Earliest time of the next request: after any Retry-After. */
  readonly earliest: number
  /** Milliseconds that a request takes. */
  readonly serviceMs: number
  /** What a request and a millisecond are worth against each other: shares of what is left. */
  readonly requestsLeft: number
  readonly msLeft: number
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

/** Possibilities whose rates differ by less need not be told apart. */
const SAME_RATE = 0.04

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
  const longest = median(possibilities.map(({ kind, values }) => window(kind, values)))
  const toGo = BURSTS_TO_GO * ((capacity + 2) / surroundings.requestsLeft + longest / surroundings.msLeft)
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
          share(
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
      ;(globalThis as any).EVAL?.(
        { ...start, most, shape },
        value,
        ruledOut / all,
        cost,
        toGo,
        outcomes,
        possibilities,
      )
      if (best === undefined || value > best.value) best = { plan: { ...start, most, shape }, value }
    }
  }
  return best?.plan
}

/** A plan is worth so much less for each time that one of its shape was carried out. */
const AGAIN = 0.5
/** What it takes to the end from here: so many bursts of all, each with its window. */
const BURSTS_TO_GO = 3

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

function lasts({ rest }: Start, { earliest, serviceMs }: Surroundings): number {
  return rest - earliest + serviceMs
}

type Start = Omit<Plan, 'most'>

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

const near = (one: number, other: number) => Math.abs(Math.log(one / other)) < Math.log(1 + SAME_RATE)

interface Outcome {
  /** Requests until the first 429. */
  readonly admitted: number
  /** When that 429 comes, and when another request would be admitted. */
  readonly refusedAt: number
  readonly next: number
  /** Of a few requests after that wait, those that are admitted. */
  readonly after: number
}

/** Requests after a 429 that a plan is judged by as well: they are few, and any next plan begins with them. */
const A_FEW = 3

/** Retry-After has whole seconds. */
const ROUNDING_MS = 1000

/** What an answer is worth that only a few requests after the wait will show. */
const LATER = 0.8

/** How far a rival is ruled out where `truth` answers a plan of so many requests: 1 wholly, 0 not at all. */
function share(truth: Outcome, rival: Outcome, most: number, spare: number, serviceMs: number): number {
  const admitted = Math.min(truth.admitted, most)
  const expected = Math.min(rival.admitted, most)
  if (admitted !== expected) return misses(admitted, expected, spare)
  if (admitted === most) return 0
  const isLate = rival.next > retryAt(truth) + 2 * serviceMs
  return LATER * misses(truth.after, isLate ? 0 : rival.after, spare)
}

/** An admission too many contradicts for each request, a refusal too early but once. */
function misses(admitted: number, expected: number, spare: number): number {
  if (admitted === expected) return 0
  return Math.min(1, Math.max(1, admitted - expected) / spare)
}

const retryAt = ({ refusedAt, next }: Outcome) =>
  refusedAt + Math.ceil((next - refusedAt) / ROUNDING_MS) * ROUNDING_MS

function outcomeOf(state: Simulation, plan: Start, most: number, serviceMs: number): Outcome {
  let at = plan.from + serviceMs / 2
  for (let asked = 0; asked < plan.first + most; asked += 1) {
    if (asked === plan.first) at = Math.max(at, plan.rest + serviceMs / 2)
    const next = state.nextAdmission(at)
    if (next > at)
      return { admitted: asked, refusedAt: at, next, after: fewAfter(state, at, next, serviceMs) }
    state.record(at, true)
    at += serviceMs
  }
  return { admitted: plan.first + most, refusedAt: at, next: at, after: A_FEW }
}

function fewAfter(state: Simulation, refusedAt: number, next: number, serviceMs: number): number {
  state.record(refusedAt, false)
  let at = refusedAt + Math.ceil((next - refusedAt) / ROUNDING_MS) * ROUNDING_MS + serviceMs
  for (let asked = 0; asked < A_FEW; asked += 1) {
    if (state.nextAdmission(at) > at) return asked
    state.record(at, true)
    at += serviceMs
  }
  return A_FEW
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

function starts(possibilities: readonly Possibility[], surroundings: Surroundings): Start[] {
  const { earliest, serviceMs } = surroundings
  const capacity = Math.max(...possibilities.map(({ values }) => values.capacity))
  const likely = [...possibilities].sort((one, other) => other.weight - one.weight)
  const periods = firstApart(
    likely.map(({ kind, values }) => window(kind, values)),
    near,
    4,
  )
  const returns = firstApart(
    likely.map(({ state }) => state.nextAdmission(earliest)),
    (one, other) => Math.abs(one - other) <= serviceMs,
    8,
  ).sort((one, other) => one - other)
  const between = returns.slice(1).map((time, index) => (time + (returns[index] ?? time)) / 2)
  const times: (readonly [at: number, word: string])[] = [
    [earliest, 'soon'],
    ...between.map((time) => [time, 'soon'] as const),
    ...returns.map((time) => [time + serviceMs, 'soon'] as const),
    ...periods.flatMap((period) =>
      [0.3, 0.6, 1.02, 1.5, 2.3].map((share) => [earliest + share * period, `after ${share}`] as const),
    ),
  ]
  for (const values of grids(likely)) {
    const spell = capacity * serviceMs + 0.03 * values.period
    for (const windows of [0, 1, 3]) {
      const end = endOfWindow(values, earliest + spell) + windows * values.period
      times.push([end - spell, `end of window ${windows}`])
    }
  }
  const result: Start[] = times.map(([from, word]) => ({ from, first: 0, rest: from, shape: word }))
  const early = [earliest, earliest + 0.6 * (periods[0] ?? 0)]
  for (const [index, from] of early.entries()) {
    for (const [first, word] of new Map([
      [1, 'one'],
      [Math.ceil(capacity / 2), 'half'],
      [Math.max(1, capacity - 1), 'most'],
    ])) {
      for (const period of periods) {
        for (const share of [0.5, 0.85, 0.95]) {
          result.push({
            from,
            first,
            rest: from + share * period,
            shape: `${index}, ${word}, pause ${share}`,
          })
        }
      }
    }
  }
  return result
}

/** The likeliest windows on a grid that differ. */
function grids(likely: readonly Possibility[]): Values[] {
  const all = likely.map(({ values }) => values).filter(({ start }) => start !== undefined)
  return firstApart(all, (one, other) => near(one.period, other.period), 3)
}

/** When the window of a grid ends that holds a time. */
function endOfWindow({ start = 0, period }: Values, at: number): number {
  return start + (Math.floor((at - start) / period) + 1) * period
}

/** The time in which a limiter gives back all it has. */
function window(kind: Kind, { capacity, period }: Values): number {
  return kind === 'token-bucket' ? capacity * period : period
}

/** The first values of which none is near to another, at most `most`. */
function firstApart<Value>(
  values: readonly Value[],
  isNear: (one: Value, other: Value) => boolean,
  most: number,
): Value[] {
  const chosen: Value[] = []
  for (const value of values) {
    if (chosen.length < most && !chosen.some((other) => isNear(value, other))) chosen.push(value)
  }
  return chosen
}

/** At most `most` of the values, evenly taken. */
export function evenly<Value>(values: readonly Value[], most: number): Value[] {
  if (values.length <= most) return [...values]
  return Array.from(
    { length: most },
    (_, index) => values[Math.round((index * (values.length - 1)) / (most - 1))],
  ).filter((value) => value !== undefined)
}
