import type { HubEvent } from '../../event-hub/event.ts'

/** Events that the hub returns after a change or restoration of a claim, and did not return before. */
export interface NewEvents {
  readonly events: readonly HubEvent[]
  /** When the last search for them ended, in milliseconds since the epoch by the target's clock. */
  readonly until: number
}

/** What is known about a claim that was changed and then restored. */
export interface ClaimChange {
  readonly claim: string | undefined
  /** Temporary value of the claim, which must never be shown. */
  readonly value: string
  /** `sub` of the user in tokens of the application: one value, unless the tokens disagree. */
  readonly subjects: readonly string[]
  /** client_id of the application, which events may contain. */
  readonly application: string
  /** New events after the change. Some may be of other users. */
  readonly changed: NewEvents
  /** New events after the restoration. Some may be of other users. */
  readonly restored: NewEvents
}

export const changeType = 'ClaimValuesChanged'

/** The documented members of a payload (section Event: ClaimValuesChanged payload). Malformed ones count as absent. */
function payloadOf({ members }: HubEvent): { readonly claims?: object; readonly changedClaims?: unknown[] } {
  const { claims, changedClaims } = Object(members.payload)
  return {
    ...(claims !== null && typeof claims === 'object' && { claims }),
    ...(Array.isArray(changedClaims) && { changedClaims }),
  }
}

/** Values that only events of the changed user contain: `sub`, and the temporary value of the claim. */
type Traces = Pick<ClaimChange, 'subjects' | 'value'>

function hasTrace(event: HubEvent, traces: Traces): boolean {
  return namesUser(event, traces) || Object.values(payloadOf(event).claims ?? {}).includes(traces.value)
}

function namesUser({ members }: HubEvent, { subjects }: Pick<ClaimChange, 'subjects'>): boolean {
  return subjects.some((subject) => subject === members.subscriber)
}

/**
 * Whether an event certainly belongs to the change or restoration: it is a ClaimValuesChanged event, and its subscriber
 * is the user or it contains the temporary value.
 */
export function isChangeOf(event: HubEvent, traces: Traces): boolean {
  return event.members.type === changeType && hasTrace(event, traces)
}

/** Events whose content shows that they belong to the change, but which have another type. */
export function eventsOfOtherType(change: ClaimChange): readonly HubEvent[] {
  return change.changed.events.filter((event) => isMistyped(event, change))
}

/**
 * Events that name the user and whose payload shows that they belong to the restoration, but which have another type.
 * Empty if an event of the restoration has the documented type, or if no event of the change names the user.
 */
export function restorationsOfOtherType(change: ClaimChange): readonly HubEvent[] {
  const { changed, restored } = change
  const isExpected = changed.events.some((event) => isChangeOf(event, change) && namesUser(event, change))
  if (!isExpected || restored.events.some((event) => isChangeOf(event, change))) return []
  return restored.events.filter((event) => namesUser(event, change) && isMistyped(event, change))
}

/** The events of the restoration that have the documented type and name the user. */
export function restorationsOf(change: ClaimChange): readonly HubEvent[] {
  return change.restored.events.filter((event) => isChangeOf(event, change) && namesUser(event, change))
}

function isMistyped(event: HubEvent, change: ClaimChange): boolean {
  const hasChangePayload = Object.keys(payloadOf(event)).length > 0
  return event.members.type !== changeType && hasTrace(event, change) && hasChangePayload
}

/**
 * The first event that certainly belongs to the change and names the user; without such an event, the first one that
 * contains the temporary value.
 */
export function changeEventOf(
  change: Pick<ClaimChange, 'changed' | 'subjects' | 'value'>,
): HubEvent | undefined {
  const certain = change.changed.events.filter((event) => isChangeOf(event, change))
  return certain.find(({ members }) => change.subjects.includes(String(members.subscriber))) ?? certain[0]
}

/**
 * Whom the event of the change names as subscriber. The event is that of `changeEventOf` or, without one, that of the
 * only subscriber with exactly one event after the change and exactly one after the restoration.
 * @returns `unknown` if there is no such event, or if it names another subscriber for another application
 */
export function subscriberOf(
  change: ClaimChange,
): 'the user' | 'none' | 'another user' | 'malformed' | 'unknown' {
  const changeEvent = changeEventOf(change) ?? eventOfRepeatedSubscriber(change)
  if (!changeEvent) return 'unknown'
  if (namesUser(changeEvent, change)) return 'the user'
  const { subscriber, application: namedApplication } = changeEvent.members
  if (subscriber === undefined || subscriber === null) return 'none'
  if (typeof subscriber !== 'string') return 'malformed'
  // In the Sphere of another application, the same user has another identifier.
  return namedApplication === undefined ||
    namedApplication === null ||
    namedApplication === change.application
    ? 'another user'
    : 'unknown'
}

/** Whether the restoration has an event, of any type, with the subscriber of the event of the change. */
export function hasRestoration(change: ClaimChange): boolean {
  const changeEvent = changeEventOf(change) ?? eventOfRepeatedSubscriber(change)
  return (
    changeEvent !== undefined && change.restored.events.some((event) => hasSameSubscriber(event, changeEvent))
  )
}

/** Whether two events have the same subscriber, or both have none. */
export function hasSameSubscriber(one: HubEvent, other: HubEvent): boolean {
  return (one.members.subscriber ?? null) === (other.members.subscriber ?? null)
}

/**
 * The event of the only subscriber with exactly one event after the change and exactly one after the restoration.
 * @returns undefined if there is no such subscriber or more than one, or if an event of the restoration names the user:
 * the subscriber is then another user
 */
function eventOfRepeatedSubscriber(change: ClaimChange): HubEvent | undefined {
  if (restorationsOf(change).length > 0) return undefined
  const changesBySubscriber = (events: readonly HubEvent[]) =>
    Map.groupBy(
      events.filter(({ members }) => members.type === changeType),
      ({ members }) => members.subscriber ?? null,
    )
  const later = changesBySubscriber(change.restored.events)
  const candidates = [...changesBySubscriber(change.changed.events)].filter(
    ([subscriber, events]) => events.length === 1 && later.get(subscriber)?.length === 1,
  )
  return candidates.length === 1 ? candidates[0]?.[1][0] : undefined
}

/**
 * How the payload refers to the changed claim, without values of the payload. For example
 * `claims, naming the claim, with the new value`.
 */
export function namingOf(event: HubEvent, { claim, value }: Pick<ClaimChange, 'claim' | 'value'>): string[] {
  const { claims, changedClaims } = payloadOf(event)
  const naming: string[] = []
  const byName = ', naming the claim'
  if (claims) {
    const isNamed = claim !== undefined && claim in claims
    const valueText = Object.values(claims).includes(value) ? 'the new value' : isNamed ? 'another value' : ''
    naming.push(`claims${isNamed ? byName : ''}${valueText && `, with ${valueText}`}`)
  }
  if (changedClaims) naming.push(`changedClaims${changedClaims.includes(claim) ? byName : ''}`)
  return naming.length > 0 ? naming : ['neither claims nor changedClaims']
}
