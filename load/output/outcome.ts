import { is429, type Shot } from '../engine/shot.ts'

/** Outcomes of a request, in the order in which bars are stacked. `throttled` is 429 only: see `isRefusedByLimiter`. */
export const outcomes = ['accepted', 'throttled', 'client-error', 'server-error', 'unanswered'] as const
export type ShotOutcome = (typeof outcomes)[number]

export const outcomeText: Readonly<Record<ShotOutcome, string>> = {
  accepted: '2xx, 3xx',
  throttled: '429',
  'client-error': 'other 4xx',
  'server-error': '5xx',
  unanswered: 'no response',
}

export function shotOutcome(shot: Shot): ShotOutcome {
  if (shot.status === undefined) return 'unanswered'
  if (is429(shot)) return 'throttled'
  if (isAccepted(shot)) return 'accepted'
  return shot.status >= 500 ? 'server-error' : 'client-error'
}

/** Whether the target processed the request: 2xx, or the redirect of an authorization request. */
export function isAccepted({ status }: Shot): boolean {
  return status !== undefined && status >= 200 && status < 400
}

/**
 * Whether a limiter refused the request. Some targets respond with 403, or with 503 and Retry-After, instead of 429.
 * Both count as refusals if the first request was accepted.
 */
export function isRefusedByLimiter(shot: Shot, first: Shot | undefined): boolean {
  if (is429(shot)) return true
  const { status, retryAfterMs } = shot
  const isOther = status === 403 || (status === 503 && retryAfterMs !== undefined)
  return isOther && first !== undefined && isAccepted(first)
}

export function countByOutcome(shots: readonly Shot[]): Record<ShotOutcome, number> {
  const counts = { accepted: 0, throttled: 0, 'client-error': 0, 'server-error': 0, unanswered: 0 }
  for (const shot of shots) counts[shotOutcome(shot)] += 1
  return counts
}

/** The counts of all outcomes that occurred: `29 × 2xx or 3xx`, `1 × 429`. */
export function outcomeCounts(shots: readonly Shot[]): string[] {
  const counts = countByOutcome(shots)
  return outcomes
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => `${counts[outcome]} × ${outcomeText[outcome].replace(', ', ' or ')}`)
}

/** `none of 60 throttled`, `3 of 60 throttled` */
export function throttledText(shots: readonly Shot[]): string {
  return `${shots.filter(is429).length || 'none'} of ${shots.length} throttled`
}

/** The different statuses, such as `403, 503`. */
export function statusesOf(shots: readonly Shot[]): string {
  return [...new Set(shots.map(({ status }) => status))].join(', ')
}

/** The number of requests of a probe, and their outcomes. */
export interface Counts {
  readonly sent: number
  /** 2xx and 3xx. */
  readonly accepted: number
  /** 429. */
  readonly throttled: number
  /** 4xx other than 429. */
  readonly clientErrors: number
  readonly serverErrors: number
  /** Requests without a complete response, including those that timed out. */
  readonly unanswered: number
  readonly timedOut: number
  /** Reopened connections; each counts as a request. */
  readonly reconnects: number
}

/** @param spent requests and reconnects that the guard admitted */
export function countsOf(shots: readonly Shot[], spent: number): Counts {
  const counts = countByOutcome(shots)
  return {
    sent: shots.length,
    accepted: counts.accepted,
    throttled: counts.throttled,
    clientErrors: counts['client-error'],
    serverErrors: counts['server-error'],
    unanswered: counts.unanswered,
    timedOut: shots.filter(({ failure }) => failure === 'timed-out').length,
    reconnects: spent - shots.length,
  }
}
