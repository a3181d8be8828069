import { type NotThrottled, seconds } from './conclusion.ts'
import { admittedOf, type DataPoint } from './data-points.ts'
import type { BudgetedExperiment } from './experiment.ts'
import { durationOf, evenSpacing, medianOf, quickestOf } from './times.ts'

/** Number of requests in flight together: only these show a limit by concurrency, or a queue. */
const requestsTogether = 6
/** Number of rounds of requests in flight together. */
const roundCount = 2

/** Smallest number of requests in flight together that shows a limit by concurrency, or a queue. */
const minTogether = 3

/** Largest deviation of an interval between responses of a queue: from the mean, or between two rounds, as a share. */
const maxUnevenness = 0.6

/** Shortest interval between responses of a queue, in milliseconds: shorter intervals are jitter. */
const minSpacingMs = 20

/** Number of requests to reserve for `notThrottled`; 0 if the experiment sends only one request at a time. */
export function reserveOf({ canSendTogether }: BudgetedExperiment): number {
  return canSendTogether ? requestsTogether * roundCount : 0
}

/** The result if no single request was refused. If possible, requests in flight together are tried first. */
export async function notThrottled(experiment: BudgetedExperiment): Promise<NotThrottled> {
  const oneByOne = [...experiment.record.sent]
  const rounds: (readonly DataPoint[])[] = []
  while (rounds.length < roundCount && experiment.canSendTogether && !experiment.isOver) {
    const together = await experiment.sendTogether(requestsTogether)
    if (together.length < minTogether) break
    rounds.push(together)
  }
  const admitted = admittedOf(experiment.record.sent)
  const first = `No 429: all ${admittedOf(oneByOne)} requests sent one at a time in ${seconds(elapsedMsOf(oneByOne))} were admitted`
  const sentence = `${first}${togetherText(experiment.record.sent.slice(oneByOne.length), rounds)}.`
  const found = rounds.length < roundCount ? {} : (concurrencyOf(rounds, oneByOne) ?? queueOf(rounds))
  const { text, ...figures } = found
  return {
    result: 'not-throttled',
    admitted,
    ...figures,
    headline: first,
    sentence: text === undefined ? sentence : `${sentence} ${text}`,
    ...experiment.cost,
  }
}

/** Describes the requests in flight together if none was refused; otherwise `concurrencyOf` describes them. */
function togetherText(sent: readonly DataPoint[], rounds: readonly (readonly DataPoint[])[]): string {
  const isRefused = sent.some(({ outcome }) => outcome === 'throttled')
  if (rounds.length === 0 || isRefused) return ''
  return `; so were ${admittedOf(sent)} more, with up to ${Math.max(...rounds.map(({ length }) => length))} in flight together`
}

interface TogetherFinding {
  readonly text?: string
  readonly concurrent?: number
  readonly queueRate?: number
}

/** A limit by concurrency: some requests are refused, and the number of admitted requests is the same in all rounds. */
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

/** The rate of a queue, if the responses to requests in flight together leave one by one. */
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

/** The interval between responses of a queue; undefined if it is uneven, or less than half of the shortest duration. */
function spacingOf(together: readonly DataPoint[]): number | undefined {
  const ends = together.map(({ endedAt }) => endedAt).sort((one, other) => one - other)
  const spacing = evenSpacing(ends, maxUnevenness) ?? 0
  return spacing >= minSpacingMs && spacing >= quickestOf(together) / 2 ? spacing : undefined
}

function elapsedMsOf(sent: readonly DataPoint[]): number {
  return (sent.at(-1)?.endedAt ?? 0) - (sent[0]?.sentAt ?? 0)
}
