import { colour } from '../../src/chart/palette.ts'
import { counted } from '../../src/text/format.ts'
import type { Shot } from '../engine/shot.ts'
import { type Identified, limiterName, type Simulation, simulationOf } from '../limiter/index.ts'
import { identifiedIn, type ProbeResult } from '../result.ts'
import { isRefusedByLimiter, type ShotOutcome, shotOutcome } from './outcome.ts'
import { dotLayer, hiddenAxis, type Layer, named, type Panel, quantity, resolve, type Time } from './panel.ts'

interface Point {
  /** Seconds since the probe began to send. */
  readonly at: number
  /** Requests that the limiter would admit at once. */
  readonly remaining: number
}

/** How many requests an identified limiter would admit at once, at each time of a probe. */
interface Replay {
  /** Points before and after each request, and between requests. */
  readonly line: readonly Point[]
  /** Each request, with the remaining requests of the limiter just before it. */
  readonly shots: readonly (Point & { readonly outcome: ShotOutcome })[]
  /** Number of requests whose outcome contradicts the limiter. */
  readonly contradictions: number
  /** Assumed number of requests before the probe that the limiter has counted. */
  readonly earlier: number
}

/** An assumption: the limiter has counted this many requests just before the probe, all at one time. */
interface EarlierRequests {
  readonly count: number
  /** Time from these requests to the first request of the probe, in milliseconds. */
  readonly msBefore: number
}

/** Largest number of earlier requests that is tried. */
const maxEarlier = 9
/** Number of times of earlier requests that are tried, evenly spread over one window. */
const timesPerWindow = 40

/**
 * Replays the requests of a probe with the identified limiter, which may have counted earlier requests. Their number
 * and time are not known: the replay assumes those with the fewest contradictions.
 * @returns undefined for a queue
 */
export function replayOf(shots: readonly Shot[], found: Identified): Replay | undefined {
  const { capacity } = found
  const fresh = simulationOf(found)
  if (capacity === undefined || fresh === undefined) return undefined
  const inOrder = shots.toSorted((one, other) => one.sentAt - other.sentAt)
  let best: EarlierRequests = { count: 0, msBefore: 0 }
  let contradictions = contradictionsOf(inOrder, fresh, best)
  for (const earlier of possibleEarlierRequests(found)) {
    const other = contradictions === 0 ? 0 : contradictionsOf(inOrder, fresh, earlier)
    if (other >= contradictions) continue
    best = earlier
    contradictions = other
  }
  return { ...replay(inOrder, fresh, capacity, best), contradictions, earlier: best.count }
}

/** All assumptions that are tried. Without windows, the earlier requests are at the start of the probe. */
function possibleEarlierRequests({ windowMs = 0 }: Identified): EarlierRequests[] {
  const times = windowMs === 0 ? 1 : timesPerWindow
  return Array.from({ length: maxEarlier * times }, (_, index) => ({
    count: 1 + (index % maxEarlier),
    msBefore: (windowMs * Math.floor(index / maxEarlier)) / times,
  }))
}

/** A copy of the fresh limiter after it has admitted the earlier requests. */
function limiterAfter(fresh: Simulation, { count, msBefore }: EarlierRequests, startedAt: number) {
  const limiter = fresh.copy()
  for (let request = 0; request < count; request += 1) limiter.record(startedAt - msBefore, true)
  return limiter
}

/** The assumed time of the limiter's decision: in the middle between sending and the end of the response. */
function decidedAt({ sentAt, endedAt }: Shot): number {
  return (sentAt + endedAt) / 2
}

/** Number of requests whose outcome contradicts the limiter. @param shots in order of sending */
function contradictionsOf(shots: readonly Shot[], fresh: Simulation, earlier: EarlierRequests): number {
  const limiter = limiterAfter(fresh, earlier, shots[0]?.sentAt ?? 0)
  let contradictions = 0
  for (const shot of shots) {
    const { sentAt, endedAt } = shot
    const isAdmitted = !isRefusedByLimiter(shot, shots[0])
    // The limiter decides between sending and the end of the response. So an admission contradicts it only if it would
    // refuse even at the end, and a refusal only if it would admit even at the start.
    if (isAdmitted ? limiter.nextAdmission(endedAt) > endedAt : limiter.nextAdmission(sentAt) <= sentAt)
      contradictions += 1
    limiter.record(decidedAt(shot), isAdmitted)
  }
  return contradictions
}

function replay(
  shots: readonly Shot[],
  fresh: Simulation,
  capacity: number,
  earlier: EarlierRequests,
): Pick<Replay, 'line' | 'shots'> {
  let before = shots[0]?.sentAt ?? 0
  const limiter = limiterAfter(fresh, earlier, before)
  const result = { line: [] as Point[], shots: [] as (Point & { outcome: ShotOutcome })[] }
  /** @param at milliseconds */
  const remainingAt = (at: number) => {
    const copy = limiter.copy()
    let remaining = 0
    for (; remaining < capacity && copy.nextAdmission(at) <= at; remaining += 1) copy.record(at, true)
    return remaining
  }
  for (const shot of shots) {
    const at = decidedAt(shot)
    result.line.push(...pointsBetween(before, at, remainingAt))
    const remaining = remainingAt(at)
    limiter.record(at, !isRefusedByLimiter(shot, shots[0]))
    result.line.push({ at: at / 1000, remaining }, { at: at / 1000, remaining: remainingAt(at) })
    result.shots.push({ at: at / 1000, remaining, outcome: shotOutcome(shot) })
    before = at
  }
  return result
}

/** The line has no points between two requests with a shorter gap, in milliseconds. */
const shortGapMs = 200
/** Number of even steps between two requests: they show how the limiter recovers. */
const evenSteps = 25
/** How often a step is halved to find where the line jumps: the jump then looks vertical. */
const halvings = 7

/** Points between two requests, in milliseconds from `from` to `until`. */
function pointsBetween(from: number, until: number, remainingAt: (at: number) => number): Point[] {
  if (until - from < shortGapMs) return []
  const points: Point[] = []
  const add = (at: number, remaining: number) => points.push({ at: at / 1000, remaining })
  const addJump = (start: number, end: number, before: number, after: number) => {
    let [low, high] = [start, end]
    for (let half = 0; half < halvings; half += 1) {
      const middle = (low + high) / 2
      if (remainingAt(middle) - before < (after - before) / 2) low = middle
      else high = middle
    }
    add(low, remainingAt(low))
    add(high, remainingAt(high))
  }
  const step = (until - from) / evenSteps
  let before = remainingAt(from)
  for (let index = 1; index <= evenSteps; index += 1) {
    const at = from + index * step
    const remaining = remainingAt(at)
    if (remaining > before + 1) addJump(at - step, at, before, remaining)
    add(at, remaining)
    before = remaining
  }
  return points
}

/**
 * The identified limiter as a line, with a dot for each request. The limiter explains the responses if each 429 is at 0
 * and each other response above 0. Empty if the probe identified no limiter, or a queue.
 */
export function limiterPanel(result: ProbeResult, { x, layout }: Time): Panel[] {
  const limiter = identifiedIn(result)
  const replay = limiter && replayOf(result.shots, limiter)
  if (limiter === undefined || replay === undefined) return []
  const after =
    replay.earlier === 0
      ? ''
      : `, if ${counted(replay.earlier, 'earlier request')} ${replay.earlier === 1 ? 'counts' : 'count'}`
  const label = `${limiterName(limiter)}: calculated requests left${after}`
  const y = {
    field: 'remaining',
    ...quantity([-0.06 * (limiter.capacity ?? 1), 1.08 * (limiter.capacity ?? 1)]),
    title: 'requests left',
    axis: { tickCount: 4, tickMinStep: 1 },
  }
  const line: Layer = {
    data: { values: [...replay.line] },
    mark: { type: 'line', strokeWidth: 1.5 },
    encoding: {
      x: { field: 'at', ...x, axis: hiddenAxis },
      y,
      // The points have no `order`, so Vega-Lite keeps their order instead of sorting them by time.
      order: { field: 'order' },
      color: named(label, colour.limit, 'stroke', layout),
    },
  }
  const dots = dotLayer(replay.shots, { ...x, axis: hiddenAxis }, y)
  return [{ width: layout.plotWidth, height: 130, layer: [line, dots], resolve }]
}
