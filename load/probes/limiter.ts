import { counted } from '../../src/text/format.ts'
import type { Shot } from '../engine/shot.ts'
import type { Characterisation } from '../limiter/characterisation.ts'
import { characterise } from '../limiter/characterise.ts'
import type { Observation } from '../limiter/observation.ts'
import { milliseconds, rateText } from '../output/words.ts'
import type { Bench, Findings, Probe } from './bench.ts'

/** What kind of limiter it is, with what capacity and rate: one request in flight, and models that explain what came. */
export const limiter: Probe = {
  name: 'limiter',
  question: 'what kind of limiter, what capacity, what rate?',
  async run(bench) {
    bench.phase('one request in flight, until a 429')
    const found = await characterise(
      {
        now: () => bench.engine.now(),
        ask: (at) => asked(bench, at),
        epochOffset: Date.now() - bench.engine.now(),
        earlier: Array.from({ length: Math.min(bench.before, mostEarlier) }, () => sometimeBefore(bench)),
      },
      { maxRequests: bench.remaining, maxMs: bench.engine.guard.remainingMs },
    )
    return { finding: sentenceOf(found), observations: observationsOf(found), limiter: found }
  },
}

/** Requests of before that are reckoned with at most. */
const mostEarlier = 20

/** A request by which the run prepared this one: since the process began, and perhaps not counted by this limiter. */
function sometimeBefore({ engine }: Bench): Observation {
  const now = engine.now()
  return { sentAt: now - performance.now(), endedAt: now, outcome: 'unknown' }
}

async function asked(bench: Bench, at: number): Promise<Observation | undefined> {
  const isFirst = !bench.engine.shots.some(({ status }) => status === 429)
  const sent = await bench.one(at)
  if (isFirst && sent?.shot.status === 429)
    bench.phase(
      `first 429 after ${counted(bench.engine.shots.length, 'request')}; asks what comes back, and when`,
    )
  return sent && observationOf(sent.shot, bench.wasLetThrough(sent.shot))
}

/** How a limiter saw a request: what was neither throttled nor let through may have counted, or not. */
export function observationOf(
  { sentAt, endedAt, status, retryAfterMs }: Shot,
  wasLetThrough: boolean,
): Observation {
  const outcome = status === 429 ? 'throttled' : wasLetThrough ? 'admitted' : 'unknown'
  return { sentAt, endedAt, outcome, ...(status === 429 && retryAfterMs !== undefined && { retryAfterMs }) }
}

function sentenceOf(found: Characterisation): string {
  if (found.result === 'not-throttled') return found.sentence
  if (found.result === 'not-identified')
    return ['not identified.', found.reason, ...found.known.sentences].join(' ')
  const { kind, variant, capacity, rate, windowMs, proof, notes } = found
  const name = variant === '' ? kind : `${kind} (${variant})`
  const limiter = [
    `${name}${capacity === undefined ? '' : ` of ${capacity}`}${windowMs === undefined ? '' : ` in ${milliseconds(windowMs)}`}, ${rateText(rate)}/s in the long run`,
    proof.sentence,
  ].join('; ')
  return [limiter, ...notes].join(' ')
}

function observationsOf(found: Characterisation): Findings['observations'] {
  if (found.result !== 'identified') return { kind: found.result }
  const { kind, capacity = null, rate, windowMs = null } = found
  return { kind, capacity, 'rate-per-second': Number(rate.toPrecision(3)), 'window-ms': windowMs }
}
