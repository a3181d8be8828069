import { type HubEvent, problemsAt } from '../../event-hub/event.ts'
import type { EventWindow } from '../../event-hub/window.ts'
import { Inconclusive } from '../verdict.ts'
import { changedIds } from './agreement.ts'
import { type EventsOfWindow, hasEventsOutside, isWhole, type WindowReading } from './reading.ts'
import type { EventReadingSteps } from './reading-steps.ts'

// Each function rules out one other reason why two responses of the Event Hub differ. It throws an `Inconclusive` that
// depends on the requirement which judges that reason.

interface Events {
  readonly events: readonly HubEvent[]
}

/** Members that identify an event, and their requirements. */
const identifying = { id: 'EVENT-ID', timestamp: 'EVENT-TIMESTAMP' } as const

/** Ids and timestamps are well formed, so that no event looks like two. @throws {Inconclusive} */
export function requireRecognisable(...readings: readonly Events[]): void {
  const events = readings.flatMap((reading) => reading.events)
  const malformed = (['id', 'timestamp'] as const).filter((name) => problemsAt(events, name).length > 0)
  if (malformed.length > 0)
    throw new Inconclusive(
      `some events have a malformed ${malformed.join(' or ')}`,
      malformed.map((name) => identifying[name]),
    )
}

/** An event has the same id in both responses. @throws {Inconclusive} */
export function requireStableIds(one: Events, other: Events): void {
  if (changedIds(one.events, other.events) > 0)
    throw new Inconclusive('ids of events change, so events cannot be recognised', ['EVENT-ID-STABLE'])
}

/** Windows were read as a whole: they contain as many events as their totals. @throws {Inconclusive} */
export function requireWhole(...windows: readonly Parameters<typeof isWhole>[0][]): void {
  if (!windows.every(isWhole))
    throw new Inconclusive('a window does not contain as many events as its total', ['EVENT-PAGINATION'])
}

/** Windows contain no event from elsewhere. @throws {Inconclusive} */
export function requireNothingOutside(...windows: readonly EventsOfWindow[]): void {
  if (windows.some(hasEventsOutside))
    throw new Inconclusive('events from outside the window are returned', ['EVENT-WINDOW-RESPECTED'])
}

/**
 * The window has the same total as before, so that no late event explains a difference. Sends one search.
 * @throws {Inconclusive}
 */
export async function requireSameTotal(
  readings: Pick<EventReadingSteps, 'totalOf'>,
  window: EventWindow,
  total: number | undefined,
): Promise<void> {
  if ((await readings.totalOf(window)) !== total)
    throw new Inconclusive('the total of a window in the past changed between two searches', ['EVENT-TOTAL'])
}

/** A window that was read has the same total as before. Sends one search. @throws {Inconclusive} */
export function requireUnchanged(
  readings: Pick<EventReadingSteps, 'totalOf'>,
  { window, pages }: WindowReading,
): Promise<void> {
  return requireSameTotal(readings, window, pages[0]?.total)
}

/** Every page of a window states the same total. @throws {Inconclusive} */
export function requireOneTotal(pages: readonly { readonly total: number }[]): void {
  if (new Set(pages.map(({ total }) => total)).size > 1)
    throw new Inconclusive('total is not the same on every page', ['EVENT-TOTAL'])
}
