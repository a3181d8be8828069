import type { Shot } from '../engine/shot.ts'
import { countByOutcome } from './outcome.ts'

/** What a probe sent, and what became of it. */
export interface Counts {
  readonly sent: number
  /** 2xx and 3xx. */
  readonly accepted: number
  readonly throttled: number
  /** 4xx other than 429. */
  readonly clientErrors: number
  readonly serverErrors: number
  /** Requests without a whole answer, those that timed out among them. */
  readonly unanswered: number
  readonly timedOut: number
  /** Connections that had to be made anew; each counts as a request. */
  readonly reconnects: number
}

/** @param spent requests and reconnects that the guard let pass */
export function countsOf(shots: readonly Shot[], spent: number): Counts {
  const counts = countByOutcome(shots)
  return {
    sent: shots.length,
    accepted: counts['2xx, 3xx'],
    throttled: counts['429'],
    clientErrors: counts['other 4xx'],
    serverErrors: counts['5xx'],
    unanswered: counts['no answer'],
    timedOut: shots.filter(({ failure }) => failure === 'timed-out').length,
    reconnects: spent - shots.length,
  }
}
