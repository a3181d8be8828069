import type { Shot } from '../engine/shot.ts'
import type { Bench, Probe } from './bench.ts'

/** How often the limit is looked for and waited out. */
const rounds = 3
/** Without a promise, the waits after which the target is asked again, in milliseconds. */
const guesses = [1000, 2000, 4000, 8000, 15_000, 30_000, 60_000]

interface Round {
  /** What the 429 asked to wait; undefined where it did not say. */
  readonly promisedMs: number | undefined
  /** After how long a request was answered again; undefined where none was. */
  readonly recoveredMs: number | undefined
  /** 429s that came although the wait was over. */
  readonly early: number
}

/**
 * Whether Retry-After tells the truth: the limit is met, the promise waited out, and the target asked again. That
 * a target had recovered long before its promise cannot be seen without breaking it, and is not looked for.
 */
export const recovery: Probe = {
  name: 'recovery',
  question: 'does Retry-After tell the truth?',
  async run(bench) {
    const seen: Round[] = []
    while (seen.length < rounds) {
      bench.phase(`round ${seen.length + 1} of ${rounds}: one request after another, until a 429`)
      const { admitted, last } = await bench.untilThrottled()
      if (last?.shot.status !== 429) {
        if (seen.length > 0) break
        return {
          finding: `none of ${admitted} requests was throttled`,
          observations: { 'retry-after': null },
        }
      }
      bench.phase(`round ${seen.length + 1} of ${rounds}: asks again when the wait is over`)
      const round = await waitOut(bench, last.shot)
      if (!round) break
      seen.push(round)
    }
    const verdict = verdictOf(seen)
    return { finding: sentence(verdict, seen), observations: { 'retry-after': verdict } }
  },
}

async function waitOut(bench: Bench, throttled: Shot): Promise<Round | undefined> {
  const promisedMs = throttled.retryAfterMs
  let early = 0
  let again: number | undefined
  for (let attempt = 0; ; attempt += 1) {
    const guess = guesses[Math.min(attempt, guesses.length - 1)] ?? 0
    const sent = await bench.one(promisedMs === undefined ? throttled.endedAt + guess : again)
    if (!sent) return early > 0 ? { promisedMs, recoveredMs: undefined, early } : undefined
    if (bench.wasLetThrough(sent.shot))
      return { promisedMs, recoveredMs: sent.shot.sentAt - throttled.endedAt, early }
    // What is neither throttled nor let through tells nothing of the promise, and is not asked for in a rush.
    again = sent.shot.status === 429 ? undefined : sent.shot.endedAt + (guesses[0] ?? 0)
    if (sent.shot.status === 429) early += 1
  }
}

function verdictOf(seen: readonly Round[]): string {
  if (seen.length === 0) return 'not seen to its end'
  if (seen.every(({ promisedMs }) => promisedMs === undefined)) return 'none usable'
  if (seen.some(({ promisedMs }) => promisedMs === undefined)) return 'sometimes none usable'
  return seen.some(({ early }) => early > 0) ? 'too early' : 'kept'
}

function sentence(verdict: string, seen: readonly Round[]): string {
  const seconds = (ms: number | undefined) => (ms === undefined ? 'nothing' : `${(ms / 1000).toFixed(1)} s`)
  const rounds = seen.map(
    ({ promisedMs, recoveredMs }) =>
      `promised ${seconds(promisedMs)}, ${recoveredMs === undefined ? 'not answered any more' : `answered after ${seconds(recoveredMs)}`}`,
  )
  const meaning: Readonly<Record<string, string>> = {
    kept: 'Retry-After was kept',
    'too early': 'Retry-After promised too much: a request after it was throttled again',
    'none usable': 'throttled answers had no Retry-After that says how long',
    'sometimes none usable': 'some throttled answers had no Retry-After that says how long',
    'not seen to its end': 'the probe ended before the target had recovered',
  }
  return [meaning[verdict] ?? verdict, ...rounds].join('; ')
}
