import type { Engine } from './engine.ts'
import type { Shot, Source } from './shot.ts'
import { groupMs, Sleeper, SlidingSecond } from './timing.ts'

/** A constant arrival rate. */
export interface Schedule {
  readonly ratePerSecond: number
  readonly count: number
}

export interface Paced {
  /** In order of completion. */
  readonly shots: readonly Shot[]
  /** Scheduled requests that were not sent: the probe ended, or had to wait. */
  readonly unsent: number
  /** Delay of the schedule by this machine or LOAD_MAX_RATE, in milliseconds. */
  readonly delayMs: number
  /** Whether all requests were sent, in at most 110 % of the time of the schedule. */
  readonly isRateMet: boolean
}

/** Delays up to this are jitter of timers, in milliseconds. */
const jitterMs = 20

/**
 * An open model: requests leave on an absolute schedule, independent of earlier responses, over the connections of the
 * engine. Requests that wait for a connection, because the target stalls, leave when one is free, as arrivals would. A
 * delay by this machine or LOAD_MAX_RATE causes no burst and does not count as latency of the target: it delays the rest
 * of the schedule.
 * @param source if it has no request, that place of the schedule stays empty
 * @param goOn called after each shot; false ends the schedule
 */
export async function paced(
  engine: Engine,
  { ratePerSecond, count }: Schedule,
  source: Source,
  goOn: (shot: Shot) => boolean,
  signal: AbortSignal,
): Promise<Paced> {
  const shots: Shot[] = []
  const inFlight = new Set<Promise<void>>()
  const sleeper = new Sleeper(signal)
  // Above 250 requests/s (one per `groupMs`), requests leave in groups.
  const shortestSleepMs = 1000 / ratePerSecond < groupMs ? groupMs : 0
  // A second may start with a group that was due in the previous one.
  const rate = new SlidingSecond(ratePerSecond * (1 + shortestSleepMs / 1000))
  // A wait for the rate of requests before this schedule does not delay it.
  const begin = Math.max(engine.now(), engine.guard.earliest)
  let delayMs = 0
  let over = false
  for (let index = 0; index < count && !over; index += 1) {
    const dueAt = () => begin + delayMs + (index * 1000) / ratePerSecond
    // Requests that the guard would hold back for the rate wait here, with one common timer.
    for (;;) {
      const held = Math.max(rate.earliest, engine.guard.earliest) - dueAt()
      if (held > 0) delayMs += held
      const early = dueAt() - engine.now()
      if (early <= 0 || signal.aborted) break
      await sleeper.sleep(Math.max(shortestSleepMs, Math.ceil(early)))
    }
    if (over || engine.ended !== undefined) break
    const lateMs = engine.now() - dueAt()
    if (lateMs > jitterMs) delayMs += lateMs
    const request = source.next()
    if (!request) continue
    rate.leaves(engine.now())
    const ended = engine.send(request, { intendedAt: dueAt(), patient: false }).then((sent) => {
      source.learn?.(request, sent?.response)
      if (sent) shots.push(sent.shot)
      if (sent && !goOn(sent.shot)) over = true
      inFlight.delete(ended)
    })
    inFlight.add(ended)
  }
  sleeper.close()
  await Promise.all(inFlight)
  const unsent = count - shots.length
  return { shots, unsent, delayMs, isRateMet: unsent === 0 && delayMs <= (100 * count) / ratePerSecond }
}
