import { type HubEvent, readEvent } from '../../src/event-hub/event.ts'

/** An event as a hub returns it, with changed members; `undefined` omits a member. */
export function item(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const event: Record<string, unknown> = {
    id: 'evt-1',
    timestamp: '2026-03-02T10:15:30.123',
    type: 'ClaimValuesChanged',
    version: '1.0',
    payload: { changedClaims: ['email'] },
    ...changes,
  }
  for (const [name, value] of Object.entries(event)) if (value === undefined) delete event[name]
  return event
}

export function event(changes: Readonly<Record<string, unknown>> = {}): HubEvent {
  return readEvent(item(changes))
}

/** Events with ids by position and the given seconds of one minute. */
export function eventsAt(...seconds: readonly string[]): HubEvent[] {
  return seconds.map((second, index) =>
    event({ id: `evt-${index}`, timestamp: `2026-03-02T10:15:${second}` }),
  )
}
