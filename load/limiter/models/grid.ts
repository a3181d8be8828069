import type { Reading } from '../observation.ts'
import { area, cut, hull, type Interval, type Region, union, windows } from '../region.ts'
import { type Fit, LONGEST_PERIOD_MS, type Suggested, spread, type Values } from './model.ts'

/**
 * One history of windows on a grid: the last request fell into window number `number`, which holds `counted` requests;
 * `total` is what it and the window before it hold together.
 */
export interface GridBranch {
  readonly number: number
  readonly counted: Interval
  readonly total: Interval
  /** The windows, and the beginnings of window number 0, that this history leaves open. */
  readonly region: Region
  /** Before this time no window of the region is over (milliseconds). */
  readonly earliestEnd: number
}

/** What a window makes of one more request: the branch after it, or undefined where the outcome contradicts it. */
export type WindowRule = (branch: GridBranch, reading: Reading) => GridBranch | undefined

const NONE: Interval = { low: 0, high: 0 }

/** More windows than this between two requests: their exact number is given up, and with it the grid's phase. */
const FORGET_AFTER_WINDOWS = 2

/** So many histories are looked through for those that can go on as one. */
const MANY_BRANCHES = 100

/** More histories than this are given up for one that allows all that any of them does. */
const MOST_BRANCHES = 1000

/**
 * Windows that lie on a grid, as where the limiter rounds its clock down. The phase is left open: a clock may be off,
 * and a window that is no divisor of an hour hides its alignment anyway.
 */
export class GridFit implements Fit {
  readonly capacity: number
  readonly #rule: WindowRule
  /** Whether a window can only be full by what it holds itself. */
  readonly #fullAlone: boolean
  #branches: readonly GridBranch[] | undefined
  #many = MANY_BRANCHES

  readonly #leastWindow: number

  constructor(capacity: number, leastSpacing: number, fullAlone: boolean, rule: WindowRule) {
    this.capacity = capacity
    this.#leastWindow = capacity * leastSpacing
    this.#fullAlone = fullAlone
    this.#rule = rule
  }

  observe(reading: Reading): boolean {
    const before = this.#branches ?? [anyGrid(reading, { low: this.#leastWindow, high: LONGEST_PERIOD_MS })]
    const after: GridBranch[] = []
    const forgotten: Interval[] = []
    for (const branch of before) this.#advance(branch, reading, after, forgotten)
    for (const window of union(forgotten)) {
      const anew = this.#rule(anyGrid(reading, window), reading)
      if (anew !== undefined) after.push(anew)
    }
    if (after.length === 0) return false
    this.#branches = this.#fewer(after, reading)
    return true
  }

  /** Puts the request into each window that it may have met. */
  #advance(branch: GridBranch, reading: Reading, after: GridBranch[], forgotten: Interval[]): void {
    if (reading.to < branch.earliestEnd) {
      // Most requests fall before it: nothing is to be cut for them.
      const same = this.#rule(branch, reading)
      if (same !== undefined) after.push(same)
      return
    }
    for (let number = branch.number; ; number += 1) {
      const begun = cut(branch.region, number, 1, reading.to)
      if (begun.length === 0) return
      const passed = number - branch.number
      if (passed > 0 && this.#fullAlone && reading.untilThrottled < this.capacity) return
      if (passed > FORGET_AFTER_WINDOWS) {
        forgotten.push(windows(begun))
        return
      }
      const region = cut(begun, -(number + 1), -1, -reading.from)
      if (region.length === 0) continue
      const within = { number, region, earliestEnd: earliestEnd(region, number) }
      const held = passed === 0 ? {} : { counted: NONE, total: passed === 1 ? branch.counted : NONE }
      const next = this.#rule({ ...branch, ...within, ...held }, reading)
      if (next !== undefined) after.push(next)
    }
  }

  #fewer(branches: readonly GridBranch[], reading: Reading): readonly GridBranch[] {
    if (branches.length <= this.#many) return branches
    let fewer = branches
    for (const share of [0, 1 / 32, 1 / 16, 1 / 8, 1 / 4]) {
      fewer = joined(fewer, Math.max(1, this.capacity * share))
      if (fewer.length <= MANY_BRANCHES) break
    }
    this.#many = Math.max(MANY_BRANCHES, 2 * fewer.length)
    return fewer.length > MOST_BRANCHES ? [blurred(fewer, reading)] : fewer
  }

  periods(): Interval {
    const all = (this.#branches ?? []).map(({ region }) => windows(region))
    return { low: Math.min(...all.map(({ low }) => low)), high: Math.max(...all.map(({ high }) => high)) }
  }

  dump() {
    return this.#branches
  }
  samples(suggested: Suggested): Values[] {
    return (this.#branches ?? []).flatMap(({ number, region }) =>
      spread(windows(region), suggested.windows).flatMap((period) =>
        starts(region, period, suggested.ends).map((start) => ({
          capacity: this.capacity,
          period,
          start: start + number * period,
        })),
      ),
    )
  }
}

/** Some beginnings that a region leaves to one window: with an end that was suggested, near the middle, and the last. */
function starts(region: Region, window: number, ends: readonly number[]): number[] {
  const slice = cut(cut(region, 1, 0, window * 1.0005), -1, 0, -window * 0.9995)
  const low = Math.min(...slice.map(({ start }) => start))
  const high = Math.max(...slice.map(({ start }) => start))
  if (!(low <= high)) return []
  const middle = (low + high) / 2
  if (high - low < 0.02 * window) return [middle]
  const suggested = ends
    .map((end) => end - Math.round((end - middle) / window) * window)
    .filter((start) => start > low && start < high)
  return [...suggested, low + 0.3 * (high - low), high - Math.min(300, 0.1 * (high - low))]
}

/**
 * Histories that hold the same, but for less than `step` requests, and leave neighbouring grids open go on as one.
 * Mostly they differ in what an earlier window held, which no longer matters.
 */
function joined(branches: readonly GridBranch[], step: number): GridBranch[] {
  const bucket = ({ low, high }: Interval) => `${Math.floor(low / step)}-${Math.floor(high / step)}`
  const alike = Map.groupBy(branches, ({ number, counted, total }) =>
    [number, bucket(counted), bucket(total)].join(),
  )
  return [...alike.values()].flatMap((group) => {
    const result: GridBranch[] = []
    for (const branch of group.sort((one, other) => windows(one.region).low - windows(other.region).low)) {
      const last = result.at(-1)
      const region = last && hull(last.region, branch.region)
      if (last && region && area(region) <= LOOSE * (area(last.region) + area(branch.region))) {
        result[result.length - 1] = {
          number: last.number,
          counted: both(last.counted, branch.counted),
          total: both(last.total, branch.total),
          region,
          earliestEnd: earliestEnd(region, last.number),
        }
      } else result.push(branch)
    }
    return result
  })
}

/** A region may grow by so much as two become one. */
const LOOSE = 1.2

/** One history that allows what any of these allows. */
function blurred(branches: readonly GridBranch[], reading: Reading): GridBranch {
  const all = branches.map(({ region }) => windows(region)).reduce(both)
  return {
    ...anyGrid(reading, all),
    counted: branches.map(({ counted }) => counted).reduce(both),
    total: branches.map(({ total }) => total).reduce(both),
  }
}

const both = (one: Interval, other: Interval): Interval => ({
  low: Math.min(one.low, other.low),
  high: Math.max(one.high, other.high),
})

/** When a window of the region can be over at the earliest. */
function earliestEnd(region: Region, number: number): number {
  return region.reduce(
    (least, { window, start }) => Math.min(least, start + (number + 1) * window),
    Number.POSITIVE_INFINITY,
  )
}

/** Every grid of such windows on which a request falls into window number 0. */
function anyGrid(reading: Reading, { low, high }: Interval): GridBranch {
  const region = [
    { window: low, start: reading.from - low },
    { window: high, start: reading.from - high },
    { window: high, start: reading.to },
    { window: low, start: reading.to },
  ]
  return {
    number: 0,
    counted: NONE,
    total: NONE,
    region,
    earliestEnd: earliestEnd(region, 0),
  }
}
