import { type HubEvent, problemsAt } from '../../event-hub/event.ts'
import type { EventWindow } from '../../event-hub/window.ts'
import { Inconclusive } from '../verdict.ts'
import { changedIds } from './agreement.ts'
import { type EventsOfWindow, hasEventsOutside, isWhole, type WindowReading } from './reading.ts'
import type { EventReadingSteps } from './reading-steps.ts'

// Each function rules out one other reason for a difference between two responses of the Event Hub. Its `Inconclusive`
// names the requirement that judges this reason.

interface Events {
  readonly events: readonly HubEvent[]
}

/** Members that identify an event, and their requirements. */
const identifying = { id: 'EVENT-ID', timestamp: 'EVENT-TIMESTAMP' } as const

/** Requires well-formed ids and timestamps, so that no event looks like two. @throws {Inconclusive} */
export function requireRecognisable(...readings: readonly Events[]): void {
  const events = readings.flatMap((reading) => reading.events)
  const malformed = (['id', 'timestamp'] as const).filter((name) => problemsAt(events, name).length > 0)
  if (malformed.length > 0)
    throw new Inconclusive(
      `some events have a malformed ${malformed.join(' or ')}`,
      malformed.map((name) => identifying[name]),
    )
}

/** Requires each event to have the same id in both responses. @throws {Inconclusive} */
export function requireStableIds(one: Events, other: Events): void {
  if (changedIds(one.events, other.events) > 0)
    throw new Inconclusive('ids of events change, so events cannot be recognised', ['EVENT-ID-STABLE'])
}

/** Requires each window to contain as many events as its total states. @throws {Inconclusive} */
export function requireWhole(...windows: readonly Parameters<typeof isWhole>[0][]): void {
  if (!windows.every(isWhole))
    throw new Inconclusive('a window does not contain as many events as its total', ['EVENT-PAGINATION'])
}

/** Requires searches of windows to return no event from outside the window. @throws {Inconclusive} */
export function requireNothingOutside(...windows: readonly EventsOfWindow[]): void {
  if (windows.some(hasEventsOutside))
    throw new Inconclusive('events from outside the window are returned', ['EVENT-WINDOW-RESPECTED'])
}

/**
 * Requires a window to have the same total as before, so that no late event explains a difference. Sends one search.
 * @throws {Inconclusive}
 */
export async function requireTotalUnchanged(
  readings: Pick<EventReadingSteps, 'totalOf'>,
  window: EventWindow,
  total: number | undefined,
): Promise<void> {
  if ((await readings.totalOf(window)) !== total)
    throw new Inconclusive('the total of a window in the past changed between two searches', ['EVENT-TOTAL'])
}

/** Requires a window to have the same total as when it was read. Sends one search. @throws {Inconclusive} */
export function requireUnchanged(
  readings: Pick<EventReadingSteps, 'totalOf'>,
  { window, pages }: WindowReading,
): Promise<void> {
  return requireTotalUnchanged(readings, window, pages[0]?.total)
}

/** Requires every page of a window to state the same total. @throws {Inconclusive} */
export function requirePagesAgreeOnTotal(pages: readonly { readonly total: number }[]): void {
  if (new Set(pages.map(({ total }) => total)).size > 1)
    throw new Inconclusive('total is not the same on every page', ['EVENT-TOTAL'])
}
