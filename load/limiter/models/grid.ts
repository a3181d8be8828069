import type { Reading } from '../observation.ts'
import { cut, hull, type Interval, type Region, union, windows } from '../region.ts'
import { type Fit, LONGEST_PERIOD_MS, spread, type Values } from './model.ts'

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
  /** Tells histories apart that differ in earlier windows: those that parted at the end of one window share an origin. */
  readonly lineage: object
  readonly origin: object
}

/** What a window makes of one more request: the branch after it, or undefined where the outcome contradicts it. */
export type WindowRule = (branch: GridBranch, reading: Reading) => GridBranch | undefined

const NONE: Interval = { low: 0, high: 0 }

/** More windows than this between two requests: their exact number is given up, and with it the grid's phase. */
const FORGET_AFTER_WINDOWS = 2

/** Histories whose counts differ by no more than this part of the capacity go on as one. */
const JOINED_SHARE = 16

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
    const turned: GridBranch[] = []
    const forgotten: Interval[] = []
    for (const branch of before) this.#advance(branch, reading, after, turned, forgotten)
    if (this.#fullAlone) after.push(...turned)
    else {
      const origins =
        turned.length === 0 ? undefined : Map.groupBy(after.keys(), (index) => after[index]?.origin)
      for (const branch of turned) this.#join(branch, after, origins?.get(branch.origin) ?? [])
    }
    for (const window of union(forgotten)) {
      const anew = this.#rule(anyGrid(reading, window), reading)
      if (anew !== undefined) after.push(anew)
    }
    if (after.length === 0) return false
    this.#branches = after.length > MOST_BRANCHES ? [blurred(after, reading)] : after
    return true
  }

  /** Puts the request into each window that it may have met. */
  #advance(
    branch: GridBranch,
    reading: Reading,
    after: GridBranch[],
    turned: GridBranch[],
    forgotten: Interval[],
  ): void {
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
      if (passed === 0) {
        const next = this.#rule({ ...branch, ...within }, reading)
        if (next !== undefined) after.push(next)
      } else {
        const total = passed === 1 ? branch.counted : NONE
        const next = this.#rule(
          { ...within, counted: NONE, total, lineage: {}, origin: branch.lineage },
          reading,
        )
        if (next !== undefined) turned.push(next)
      }
    }
  }

  /**
   * Whether a window began before this request of a burst or before the one a little earlier hardly matters: such
   * histories go on as one, since otherwise there would be as many as requests, for each window.
   */
  #join(branch: GridBranch, after: GridBranch[], siblings: readonly number[]): void {
    const index = siblings.find((candidate) => {
      const { number, counted } = after[candidate] as GridBranch
      return number === branch.number && counted.high - branch.counted.low <= this.capacity / JOINED_SHARE - 1
    })
    const other = index === undefined ? undefined : after[index]
    if (index === undefined || other === undefined) {
      after.push(branch)
      return
    }
    const region = hull(other.region, branch.region)
    after[index] = {
      ...other,
      counted: both(other.counted, branch.counted),
      total: both(other.total, branch.total),
      region,
      earliestEnd: earliestEnd(region, other.number),
    }
  }

  periods(): Interval {
    const all = (this.#branches ?? []).map(({ region }) => windows(region))
    return { low: Math.min(...all.map(({ low }) => low)), high: Math.max(...all.map(({ high }) => high)) }
  }

  samples(suggested: readonly number[]): Values[] {
    return (this.#branches ?? []).flatMap(({ number, region }) =>
      spread(windows(region), suggested).flatMap((period) =>
        starts(region, period).map((start) => ({
          capacity: this.capacity,
          period,
          start: start + number * period,
        })),
      ),
    )
  }
}

/** Some beginnings that a region leaves to one window: the middle, and the last, since waits are mostly just enough. */
function starts(region: Region, window: number): number[] {
  const slice = cut(cut(region, 1, 0, window * 1.0005), -1, 0, -window * 0.9995)
  const low = Math.min(...slice.map(({ start }) => start))
  const high = Math.max(...slice.map(({ start }) => start))
  if (!(low <= high)) return []
  return high - low < 0.02 * window
    ? [(low + high) / 2]
    : [low + 0.3 * (high - low), high - Math.min(300, 0.1 * (high - low))]
}

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
    lineage: {},
    origin: {},
  }
}
