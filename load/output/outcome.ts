import type { Shot } from '../engine/shot.ts'

/** What became of a request, as it is told apart in tables and charts; the order in which bars are stacked. */
export const outcomes = ['2xx, 3xx', '429', 'other 4xx', '5xx', 'no answer'] as const
export type Outcome = (typeof outcomes)[number]

export function outcomeOf(shot: Shot): Outcome {
  if (shot.status === undefined) return 'no answer'
  if (shot.status === 429) return '429'
  if (isAccepted(shot)) return '2xx, 3xx'
  return shot.status >= 500 ? '5xx' : 'other 4xx'
}

export function countByOutcome(shots: readonly Shot[]): Record<Outcome, number> {
  const counts = { '2xx, 3xx': 0, '429': 0, 'other 4xx': 0, '5xx': 0, 'no answer': 0 }
  for (const shot of shots) counts[outcomeOf(shot)] += 1
  return counts
}

/** How many answers there were of each kind that actual: `29 2xx or 3xx`, `1 429`. */
export function outcomesInWords(shots: readonly Shot[]): string[] {
  const counts = countByOutcome(shots)
  return outcomes
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => `${counts[outcome]} ${outcome.replace(', ', ' or ')}`)
}

/** Whether the target did what was asked: 2xx, or the redirect that answers an authorization request. */
export function isAccepted({ status }: Shot): boolean {
  return status !== undefined && status >= 200 && status < 400
}
