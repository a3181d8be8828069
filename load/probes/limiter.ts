import { counted } from '../../src/text/format.ts'
import type { Shot } from '../engine/shot.ts'
import { type Characterisation, characterise, limiterName, type Observation } from '../limiter/index.ts'
import { milliseconds, rateText } from '../output/words.ts'
import type { Bench, Findings, Probe } from './bench.ts'

/** The kind of limiter, its capacity and its rate: one request in flight, and models that explain every response. */
export const limiter: Probe = {
  name: 'limiter',
  question: 'what kind of limiter, what capacity, what rate?',
  async run(bench) {
    bench.phase('one request in flight, until a 429')
    const earlier = Array.from({ length: Math.min(bench.before, maxEarlier) }, () => earlierRequest(bench))
    const found = await characterise(
      {
        now: () => bench.engine.now(),
        send: (at) => send(bench, at),
        epochOffset: Date.now() - bench.engine.now(),
        earlier,
      },
      { maxRequests: bench.remaining, maxMs: bench.engine.guard.remainingMs },
    )
    return { finding: sentenceOf(found), observations: observationsOf(found), limiter: found }
  },
}

/** Earlier requests of the run that count at most. */
const maxEarlier = 20

/** A request that the run sent before this probe, at an unknown time. The limiter may or may not have counted it. */
function earlierRequest({ engine }: Bench): Observation {
  const now = engine.now()
  return { sentAt: now - performance.now(), endedAt: now, outcome: 'unknown' }
}

async function send(bench: Bench, at: number): Promise<Observation | undefined> {
  const { engine } = bench
  const isFirst = !engine.shots.some(({ status }) => status === 429)
  const sent = await bench.one(at)
  if (isFirst && sent?.shot.status === 429)
    bench.phase(
      `first 429 after ${counted(engine.shots.length, 'request')}; measures when requests are admitted again`,
    )
  return sent && observationOf(sent.shot, bench.wasLetThrough(sent.shot))
}

function observationOf({ sentAt, endedAt, status, retryAfterMs }: Shot, wasLetThrough: boolean): Observation {
  if (status !== 429) return { sentAt, endedAt, outcome: wasLetThrough ? 'admitted' : 'unknown' }
  return { sentAt, endedAt, outcome: 'throttled', ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

function sentenceOf(found: Characterisation): string {
  if (found.result === 'not-throttled') return found.sentence
  if (found.result === 'not-identified')
    return [`not identified: ${found.reason}.`, ...found.known.sentences].join(' ')
  const { capacity, rate, windowMs, proof, notes } = found
  const size = capacity === undefined ? '' : ` of ${capacity}`
  const window = windowMs === undefined ? '' : ` in ${milliseconds(windowMs)}`
  const limiter = `${limiterName(found)}${size}${window}, ${rateText(rate)}/s in the long run`
  return [`${limiter}; ${proof.sentence}`, ...notes].join(' ')
}

function observationsOf(found: Characterisation): Findings['observations'] {
  if (found.result !== 'identified') return { kind: found.result }
  const { kind, capacity = null, rate, windowMs = null } = found
  return { kind, capacity, 'rate-per-second': Number(rate.toPrecision(3)), 'window-ms': windowMs }
}
