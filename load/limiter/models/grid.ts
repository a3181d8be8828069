import type { DecisionInterval } from '../data-points.ts'
import { hull, type Interval, union } from '../interval.ts'
import { branchFit, type Fit, noneCounted, spread } from './model.ts'

/**
 * A grid: windows of one length that follow each other, such as the minutes of the clock. Its values are this length
 * and the start of window number 0, in milliseconds.
 */
interface Grid {
  readonly window: number
  readonly start: number
}

/** A set of grids: a convex polygon of points (`window`, `start`) with these corners, in order. Empty: no grid. */
type Polygon = readonly Grid[]

/**
 * One possible history ("branch"): how many requests were in which window. Several histories are possible, because
 * the phase of the grid (when its windows start) is unknown: the limiter's clock may be off.
 */
export interface GridBranch {
  /** Number of the window that contains the last request. */
  readonly number: number
  /** Number of requests in this window. */
  readonly counted: Interval
  /** Number of requests in this window and the previous window. */
  readonly total: Interval
  /** The grids that explain this history. */
  readonly polygon: Polygon
  /** The earliest time at which the window ends on any of these grids, in milliseconds. */
  readonly earliestEnd: number
}

/**
 * Counts one more request in the current window of a branch. Returns undefined if its outcome contradicts the branch.
 */
type CountingRule = (branch: GridBranch, decision: DecisionInterval) => GridBranch | undefined

/**
 * If more windows than this may have passed since the previous request, the fit starts again with grids of any phase.
 * By then, earlier requests no longer count.
 */
const maxGapWindows = 2

/** Above this number of branches, the fit joins similar branches. */
const manyBranches = 100

/** Above this number of branches, the fit replaces all branches by one that contains them. */
const maxBranches = 1000

/**
 * Finds the grids that explain the decisions of a limiter with this capacity.
 * @param periods possible lengths of a window before the first decision
 * @param areIndependent whether each window counts only its own requests; false if it also counts those before it
 */
export function gridFit(
  capacity: number,
  periods: Interval,
  areIndependent: boolean,
  rule: CountingRule,
): Fit {
  let joinAbove = manyBranches
  /** Joins branches whose counts differ by an increasing share of the capacity, until few enough remain. */
  const join = (branches: readonly GridBranch[], decision: DecisionInterval): readonly GridBranch[] => {
    if (branches.length <= joinAbove) return branches
    let joined = branches
    for (const share of [0, 1 / 32, 1 / 16, 1 / 8, 1 / 4]) {
      joined = joinSimilar(joined, Math.max(1, capacity * share))
      if (joined.length <= manyBranches) break
    }
    // If many remain, the next attempt waits until their number has doubled.
    joinAbove = Math.max(manyBranches, 2 * joined.length)
    return joined.length > maxBranches ? [joinAll(joined, decision)] : joined
  }
  return branchFit<GridBranch>(
    capacity,
    (branches, decision) => {
      const after: GridBranch[] = []
      const windowsAfterGap: Interval[] = []
      const count = (branch: GridBranch) => {
        const counted = rule(branch, decision)
        if (counted !== undefined) after.push(counted)
      }
      // A new window would admit `capacity` requests. If a 429 follows sooner, the previous window has not ended.
      const mayEnd = !areIndependent || decision.requestsUntil429 >= capacity
      for (const branch of branches ?? [anyGrid(decision, periods)]) {
        // Before the earliest end, the request is in the same window as the previous one.
        if (decision.to < branch.earliestEnd) count(branch)
        else windowsAfterGap.push(...advance(branch, decision, mayEnd, count))
      }
      for (const windows of union(windowsAfterGap)) count(anyGrid(decision, windows))
      return join(after, decision)
    },
    ({ polygon }) => windowsOf(polygon),
    ({ number, polygon }, { windows, ends }) =>
      spread(windowsOf(polygon), windows).flatMap((period) =>
        startsOf(polygon, period, ends).map((start) => ({
          capacity,
          period,
          start: start + number * period,
        })),
      ),
    ({ polygon }) => shareOfGrids(polygon),
  )
}

/** All grids with windows of these lengths whose window number 0 may contain the request. */
function anyGrid({ from, to }: DecisionInterval, { low, high }: Interval): GridBranch {
  const polygon = [
    { window: low, start: from - low },
    { window: high, start: from - high },
    { window: high, start: to },
    { window: low, start: to },
  ]
  return { ...onGrids(0, polygon), counted: noneCounted, total: noneCounted }
}

function onGrids(number: number, polygon: Polygon): Pick<GridBranch, 'number' | 'polygon' | 'earliestEnd'> {
  let earliestEnd = Number.POSITIVE_INFINITY
  for (const { window, start } of polygon) earliestEnd = Math.min(earliestEnd, start + (number + 1) * window)
  return { number, polygon, earliestEnd }
}

/**
 * Counts the request in each window that may contain it, as a branch of its own.
 * @param mayEnd whether the window of the previous request may have ended
 * @returns the window lengths with which more than `maxGapWindows` windows may have passed since the previous request
 */
function advance(
  branch: GridBranch,
  { from, to }: DecisionInterval,
  mayEnd: boolean,
  count: (branch: GridBranch) => void,
): Interval[] {
  for (let passed = 0; ; passed += 1) {
    const number = branch.number + passed
    const started = clip(branch.polygon, number, 1, to)
    if (started.length === 0 || (passed > 0 && !mayEnd)) return []
    if (passed > maxGapWindows) return [windowsOf(started)]
    const polygon = clip(started, -(number + 1), -1, -from)
    if (polygon.length === 0) continue
    const before =
      passed === 0 ? branch : { counted: noneCounted, total: passed === 1 ? branch.counted : noneCounted }
    count({ ...before, ...onGrids(number, polygon) })
  }
}

/**
 * Some possible starts of window number 0, if windows have this length: starts that fit the suggested ends of
 * windows, one before the middle, and one near the latest start.
 */
function startsOf(polygon: Polygon, window: number, ends: readonly number[]): number[] {
  const slice = clip(clip(polygon, 1, 0, window * 1.0005), -1, 0, -window * 0.9995)
  const { low, high } = hull(slice.map(({ start }) => ({ low: start, high: start })))
  if (!(low <= high)) return []
  const middle = (low + high) / 2
  if (high - low < 0.02 * window) return [middle]
  const suggested = ends
    .map((end) => end - Math.round((end - middle) / window) * window)
    .filter((start) => start > low && start < high)
  return [...suggested, low + 0.3 * (high - low), high - Math.min(300, 0.1 * (high - low))]
}

/**
 * Largest area of the polygon around two joined polygons, as a multiple of the sum of their areas. A larger polygon
 * would add many grids that do not explain the decisions.
 */
const maxGrowth = 1.2

/**
 * Joins branches with neighbouring grids and similar counts. Most of them differ only in the count of an earlier
 * window, which no longer matters.
 * @param step counts are rounded to multiples of this number for the comparison
 */
function joinSimilar(branches: readonly GridBranch[], step: number): GridBranch[] {
  const rounded = ({ low, high }: Interval) => `${Math.floor(low / step)}-${Math.floor(high / step)}`
  const groups = Map.groupBy(branches, ({ number, counted, total }) =>
    [number, rounded(counted), rounded(total)].join(),
  )
  return [...groups.values()].flatMap((group) => {
    const result: GridBranch[] = []
    for (const branch of group.sort((a, b) => windowsOf(a.polygon).low - windowsOf(b.polygon).low)) {
      const last = result.at(-1)
      const polygon = last && convexHull([...last.polygon, ...branch.polygon])
      if (last && polygon && area(polygon) <= maxGrowth * (area(last.polygon) + area(branch.polygon))) {
        result[result.length - 1] = { ...onGrids(last.number, polygon), ...countsOf([last, branch]) }
      } else result.push(branch)
    }
    return result
  })
}

/** One branch with grids of any phase that contains all these branches. */
function joinAll(branches: readonly GridBranch[], decision: DecisionInterval): GridBranch {
  const windows = hull(branches.map(({ polygon }) => windowsOf(polygon)))
  return { ...anyGrid(decision, windows), ...countsOf(branches) }
}

function countsOf(branches: readonly GridBranch[]): Pick<GridBranch, 'counted' | 'total'> {
  return {
    counted: hull(branches.map(({ counted }) => counted)),
    total: hull(branches.map(({ total }) => total)),
  }
}

/** The part of a polygon where `a · window + b · start <= c` (Sutherland–Hodgman clipping). */
export function clip(polygon: Polygon, a: number, b: number, c: number): Polygon {
  const excess = ({ window, start }: Grid) => a * window + b * start - c
  if (polygon.every((corner) => excess(corner) <= 0)) return polygon
  const kept: Grid[] = []
  for (const [index, from] of polygon.entries()) {
    const to = polygon[(index + 1) % polygon.length] as Grid
    const before = excess(from)
    const after = excess(to)
    if (before <= 0) kept.push(from)
    if (before <= 0 === after <= 0) continue
    const share = before / (before - after)
    const window = from.window + share * (to.window - from.window)
    kept.push({ window, start: from.start + share * (to.start - from.start) })
  }
  return kept
}

/** The smallest convex polygon around all points (Andrew's monotone chain). */
function convexHull(points: readonly Grid[]): Polygon {
  const sorted = points.toSorted((a, b) => a.window - b.window || a.start - b.start)
  const half = (ordered: readonly Grid[]) => {
    const chain: Grid[] = []
    for (const point of ordered) {
      while (chain.length > 1 && !turnsLeft(chain.at(-2) as Grid, chain.at(-1) as Grid, point)) chain.pop()
      chain.push(point)
    }
    return chain.slice(0, -1)
  }
  return [...half(sorted), ...half(sorted.toReversed())]
}

function turnsLeft(a: Grid, b: Grid, c: Grid): boolean {
  return (b.window - a.window) * (c.start - a.start) - (b.start - a.start) * (c.window - a.window) > 0
}

function windowsOf(polygon: Polygon): Interval {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { window } of polygon) {
    low = Math.min(low, window)
    high = Math.max(high, window)
  }
  return { low, high }
}

/** Shoelace formula. */
function area(polygon: Polygon): number {
  let twice = 0
  for (const [index, from] of polygon.entries()) {
    const to = polygon[(index + 1) % polygon.length] as Grid
    twice += from.window * to.start - to.window * from.start
  }
  return Math.abs(twice) / 2
}

/**
 * Prior probability of the grids: log-uniform over windows, uniform over their starts. It is the integral of
 * `1 / window ** 2` over the polygon, computed by Green's theorem.
 */
function shareOfGrids(polygon: Polygon): number {
  let sum = 0
  for (const [index, from] of polygon.entries()) {
    const to = polygon[(index + 1) % polygon.length] as Grid
    const longer = to.window - from.window
    if (longer === 0) continue
    const slope = (to.start - from.start) / longer
    const start = from.start - slope * from.window
    sum += (start * longer) / (from.window * to.window) + slope * Math.log1p(longer / from.window)
  }
  return Math.abs(sum)
}
