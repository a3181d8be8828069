import type { Reading } from '../../event-hub/paging.ts'
import { exactTimesOf, isWhole } from '../../event-hub/reading.ts'
import type { RequirementId } from '../requirement.ts'

/**
 * Why readings contain too few events, or too few with a time, for a check: their pages lack events that `total` counts,
 * or no timestamp has milliseconds.
 */
export function shortageIn(...readings: readonly Reading[]): {
  readonly dependsOn: readonly RequirementId[]
} {
  const lacksEvents = readings.some((reading) => !isWhole(reading))
  const lacksTimes = readings.some(({ events }) => events.length > 0 && exactTimesOf(events).length === 0)
  return {
    dependsOn: [
      ...(lacksEvents ? (['EVENT-PAGINATION'] as const) : []),
      ...(lacksTimes ? (['EVENT-TIMESTAMP'] as const) : []),
    ],
  }
}
