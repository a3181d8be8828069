import { type NotThrottled, seconds } from './conclusion.ts'
import { admittedOf, type DataPoint } from './data-points.ts'
import type { BudgetedExperiment } from './experiment.ts'
import { durationOf, evenSpacing, medianOf, quickestOf } from './times.ts'

/**
 * Number of requests to send at once. Only requests in flight together show a limit by concurrency (by the number of
 * requests in flight), or a queue (which delays requests instead of refusing them).
 */
const requestsTogether = 6
/** Number of rounds: how many times the probe sends these requests. */
const roundCount = 2

/** Smallest number of requests in a round. A smaller round shows neither a limit by concurrency nor a queue. */
const minTogether = 3

/**
 * Largest deviation, as a share: of an interval between responses of a queue from the mean of the round, and of the
 * mean of one round from that of the other.
 */
const maxUnevenness = 0.6

/** Shortest interval between responses of a queue, in milliseconds: shorter intervals are jitter. */
const minSpacingMs = 20

/** Number of requests to reserve for `notThrottled`; 0 if the experiment sends only one request at a time. */
export function reserveOf({ canSendTogether }: BudgetedExperiment): number {
  return canSendTogether ? requestsTogether * roundCount : 0
}

/**
 * The result if no request that was sent alone was refused. If the experiment can send several requests at once, this
 * function first does so.
 */
export async function notThrottled(experiment: BudgetedExperiment): Promise<NotThrottled> {
  const oneByOne = [...experiment.record.sent]
  const rounds: (readonly DataPoint[])[] = []
  while (rounds.length < roundCount && experiment.canSendTogether && !experiment.isOver) {
    const together = await experiment.sendTogether(requestsTogether)
    if (together.length < minTogether) break
    rounds.push(together)
  }
  const admitted = admittedOf(experiment.record.sent)
  const headline = `No 429: all ${admittedOf(oneByOne)} requests sent one at a time in ${seconds(elapsedMsOf(oneByOne))} were admitted`
  const sentence = `${headline}${togetherText(experiment.record.sent.slice(oneByOne.length), rounds)}.`
  const found = rounds.length < roundCount ? {} : (concurrencyOf(rounds, oneByOne) ?? queueOf(rounds))
  const { text, ...figures } = found
  return {
    result: 'not-throttled',
    admitted,
    ...figures,
    headline,
    sentence: text === undefined ? sentence : `${sentence} ${text}`,
    ...experiment.cost,
  }
}

/** Describes the requests sent at once if none was refused. If one was refused, `concurrencyOf` describes them. */
function togetherText(sent: readonly DataPoint[], rounds: readonly (readonly DataPoint[])[]): string {
  const isRefused = sent.some(({ outcome }) => outcome === 'throttled')
  if (rounds.length === 0 || isRefused) return ''
  return `; so were ${admittedOf(sent)} more, with up to ${Math.max(...rounds.map(({ length }) => length))} in flight together`
}

/** What the requests sent at once show: a limit by concurrency, a queue, or nothing. */
interface TogetherFinding {
  readonly text?: string
  /** Largest number of requests in flight, if there is a limit by concurrency. */
  readonly concurrent?: number
  /** Responses per second, if there is a queue. */
  readonly queueRate?: number
}

/**
 * A limit by concurrency: some requests are refused, and the number of admitted requests is the same in all rounds.
 */
function concurrencyOf(
  rounds: readonly (readonly DataPoint[])[],
  oneByOne: readonly DataPoint[],
): TogetherFinding | undefined {
  if (!rounds.some((round) => round.some(({ outcome }) => outcome === 'throttled'))) return undefined
  const counts = rounds.map(admittedOf)
  const [concurrent = 0] = counts
  const size = rounds[0]?.length ?? 0
  const refused = `Of ${size} requests in flight together, ${size - concurrent} were refused`
  if (counts.some((count) => count !== concurrent))
    return {
      text: `${refused} in the first round, and a different number in another: this identifies no limit.`,
    }
  if (concurrent === 0) return { text: `${refused}: this identifies no limit.` }
  return {
    concurrent,
    text: `${refused}, in each of ${rounds.length} rounds. None of ${oneByOne.length} requests sent one at a time was refused. This is a limit by concurrency (${concurrent} at a time), or a limit of ${concurrent} requests within ${seconds(medianOf(oneByOne.map(durationOf)) ?? 0)}.`,
  }
}

/** The rate of a queue, if the responses to requests sent at once arrive one by one. */
function queueOf(rounds: readonly (readonly DataPoint[])[]): TogetherFinding {
  const spacings = rounds.map(spacingOf)
  const [first, second] = spacings
  if (first === undefined || second === undefined) return {}
  if (Math.abs(first - second) > maxUnevenness * Math.max(first, second)) return {}
  const queueRate = 2000 / (first + second)
  const size = rounds[0]?.length ?? 0
  return {
    queueRate,
    text: `Queue: with ${size} requests in flight, responses leave one by one, at about ${Number(queueRate.toPrecision(2))}/s; requests are delayed, not refused.`,
  }
}

/**
 * The interval between responses of a queue, in milliseconds. It is undefined if intervals are uneven, shorter than
 * `minSpacingMs`, or shorter than half of the shortest duration: then requests do not wait for each other.
 */
function spacingOf(together: readonly DataPoint[]): number | undefined {
  const ends = together.map(({ endedAt }) => endedAt).sort((one, other) => one - other)
  const spacing = evenSpacing(ends, maxUnevenness) ?? 0
  return spacing >= minSpacingMs && spacing >= quickestOf(together) / 2 ? spacing : undefined
}

function elapsedMsOf(sent: readonly DataPoint[]): number {
  return (sent.at(-1)?.endedAt ?? 0) - (sent[0]?.sentAt ?? 0)
}
