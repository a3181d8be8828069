import type { Identified } from './conclusion.ts'
import type { DataPoint } from './data-points.ts'
import type { BudgetedExperiment } from './experiment.ts'
import { roundNumberIn } from './interval.ts'
import { durationOf, evenSpacing, quickestOf } from './times.ts'

/** Evenly spaced responses in a row that suggest a queue. */
const evenResponses = 8

/** Greatest deviation of the time between two responses from the mean, as its share. */
const maxUnevenness = 0.2

/**
 * A leaky bucket as a queue (nginx limit_req without nodelay) refuses no request sent one at a time: it delays
 * responses to an even rate. Unlike a slow target it responds quickly after a pause, so this sends a few requests.
 * @returns undefined: no queue
 */
export async function identifyQueue(experiment: BudgetedExperiment): Promise<Identified | undefined> {
  const { sent } = experiment.record
  // Tried only now and then, since a slow target looks like a queue all the time.
  if (sent.length < evenResponses + 2 || sent.length % evenResponses !== 2) return undefined
  const latest = sent.slice(-evenResponses - 1)
  const spacing = evenSpacing(
    latest.map(({ endedAt }) => endedAt),
    maxUnevenness,
  )
  if (spacing === undefined || !latest.slice(1).every(delayIn(sent))) return undefined
  for (let round = 0; round < 3; round += 1) {
    const afterPause = await experiment.send((experiment.record.last?.endedAt ?? 0) + 1.2 * spacing)
    const atOnce = await experiment.send(0)
    if (afterPause?.outcome !== 'admitted' || atOnce?.outcome !== 'admitted') return undefined
    const unevenness = Math.abs(atOnce.endedAt - afterPause.endedAt - spacing)
    if (durationOf(afterPause) > spacing / 2 || unevenness > spacing * maxUnevenness) return undefined
  }
  return identifiedByDelays(experiment)
}

/** Whether a response is delayed, compared with the quickest. */
function delayIn(dataPoints: readonly DataPoint[]): (dataPoint: DataPoint) => boolean {
  const threshold = 2 * quickestOf(dataPoints) + 5
  return (dataPoint) => durationOf(dataPoint) > threshold
}

function identifiedByDelays(experiment: BudgetedExperiment): Identified {
  const { sent } = experiment.record
  const isDelayed = delayIn(sent)
  const first = sent.findIndex((dataPoint, index) => index > 0 && isDelayed(dataPoint))
  const quick = sent.findIndex((dataPoint, index) => index > first && !isDelayed(dataPoint))
  const rateInterval = rateOf(sent.slice(first, quick === -1 ? undefined : quick), quickestOf(sent))
  const delayed = sent.slice(1).filter(isDelayed).length
  return {
    result: 'identified',
    kind: 'leaky-bucket',
    variant: 'queue',
    rate: roundNumberIn(rateInterval),
    rateInterval,
    proof: {
      observations: sent.length,
      explained: sent.length,
      nextBest: { kind: 'token-bucket', explained: sent.length - delayed },
      sentence: `${delayed} responses were delayed to an even rate, and none after a pause; a limiter that refuses requests explains none of the delays.`,
    },
    notes: [
      first === 1 ? 'The first response was not delayed.' : `The first ${first} responses were not delayed.`,
      'The size of the queue is visible only with several requests in flight.',
    ],
    ...experiment.cost,
  }
}

/** Requests per second of a run of delayed responses: their gaps over the time, which jitter lengthens or shortens. */
function rateOf(run: readonly DataPoint[], quickest: number) {
  const gaps = run.length - 1
  const duration = (run.at(-1)?.endedAt ?? 0) - (run[0]?.endedAt ?? 0)
  const jitter = Math.max(2, quickest)
  // A queue may count from when a request arrives: then each gap contains the time on the network as well.
  const onNetwork = run
    .slice(1)
    .reduce((sum, { sentAt }, index) => sum + quickest + sentAt - (run[index]?.endedAt ?? 0), 0)
  return { low: (gaps * 1000) / (duration + jitter), high: (gaps * 1000) / (duration - jitter - onNetwork) }
}
