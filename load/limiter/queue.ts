import type { Characterisation } from './characterisation.ts'
import type { Log } from './log.ts'
import type { Observation } from './observation.ts'
import { roundest } from './round.ts'

/** Answers in a row that have to come at even distances before a queue is suspected. */
const EVEN_ANSWERS = 8
const EVEN_SHARE = 0.2

/**
 * A leaky bucket as a queue (as nginx limit_req without nodelay) refuses nothing of one request at a time: it delays
 * each answer so that they come at an even rate. It is told from a slow target by a rest, after which the answer is
 * quick again.
 * @returns undefined: nothing of the kind
 */
export async function queueAmong(log: Log): Promise<Characterisation | undefined> {
  const { asked: observations } = log
  // Suspected anew only now and then: a slow target would be asked to rest all the time.
  if (observations.length < EVEN_ANSWERS + 2 || observations.length % EVEN_ANSWERS !== 2) return undefined
  const spacing = evenSpacing(observations.slice(-EVEN_ANSWERS - 1))
  const quickest = Math.min(...observations.map(service))
  const delayed = observations.slice(-EVEN_ANSWERS).every((answer) => service(answer) > 2 * quickest + 5)
  if (spacing === undefined || !delayed) return undefined
  for (let round = 0; round < 3; round += 1) {
    const rested = await log.ask((log.last?.endedAt ?? 0) + 1.2 * spacing)
    const atOnce = await log.ask(0)
    if (rested?.outcome !== 'admitted' || atOnce?.outcome !== 'admitted') return undefined
    if (
      service(rested) > spacing / 2 ||
      Math.abs(atOnce.endedAt - rested.endedAt - spacing) > spacing * EVEN_SHARE
    ) {
      return undefined
    }
  }
  return queue(log)
}

const service = ({ sentAt, endedAt }: Observation) => endedAt - sentAt

/** The distance between answers, where it is always the same. */
function evenSpacing(answers: readonly Observation[]): number | undefined {
  const gaps = answers.slice(1).map((answer, index) => answer.endedAt - (answers[index]?.endedAt ?? 0))
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length
  return gaps.every((gap) => Math.abs(gap - mean) <= mean * EVEN_SHARE) ? mean : undefined
}

function queue(log: Log): Characterisation {
  const { asked: observations } = log
  const quickest = Math.min(...observations.map(service))
  const delayed = observations.filter((answer, index) => index > 0 && service(answer) > 2 * quickest + 5)
  const first = observations.indexOf(delayed[0] as Observation)
  // The longest run of delayed answers gives the rate: its length over its time, one gap of jitter either way.
  let run = first
  while (delayed.includes(observations[run + 1] as Observation)) run += 1
  const gaps = run - first
  const lasted = (observations[run]?.endedAt ?? 0) - (observations[first]?.endedAt ?? 0)
  const jitter = Math.max(2, quickest)
  // A queue may count from when a request reaches it: then each gap holds the way to it and back as well.
  const onTheWay = observations
    .slice(first + 1, run + 1)
    .reduce(
      (sum, { sentAt }, index) => sum + quickest + sentAt - (observations[first + index]?.endedAt ?? 0),
      0,
    )
  const rateInterval = {
    low: (gaps * 1000) / (lasted + jitter),
    high: (gaps * 1000) / (lasted - jitter - onTheWay),
  }
  return {
    result: 'identified',
    kind: 'leaky-bucket',
    variant: 'a queue: it delays instead of refusing',
    rate: roundest(rateInterval),
    rateInterval,
    proof: {
      observations: observations.length,
      explained: observations.length,
      nextBest: { kind: 'token-bucket', explained: observations.length - delayed.length },
      sentence: `${delayed.length} answers were delayed to come at an even rate, and none was after a rest; a limiter that refuses explains none of the delays.`,
    },
    notes: [
      `${first} answers in a row came without a delay at first.`,
      'How many requests the queue holds shows only with several in flight.',
    ],
    requests: observations.length,
    elapsedMs: log.elapsedMs,
  }
}
