import type { Engine } from './engine.ts'
import { groupMs, Sleeper } from './pause.ts'
import type { Shot, Source } from './shot.ts'

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
}

/** A backlog that is older than this comes from a target that stalls, not from timers, in milliseconds. */
const stallMs = 100
/**
 * An open model: requests leave at their times on an absolute schedule, whether or not earlier ones were answered,
 * over as many connections as the engine has. Small lateness of timers is never made up for in a rush; what a
 * target that stalls left waiting is, as arrivals would be, but never faster than LOAD_MAX_RATE.
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
  const begin = engine.now()
  /** What holds a request that is so late: the schedule's own rate, or that of all probes where the target stalled. */
  const rateAt = (lateMs: number) => (lateMs < stallMs ? ratePerSecond : undefined)
  // Above that rate the requests of a few milliseconds leave together.
  const shortestSleepMs = 1000 / ratePerSecond < groupMs ? groupMs : 0
  let over = false
  for (let index = 0; index < count && !over; index += 1) {
    const intendedAt = begin + (index * 1000) / ratePerSecond
    let rate = rateAt(engine.now() - intendedAt)
    // Whom the guard would send away for the rate waits here, where one timer does for all.
    for (;;) {
      const early = Math.max(intendedAt, engine.guard.earliest(rate)) - engine.now()
      if (early <= 0 || signal.aborted) break
      await sleeper.sleep(Math.max(shortestSleepMs, Math.ceil(early)))
      rate = rateAt(engine.now() - intendedAt)
    }
    if (over || engine.ended !== undefined) break
    const request = source.next()
    if (!request) continue
    const sending = { intendedAt, patient: false, ...(rate !== undefined && { rate }) }
    const ended = engine.send(request, sending).then((sent) => {
      source.learn(request, sent?.answer)
      if (sent) shots.push(sent.shot)
      if (sent && !goOn(sent.shot)) over = true
      underWay.delete(ended)
    })
    underWay.add(ended)
  }
  sleeper.close()
  await Promise.all(underWay)
  return { shots, left: count - shots.length }
}
