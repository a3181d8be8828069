import { counted, milliseconds, rateText } from '../../src/text/format.ts'
import type { Shot } from '../engine/shot.ts'
import { type Characterisation, characterise, limiterName, type Observation } from '../limiter/index.ts'
import type { Findings, Probe, ProbeContext } from './probe.ts'

/** Largest number of earlier requests of the run to consider. */
const maxEarlier = 20

/** Which kind of limiter, which capacity, which rate? One request in flight, and models that explain every response. */
export const limiter: Probe = async (context) => {
  const { engine, before, remaining } = context
  context.phase('one request in flight, until a 429')
  const earlier = Array.from({ length: Math.min(before, maxEarlier) }, () => earlierRequest(engine.now()))
  const found = await characterise(
    {
      now: () => engine.now(),
      send: (at) => send(context, at),
      epochOffset: Date.now() - engine.now(),
      earlier,
    },
    { maxRequests: remaining, maxMs: engine.guard.remainingMs },
  )
  return {
    finding: `${sentenceOf(found)}${found.result === 'not-throttled' ? '' : context.unfreshNote}`,
    observations: observationsOf(found),
    limiter: found,
  }
}

/** A request that the run sent before this probe, at an unknown time. The limiter may or may not have counted it. */
function earlierRequest(now: number): Observation {
  return { sentAt: now - performance.now(), endedAt: now, outcome: 'unknown' }
}

async function send(context: ProbeContext, at: number): Promise<Observation | undefined> {
  const { shots } = context.engine
  const isFirst = !shots.some(({ status }) => status === 429)
  const sent = await context.one(at)
  if (isFirst && sent?.shot.status === 429)
    context.phase(
      `first 429 after ${counted(shots.length, 'request')}; measuring when requests are admitted again`,
    )
  return sent && observationOf(sent.shot, context.wasAdmitted(sent.shot))
}

function observationOf({ sentAt, endedAt, status, retryAfterMs }: Shot, wasAdmitted: boolean): Observation {
  if (status !== 429) return { sentAt, endedAt, outcome: wasAdmitted ? 'admitted' : 'unknown' }
  return { sentAt, endedAt, outcome: 'throttled', ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

function sentenceOf(found: Characterisation): string {
  if (found.result === 'not-throttled') return found.sentence
  if (found.result === 'not-identified')
    return [`not identified: ${found.reason}.`, ...found.known.sentences].join(' ')
  const { capacity, rate, windowMs, proof, notes } = found
  const size = capacity === undefined ? '' : ` of ${capacity}`
  const window = windowMs === undefined ? '' : ` in ${milliseconds(windowMs)}`
  const name = `${limiterName(found)}${size}${window}, ${rateText(rate)}/s in the long run`
  return [`${name}; ${proof.sentence}`, ...notes].join(' ')
}

function observationsOf(found: Characterisation): Findings['observations'] {
  if (found.result !== 'identified') return { kind: found.result }
  const { kind, capacity = null, rate, windowMs = null } = found
  return { kind, capacity, 'rate-per-second': Number(rate.toPrecision(3)), 'window-ms': windowMs }
}
