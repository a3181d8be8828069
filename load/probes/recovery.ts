import type { Shot } from '../engine/shot.ts'
import type { Probe, ProbeContext } from './probe.ts'

/** How often the probe meets the limit and waits. */
const rounds = 3
/** Waits after which a request is sent where there is no usable Retry-After, in milliseconds. */
const guesses = [1000, 2000, 4000, 8000, 15_000, 30_000, 60_000]

interface Round {
  /** What Retry-After says; undefined where it does not. */
  readonly promisedMs: number | undefined
  /** After how long a request was admitted again; undefined where none was. */
  readonly recoveredMs: number | undefined
  /** 429s after Retry-After had elapsed. */
  readonly early: number
}

/**
 * Is Retry-After true? The probe meets the limit, waits for Retry-After, and sends a request. Whether the target had
 * recovered long before cannot be seen without breaking Retry-After, and is not tried.
 */
export const recovery: Probe = async (context) => {
  const seen: Round[] = []
  while (seen.length < rounds) {
    context.phase(`round ${seen.length + 1} of ${rounds}: one request after another, until a 429`)
    const { admitted, last } = await context.untilThrottled()
    if (last?.shot.status !== 429) {
      if (seen.length > 0) break
      return { finding: `none of ${admitted} requests was throttled`, observations: { 'retry-after': null } }
    }
    context.phase(`round ${seen.length + 1} of ${rounds}: one request after the wait`)
    const round = await waitOut(context, last.shot)
    if (!round) break
    seen.push(round)
  }
  const verdict = verdictOf(seen)
  return { finding: sentence(verdict, seen), observations: { 'retry-after': verdict } }
}

async function waitOut(context: ProbeContext, throttled: Shot): Promise<Round | undefined> {
  const promisedMs = throttled.retryAfterMs
  let early = 0
  let again: number | undefined
  for (let attempt = 0; ; attempt += 1) {
    const guess = guesses[Math.min(attempt, guesses.length - 1)] ?? 0
    const sent = await context.one(promisedMs === undefined ? throttled.endedAt + guess : again)
    if (!sent) return early > 0 ? { promisedMs, recoveredMs: undefined, early } : undefined
    if (context.wasAdmitted(sent.shot))
      return { promisedMs, recoveredMs: sent.shot.sentAt - throttled.endedAt, early }
    // Neither throttled nor admitted says nothing of Retry-After; the next request is not rushed.
    again = sent.shot.status === 429 ? undefined : sent.shot.endedAt + (guesses[0] ?? 0)
    if (sent.shot.status === 429) early += 1
  }
}

const meanings = {
  kept: 'Retry-After was kept',
  'too early': 'Retry-After promised too much: a request after it was throttled again',
  'none usable': 'throttled answers had no Retry-After that says how long',
  'sometimes none usable': 'some throttled answers had no Retry-After that says how long',
  'not seen to its end': 'the probe ended before the target had recovered',
} as const

function verdictOf(seen: readonly Round[]): keyof typeof meanings {
  if (seen.length === 0) return 'not seen to its end'
  if (seen.every(({ promisedMs }) => promisedMs === undefined)) return 'none usable'
  if (seen.some(({ promisedMs }) => promisedMs === undefined)) return 'sometimes none usable'
  return seen.some(({ early }) => early > 0) ? 'too early' : 'kept'
}

function sentence(verdict: keyof typeof meanings, seen: readonly Round[]): string {
  const seconds = (ms: number | undefined) => (ms === undefined ? 'nothing' : `${(ms / 1000).toFixed(1)} s`)
  const told = seen.map(
    ({ promisedMs, recoveredMs }) =>
      `promised ${seconds(promisedMs)}, ${recoveredMs === undefined ? 'not answered any more' : `answered after ${seconds(recoveredMs)}`}`,
  )
  return [meanings[verdict], ...told].join('; ')
}
