import type { Identified } from './conclusion.ts'
import type { DataPoint } from './data-points.ts'
import type { BudgetedExperiment } from './experiment.ts'
import { roundNumberIn } from './interval.ts'
import { durationOf, evenSpacing, quickestOf } from './times.ts'

/** Number of intervals between consecutive responses that must be about equal to suggest a queue. */
const evenResponses = 8

/** Largest deviation of an interval between two responses from the mean interval, as a share of the mean. */
const maxUnevenness = 0.2

/**
 * Identifies a leaky bucket as a queue, such as nginx limit_req without nodelay. A queue refuses no request that is
 * sent alone, but delays responses to an even rate. Unlike a slow target, a queue responds quickly after a pause. To
 * test that, this function sends up to six requests: three times one after a pause, and another one at once.
 * @returns undefined if there is no queue
 */
export async function identifyQueue(experiment: BudgetedExperiment): Promise<Identified | undefined> {
  const { sent } = experiment.record
  // A slow target responds at even intervals, too. So the test is repeated only every `evenResponses` requests.
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

/** Returns a function that tests whether a response was delayed, compared with the quickest response. */
function delayIn(dataPoints: readonly DataPoint[]): (dataPoint: DataPoint) => boolean {
  const threshold = 2 * quickestOf(dataPoints) + 5
  return (dataPoint) => durationOf(dataPoint) > threshold
}

function identifiedByDelays(experiment: BudgetedExperiment): Identified {
  const { sent } = experiment.record
  const isDelayed = delayIn(sent)
  const firstDelayed = sent.findIndex((dataPoint, index) => index > 0 && isDelayed(dataPoint))
  const nextQuick = sent.findIndex((dataPoint, index) => index > firstDelayed && !isDelayed(dataPoint))
  const delayedRun = sent.slice(firstDelayed, nextQuick === -1 ? undefined : nextQuick)
  const rateInterval = rateOf(delayedRun, quickestOf(sent))
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
      sentence: `${delayed} responses were delayed to an even rate, and none after a pause. A limiter that refuses requests does not delay responses.`,
    },
    notes: [
      firstDelayed === 1
        ? 'The first response was not delayed.'
        : `The first ${firstDelayed} responses were not delayed.`,
      'The size of the queue is visible only with several requests in flight.',
    ],
    ...experiment.cost,
  }
}

/** The lowest and highest possible rate of a queue in requests per second, from consecutive delayed responses. */
function rateOf(run: readonly DataPoint[], quickest: number) {
  const gaps = run.length - 1
  const duration = (run.at(-1)?.endedAt ?? 0) - (run[0]?.endedAt ?? 0)
  const jitter = Math.max(2, quickest)
  // A queue may start an interval only when a request arrives. Then each gap also includes time on the network, so
  // the rate of the queue may be higher than that of the responses.
  const onNetwork = run
    .slice(1)
    .reduce((sum, { sentAt }, index) => sum + quickest + sentAt - (run[index]?.endedAt ?? 0), 0)
  return { low: (gaps * 1000) / (duration + jitter), high: (gaps * 1000) / (duration - jitter - onNetwork) }
}
