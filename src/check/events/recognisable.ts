import { type HubEvent, problemsAt } from '../../event-hub/event.ts'
import { Inconclusive } from '../verdict.ts'

/** Members that identify an event, and their requirements. */
const identifying = { id: 'EVENT-ID', timestamp: 'EVENT-TIMESTAMP' } as const

/**
 * Requires that a difference between readings is a difference between their events.
 * @throws {Inconclusive} if ids or timestamps are malformed, so that an event may look like two
 */
export function requireRecognisable(...readings: readonly { readonly events: readonly HubEvent[] }[]): void {
  const events = readings.flatMap((reading) => reading.events)
  const malformed = (['id', 'timestamp'] as const).filter((name) => problemsAt(events, name).length > 0)
  if (malformed.length > 0)
    throw new Inconclusive(`the ${malformed.join(' and ')} of some events is malformed`, {
      dependsOn: malformed.map((name) => identifying[name]),
    })
}
