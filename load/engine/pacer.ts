import type { Engine } from './engine.ts'
import { groupMs, Sleeper } from './pause.ts'
import type { Shot, Source } from './shot.ts'
import { SlidingSecond } from './sliding-second.ts'

/** A constant arrival rate. */
export interface Pace {
  readonly ratePerSecond: number
  readonly count: number
}

export interface Paced {
  /** In the order in which they ended. */
  readonly shots: readonly Shot[]
  /** Requests of the schedule that were never sent, because the probe ended or was told to wait. */
  readonly left: number
  /** How much later the schedule ended than it should, because of this machine or LOAD_MAX_RATE, in milliseconds. */
  readonly putOffMs: number
  /** Whether all were sent, in at most a tenth more than the time they should take. */
  readonly isRateMet: boolean
}

/** What is later than this has met more than the jitter of timers, in milliseconds. */
const hiccupMs = 20

/**
 * An open model: requests leave at their times on an absolute schedule, whether or not earlier ones were answered,
 * over as many connections as the engine has. What a target that stalls left waiting for a connection leaves when it
 * has one, as arrivals would. What this machine or LOAD_MAX_RATE holds up is neither made up for in a rush nor counted
 * as the target's latency: it puts off all that follows.
 * @param source makes the requests; where it has none at the moment, a place of the schedule stays empty
 * @param goOn asked after each shot; false ends the schedule
 */
export async function paced(
  engine: Engine,
  { ratePerSecond, count }: Pace,
  source: Source,
  goOn: (shot: Shot) => boolean,
  signal: AbortSignal,
): Promise<Paced> {
  const shots: Shot[] = []
  const underWay = new Set<Promise<void>>()
  const sleeper = new Sleeper(signal)
  // Above that rate the requests of a few milliseconds leave together.
  const shortestSleepMs = 1000 / ratePerSecond < groupMs ? groupMs : 0
  // A second may begin with a group that was due in the one before.
  const rate = new SlidingSecond(ratePerSecond * (1 + shortestSleepMs / 1000))
  const begin = engine.now()
  let putOffMs = 0
  let over = false
  for (let index = 0; index < count && !over; index += 1) {
    const dueAt = () => begin + putOffMs + (index * 1000) / ratePerSecond
    // Whom the guard would send away for the rate waits here, where one timer does for all.
    for (;;) {
      const early = Math.max(dueAt(), rate.earliest, engine.guard.earliest) - engine.now()
      if (early <= 0 || signal.aborted) break
      await sleeper.sleep(Math.max(shortestSleepMs, Math.ceil(early)))
    }
    if (over || engine.ended !== undefined) break
    const lateMs = engine.now() - dueAt()
    if (lateMs > hiccupMs) putOffMs += lateMs
    const request = source.next()
    if (!request) continue
    rate.leaves(engine.now())
    const ended = engine.send(request, { intendedAt: dueAt(), patient: false }).then((sent) => {
      source.learn(request, sent?.answer)
      if (sent) shots.push(sent.shot)
      if (sent && !goOn(sent.shot)) over = true
      underWay.delete(ended)
    })
    underWay.add(ended)
  }
  sleeper.close()
  await Promise.all(underWay)
  const left = count - shots.length
  return { shots, left, putOffMs, isRateMet: left === 0 && putOffMs <= (100 * count) / ratePerSecond }
}
