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
  /** Number of scheduled requests that were not sent, such as those that were due before the end of Retry-After. */
  readonly unsent: number
  /** Delay of the schedule by this machine or LOAD_MAX_RATE, in milliseconds. */
  readonly delayMs: number
  /** Whether all requests were sent, in at most 110 % of the time of the schedule. */
  readonly isRateMet: boolean
}

/** A request that leaves at most this late counts as on time, since timers have jitter. In milliseconds. */
const jitterMs = 20

/**
 * Sends requests in an open model: they leave on an absolute schedule, independent of earlier responses. If the
 * target stalls, requests wait for a free connection, and this wait is latency. A delay by this machine or
 * LOAD_MAX_RATE is not latency of the target, and causes no burst: it delays the rest of the schedule.
 * @param source if it has no request when one is due, none is sent, and the schedule continues
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
  // After a delay, requests must not leave faster than scheduled. With groups, a second may contain slightly more
  // requests: those of a group that was due in the previous second.
  const rate = new SlidingSecond(ratePerSecond * (1 + shortestSleepMs / 1000))
  // The schedule starts as soon as LOAD_MAX_RATE admits a request after those of earlier schedules.
  const begin = Math.max(engine.now(), engine.guard.earliest)
  let delayMs = 0
  let isOver = false
  for (let index = 0; index < count && !isOver; index += 1) {
    const dueAt = () => begin + delayMs + (index * 1000) / ratePerSecond
    // A request waits here for LOAD_MAX_RATE, so that the guard need not delay it with another timer.
    for (;;) {
      const capDelayMs = Math.max(rate.earliest, engine.guard.earliest) - dueAt()
      if (capDelayMs > 0) delayMs += capDelayMs
      const earlyMs = dueAt() - engine.now()
      if (earlyMs <= 0 || signal.aborted) break
      await sleeper.sleep(Math.max(shortestSleepMs, Math.ceil(earlyMs)))
    }
    if (isOver || engine.ended !== undefined) break
    const lateMs = engine.now() - dueAt()
    if (lateMs > jitterMs) delayMs += lateMs
    const request = source.next()
    if (!request) continue
    rate.leaves(engine.now())
    // `patient: false`: a request that is due before the end of Retry-After is not sent.
    const ended = engine.send(request, { intendedAt: dueAt(), patient: false }).then((sent) => {
      source.learn?.(request, sent?.response)
      if (sent) shots.push(sent.shot)
      if (sent && !goOn(sent.shot)) isOver = true
      inFlight.delete(ended)
    })
    inFlight.add(ended)
  }
  sleeper.close()
  await Promise.all(inFlight)
  const unsent = count - shots.length
  return { shots, unsent, delayMs, isRateMet: unsent === 0 && delayMs <= (100 * count) / ratePerSecond }
}
