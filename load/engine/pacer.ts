import type { Engine } from './engine.ts'
import type { Shot, Source } from './shot.ts'
import { groupMs, Sleeper, SlidingSecond } from './timing.ts'

/** A constant arrival rate. */
export interface Schedule {
  readonly ratePerSecond: number
  readonly count: number
}

export interface Paced {
  /** In the order in which they ended. */
  readonly shots: readonly Shot[]
  /** Requests of the schedule that were never sent: the probe ended, or was asked to wait. */
  readonly left: number
  /** How late this machine or LOAD_MAX_RATE made the schedule, in milliseconds. */
  readonly delayMs: number
  /** Whether all were sent, in at most a tenth more than the time of the schedule. */
  readonly isRateMet: boolean
}

/** Delays up to this are jitter of timers, in milliseconds. */
const jitterMs = 20

/**
 * An open model: requests leave on an absolute schedule, whether or not earlier ones were answered, over as many
 * connections as the engine has. Requests that wait for a connection, because the target stalls, leave when there is one,
 * as arrivals would. A delay by this machine or LOAD_MAX_RATE is neither made up for in a burst nor counted as latency of
 * the target: it delays the rest of the schedule.
 * @param source where it has no request at the moment, a place of the schedule stays empty
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
  // Above that rate the requests of a few milliseconds leave together.
  const shortestSleepMs = 1000 / ratePerSecond < groupMs ? groupMs : 0
  // A second may begin with a group that was due in the one before.
  const rate = new SlidingSecond(ratePerSecond * (1 + shortestSleepMs / 1000))
  const begin = engine.now()
  let delayMs = 0
  let over = false
  for (let index = 0; index < count && !over; index += 1) {
    const dueAt = () => begin + delayMs + (index * 1000) / ratePerSecond
    // Requests that the guard would hold back for the rate wait here, with one timer for all.
    for (;;) {
      const early = Math.max(dueAt(), rate.earliest, engine.guard.earliest) - engine.now()
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
      source.learn(request, sent?.answer)
      if (sent) shots.push(sent.shot)
      if (sent && !goOn(sent.shot)) over = true
      inFlight.delete(ended)
    })
    inFlight.add(ended)
  }
  sleeper.close()
  await Promise.all(inFlight)
  const left = count - shots.length
  return { shots, left, delayMs, isRateMet: left === 0 && delayMs <= (100 * count) / ratePerSecond }
}
