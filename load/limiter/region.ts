/** Values between two bounds. */
export interface Interval {
  readonly low: number
  readonly high: number
}

/** The same values in as few intervals as possible. */
export function union(intervals: readonly Interval[]): Interval[] {
  const merged: Interval[] = []
  for (const interval of [...intervals].sort((one, other) => one.low - other.low)) {
    const last = merged.at(-1)
    if (last !== undefined && interval.low <= last.high) {
      merged[merged.length - 1] = { low: last.low, high: Math.max(last.high, interval.high) }
    } else merged.push(interval)
  }
  return merged
}

/** A point of the plane of windows on a grid: the window, and where window number 0 begins (milliseconds). */
export interface GridPoint {
  readonly window: number
  readonly start: number
}

/** A convex polygon by its corners in order; empty: nothing is left. */
export type Region = readonly GridPoint[]

/** Cuts a region down to where `a · window + b · start <= c` (Sutherland–Hodgman against one half-plane). */
export function cut(region: Region, a: number, b: number, c: number): Region {
  let outside = 0
  for (const point of region) if (a * point.window + b * point.start > c) outside += 1
  if (outside === 0) return region
  if (outside === region.length) return []
  const kept: GridPoint[] = []
  for (let index = 0; index < region.length; index += 1) {
    const from = region[index] as GridPoint
    const to = region[(index + 1) % region.length] as GridPoint
    const before = a * from.window + b * from.start - c
    const after = a * to.window + b * to.start - c
    if (before <= 0) kept.push(from)
    if (before <= 0 !== after <= 0) {
      const share = before / (before - after)
      kept.push({
        window: from.window + share * (to.window - from.window),
        start: from.start + share * (to.start - from.start),
      })
    }
  }
  return kept
}

/** The least region that holds both (Andrew's monotone chain). */
export function hull(one: Region, other: Region): Region {
  const points = [...one, ...other].sort((a, b) => a.window - b.window || a.start - b.start)
  const half = (ordered: readonly GridPoint[]) => {
    const chain: GridPoint[] = []
    for (const point of ordered) {
      while (chain.length > 1 && !turnsLeft(chain.at(-2), chain.at(-1), point)) chain.pop()
      chain.push(point)
    }
    return chain.slice(0, -1)
  }
  return [...half(points), ...half(points.toReversed())]
}

function turnsLeft(a: GridPoint | undefined, b: GridPoint | undefined, c: GridPoint): boolean {
  if (a === undefined || b === undefined) return true
  return (b.window - a.window) * (c.start - a.start) - (b.start - a.start) * (c.window - a.window) > 0
}

/** The windows of a region. */
export function windows(region: Region): Interval {
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  for (const { window } of region) {
    if (window < low) low = window
    if (window > high) high = window
  }
  return { low, high }
}

/** The area of a region (shoelace formula). */
export function area(region: Region): number {
  let twice = 0
  for (const [index, from] of region.entries()) {
    const to = region[(index + 1) % region.length] as GridPoint
    twice += from.window * to.start - to.window * from.start
  }
  return Math.abs(twice) / 2
}
