import { type Belief, beliefs } from './belief.ts'
import type { Candidates } from './candidates.ts'
import type { Characterisation, NotIdentified } from './characterisation.ts'
import type { Log } from './log.ts'
import { refusedInVain } from './promises.ts'

export function notThrottled(log: Log): Characterisation {
  const admitted = log.observations.filter(({ outcome }) => outcome === 'admitted').length
  const seconds = Math.round(log.elapsedMs / 100) / 10
  return {
    result: 'not-throttled',
    admitted,
    sentence: `At least ${admitted} requests in ${seconds} s were admitted, one at a time, without a 429.`,
    requests: log.asked.length,
    elapsedMs: log.elapsedMs,
  }
}

export type Why = 'contradicted' | 'stacked' | 'budget' | 'alike' | 'wide' | 'close' | 'promises' | 'anew'

/** No claim: the reason, and what is known all the same. @param left what explained all that it is known from */
export function notIdentified(
  log: Log,
  candidates: Candidates,
  why: Why,
  left: readonly Belief[] = candidates.missed === 0 ? beliefs(candidates.best) : [],
): NotIdentified {
  const kinds = left.map(({ kind }) => kind)
  const wait =
    log.refusedWaitMs === undefined
      ? ''
      : ` The next request would have had to wait ${Math.round(log.refusedWaitMs / 1000)} s.`
  const reasons: Record<Why, string> = {
    contradicted:
      'No single limiter of the kinds known explains all answers: there may be other traffic on the same key, several limits at once, or another kind.',
    stacked:
      'A refusal lasted longer than any single limiter would make it that explained all answers until then: a second, wider limit seems to be above the first.',
    promises:
      'What explains all answers does not fit what Retry-After says: there may be other traffic on the same key, or Retry-After is about something else.',
    anew: 'Nothing was refused for requests that were long past: each refusal may begin the wait anew, or bring a ban, and without refusals the limit may be a wider one.',
    budget: `The requests or seconds allowed were spent before one kind was left.${wait}`,
    alike: `No affordable request tells these apart: ${kinds.join(', ')}.`,
    wide: 'The kind is clear, its rate is not.',
    close: 'The next best kind explains nearly as much.',
  }
  return {
    result: 'not-identified',
    reason: reasons[why],
    known: {
      kinds,
      ...(left.length > 0 && {
        capacity: {
          low: Math.min(...left.map(({ capacity }) => capacity.low)),
          high: Math.max(...left.map(({ capacity }) => capacity.high)),
        },
        rate: {
          low: Math.min(...left.map(({ rate }) => rate.low)),
          high: Math.max(...left.map(({ rate }) => rate.high)),
        },
      }),
      sentences: [...observed(log), ...nearest(log, candidates)],
    },
    requests: log.asked.length,
    elapsedMs: log.elapsedMs,
  }
}

/** What holds whatever the limiter is. */
function observed({ asked: observations }: Log): string[] {
  const first = observations.findIndex(({ outcome }) => outcome === 'throttled')
  const refused = observations[first]
  const last = observations.at(-1)
  if (refused === undefined || last === undefined) return []
  const after = observations.slice(first).filter(({ outcome }) => outcome === 'admitted').length
  const seconds = Math.round((last.endedAt - refused.endedAt) / 100) / 10
  const inVain = refusedInVain(observations)
  return [
    `${first} requests in a row were admitted before the first 429.`,
    ...(seconds > 0 ? [`After it, ${after} were admitted in ${seconds} s.`] : []),
    ...(inVain.refused > 0
      ? [
          `${inVain.refused} of ${inVain.asked} requests sent when Retry-After was over were refused: other traffic seems to use this key, or Retry-After is too short.`,
        ]
      : []),
  ]
}

function nearest({ asked: observations }: Log, candidates: Candidates): string[] {
  const [best] = candidates.best
  if (best === undefined || candidates.missed === 0) return []
  const explained = observations.length - candidates.missed
  return [`The nearest, ${best.model.kind}, explains ${explained} of ${observations.length} observations.`]
}
