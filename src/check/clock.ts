import { Inconclusive } from './verdict.ts'

/** Checks judge times only if the clocks of the target and of this machine differ by at most 30 s (in milliseconds). */
export const maxClockOffsetMs = 30_000

export function unknownClock(): Inconclusive {
  return new Inconclusive('the clock of the target is unknown: its responses have no Date')
}

/**
 * Requires that the clock of the target is known, and differs from ours by at most `maxClockOffsetMs`.
 * @param offsetMs the target's clock minus ours; undefined if unknown
 * @returns `offsetMs`
 * @throws {Inconclusive}
 */
export function requireSimilarClocks(offsetMs: number | undefined): number {
  if (offsetMs === undefined) throw unknownClock()
  if (Math.abs(offsetMs) <= maxClockOffsetMs) return offsetMs
  throw new Inconclusive(
    `the clocks of the target and of this machine differ by ${Math.abs(Math.round(offsetMs / 1000))} s`,
    {
      advice: 'set the clock that is wrong, of this machine or of the target',
    },
  )
}
