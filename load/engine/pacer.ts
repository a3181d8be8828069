import type { Engine } from './engine.ts'
import { pause } from './pause.ts'
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
  const underWay: Promise<void>[] = []
  const begin = engine.now()
  let over = false
  let sent = 0
  for (let index = 0; index < count && !over; index += 1) {
    const intendedAt = begin + (index * 1000) / ratePerSecond
    const wait = intendedAt - engine.now()
    await pause(wait, signal)
    if (over || engine.ended !== undefined) break
    const request = source.next()
    if (!request) continue
    const late = engine.now() - intendedAt
    const sending = { intendedAt, patient: false, ...(late < stallMs && { rate: ratePerSecond }) }
    underWay.push(
      engine.send(request, sending).then((outcome) => {
        source.learn(request, outcome?.answer)
        if (!outcome) return
        sent += 1
        shots.push(outcome.shot)
        if (!goOn(outcome.shot)) over = true
      }),
    )
  }
  await Promise.all(underWay)
  return { shots, left: count - sent }
}
