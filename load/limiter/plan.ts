import type { Kind, Simulation, Values } from './models/model.ts'

/** Ask `first` times from `from` on, one after the other, then until the first 429 from `rest` on, at most `most` times. */
export interface Plan {
  readonly from: number
  readonly first: number
  readonly rest: number
  readonly most: number
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

/** Possibilities whose rates differ by less need not be told apart. */
const SAME_RATE = 0.05

/**
 * The plan on whose outcome (how many requests are admitted before the first 429) the possibilities disagree most, for
 * what it costs in requests and time. undefined: they agree on all plans there are.
 */
export function choosePlan(
  possibilities: readonly Possibility[],
  surroundings: Surroundings,
  kindOfPlan: 'any' | 'with a rest' = 'any',
): Plan | undefined {
  const pairs = differing(possibilities)
  let best: { readonly plan: Plan; readonly value: number } | undefined
  for (const plan of plans(possibilities, surroundings)) {
    if (kindOfPlan === 'with a rest' && plan.first === 0) continue
    const outcomes = possibilities.map(({ state }) =>
      admittedBefore429(state.copy(), plan, surroundings.serviceMs),
    )
    let told = 0
    for (const { one, other, weight } of pairs) if (outcomes[one] !== outcomes[other]) told += weight
    if (told === 0) continue
    const asked = possibilities.reduce(
      (sum, { weight }, index) => sum + weight * ((outcomes[index] ?? 0) + 1),
      0,
    )
    const value = told / (asked / surroundings.requestsLeft + lasts(plan, surroundings) / surroundings.msLeft)
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

/** How many are admitted until the first 429 of a plan. */
function admittedBefore429(state: Simulation, plan: Plan, serviceMs: number): number {
  let at = plan.from + serviceMs / 2
  for (let asked = 0; asked < plan.first + plan.most; asked += 1) {
    if (asked === plan.first) at = Math.max(at, plan.rest + serviceMs / 2)
    if (state.nextAdmission(at) > at) return asked
    state.record(at, true)
    at += serviceMs
  }
  return plan.first + plan.most
}

function plans(possibilities: readonly Possibility[], surroundings: Surroundings): Plan[] {
  const { earliest, serviceMs } = surroundings
  const capacity = Math.max(...possibilities.map(({ values }) => values.capacity))
  const periods = distinct(possibilities.map(({ kind, values }) => window(kind, values)))
  const returns = distinctTimes(
    possibilities.map(({ state }) => state.nextAdmission(earliest)),
    serviceMs,
  )
  const between = returns.slice(1).map((time, index) => (time + (returns[index] ?? time)) / 2)
  const starts = [
    earliest,
    ...between,
    ...returns.map((time) => time + serviceMs),
    ...periods.flatMap((period) => [0.3, 0.6, 1.02, 1.5].map((share) => earliest + share * period)),
  ]
  const result: Plan[] = []
  for (const from of starts) {
    for (const most of new Set([1, 3, Math.ceil(capacity / 3), capacity + 2])) {
      result.push({ from, first: 0, rest: from, most })
    }
  }
  const early = [earliest, earliest + 0.6 * (periods[Math.floor(periods.length / 2)] ?? 0)]
  for (const from of early) {
    for (const first of new Set([1, Math.ceil(capacity / 2)])) {
      for (const period of periods) {
        for (const share of [0.5, 0.85, 0.95]) {
          const rest = from + share * period
          for (const most of [2, capacity + 2]) {
            result.push({ from, first, rest, most })
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

/** At most four, well spread. */
function distinct(values: readonly number[]): number[] {
  const sorted = [...values].sort((one, other) => one - other)
  const apart = sorted.filter((value, index) => index === 0 || !near(value, sorted[index - 1] ?? value))
  return evenly(apart, 4)
}

function distinctTimes(times: readonly number[], apartMs: number): number[] {
  const sorted = [...times].sort((one, other) => one - other)
  const apart = sorted.filter((value, index) => index === 0 || value - (sorted[index - 1] ?? value) > apartMs)
  return evenly(apart, 8)
}

/** At most `most` of the values, evenly taken. */
export function evenly<Value>(values: readonly Value[], most: number): Value[] {
  if (values.length <= most) return [...values]
  return Array.from(
    { length: most },
    (_, index) => values[Math.round((index * (values.length - 1)) / (most - 1))],
  ).filter((value) => value !== undefined)
}
