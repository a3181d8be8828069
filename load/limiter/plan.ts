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

/** A plan is worth so much less for each time that one of its shape was carried out. */
const AGAIN = 0.4

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
 * The plan on whose outcome (how many requests are admitted before the first 429) the possibilities disagree most, for
 * what it costs in requests and time. undefined: they agree on all plans there are.
 */
export function choosePlan(
  possibilities: readonly Possibility[],
  surroundings: Surroundings,
  tried: ReadonlyMap<string, number>,
): Plan | undefined {
  const pairs = differing(possibilities)
  let best: { readonly plan: Plan; readonly value: number } | undefined
  for (const plan of plans(possibilities, surroundings)) {
    const outcomes: readonly Outcome[] = possibilities.map(({ state }) =>
      outcomeOf(state.copy(), plan, surroundings.serviceMs),
    )
    let told = 0
    for (const { one, other, weight } of pairs) {
      told += weight * toldApart(outcomes[one] as Outcome, outcomes[other] as Outcome, surroundings.serviceMs)
    }
    if (told === 0) continue
    const asked = possibilities.reduce(
      (sum, { weight }, index) => sum + weight * ((outcomes[index]?.admitted ?? 0) + 1),
      0,
    )
    const value =
      (told * AGAIN ** (tried.get(plan.shape) ?? 0)) /
      (asked / surroundings.requestsLeft + lasts(plan, surroundings) / surroundings.msLeft)
    if (best === undefined || value > best.value) best = { plan, value }
  }
  return best?.plan
}

function lasts(plan: Plan, { earliest, serviceMs }: Surroundings): number {
  return plan.rest - earliest + serviceMs
}

interface Pair {
  readonly one: number
  readonly other: number
  readonly weight: number
}

function differing(possibilities: readonly Possibility[]): Pair[] {
  const pairs: Pair[] = []
  for (const [one, a] of possibilities.entries()) {
    for (const [other, b] of possibilities.entries()) {
      if (other <= one) continue
      const sameKind = a.kind === b.kind
      if (sameKind && a.values.capacity === b.values.capacity && near(a.values.period, b.values.period))
        continue
      // Kinds first: the rest follows from knowing the kind.
      pairs.push({ one, other, weight: a.weight * b.weight * (sameKind ? 1 : 3) })
    }
  }
  return pairs
}

const near = (one: number, other: number) => Math.abs(Math.log(one / other)) < Math.log(1 + SAME_RATE)

interface Outcome {
  /** Requests until the first 429. */
  readonly admitted: number
  /** Milliseconds from then until another one would be admitted. */
  readonly wait: number
  /** Of a few requests after that wait, those that are admitted. */
  readonly after: number
}

/** Requests after a 429 that a plan is judged by as well: they are few, and any next plan begins with them. */
const A_FEW = 3

/** Waits that differ by less than the rounding of Retry-After cannot be told apart by it. */
const ROUNDING_MS = 1000

/** How well two outcomes tell two limiters apart: at once, by what the next request will show, or not (0). */
function toldApart(one: Outcome, other: Outcome, serviceMs: number): number {
  if (one.admitted !== other.admitted) return 1
  if (one.after !== other.after) return 0.8
  const apart = Math.abs(one.wait - other.wait)
  return apart > 3 * serviceMs + ROUNDING_MS && apart > 0.3 * Math.max(one.wait, other.wait) ? 0.7 : 0
}

function outcomeOf(state: Simulation, plan: Plan, serviceMs: number): Outcome {
  let at = plan.from + serviceMs / 2
  for (let asked = 0; asked < plan.first + plan.most; asked += 1) {
    if (asked === plan.first) at = Math.max(at, plan.rest + serviceMs / 2)
    const next = state.nextAdmission(at)
    if (next > at) return { admitted: asked, wait: next - at, after: fewAfter(state, at, next, serviceMs) }
    state.record(at, true)
    at += serviceMs
  }
  return { admitted: plan.first + plan.most, wait: 0, after: A_FEW }
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

function plans(possibilities: readonly Possibility[], surroundings: Surroundings): Plan[] {
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
  const starts: (readonly [at: number, word: string])[] = [
    [earliest, 'soon'],
    ...between.map((time) => [time, 'soon'] as const),
    ...returns.map((time) => [time + serviceMs, 'soon'] as const),
    ...periods.flatMap((period) =>
      [0.3, 0.6, 1.02, 1.5, 2.3].map((share) => [earliest + share * period, `after ${share}`] as const),
    ),
  ]
  const result: Plan[] = []
  for (const [from, word] of starts) {
    for (const most of new Set([1, 3, Math.ceil(capacity / 3), capacity + 2])) {
      const size = most > capacity ? 'all' : most > 3 ? 'part' : most
      result.push({ from, first: 0, rest: from, most, shape: `${word}, ${size}` })
    }
  }
  const early = [earliest, earliest + 0.6 * (periods[0] ?? 0)]
  for (const [index, from] of early.entries()) {
    for (const first of new Set([1, Math.ceil(capacity / 2)])) {
      for (const period of periods) {
        for (const share of [0.5, 0.85, 0.95]) {
          const rest = from + share * period
          for (const most of [2, capacity + 2]) {
            const shape = `${index}, ${first === 1 ? 'one' : 'half'}, pause ${share}, ${most === 2 ? 'two' : 'all'}`
            result.push({ from, first, rest, most, shape })
          }
        }
      }
    }
  }
  return result
}

/** The time in which a limiter gives back all it has. */
function window(kind: Kind, { capacity, period }: Values): number {
  return kind === 'token-bucket' ? capacity * period : period
}

/** The first values of which none is near to another, at most `most`. */
function firstApart(
  values: readonly number[],
  isNear: (one: number, other: number) => boolean,
  most: number,
): number[] {
  const chosen: number[] = []
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
