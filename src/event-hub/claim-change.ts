import type { HubEvent } from './event.ts'

/** Events that were not there before something happened. */
export interface Arrivals {
  readonly events: readonly HubEvent[]
  /** When they had been found, in milliseconds since the epoch by the target's clock. */
  readonly until: number
}

/** What can be known of a claim that got another value, and its own again. */
export interface ClaimChange {
  /** Name of the claim, where it is known. */
  readonly claim: string | undefined
  /** The value it had for a moment. Never to be shown. */
  readonly value: string
  /** What tokens of the application call the user: one, unless they disagree. */
  readonly subjects: readonly string[]
  /** The application's client_id, which events may name. */
  readonly application: string
  /** Events that came with the change, and those that came with the restoration. Some may be of other people. */
  readonly changed: Arrivals
  readonly restored: Arrivals
}

export const changeType = 'ClaimValuesChanged'

/** Values under `claims` in a payload (section Event: ClaimValuesChanged payload). */
function claimValues({ payload }: HubEvent['members']): unknown[] {
  const { claims } = Object(payload)
  return claims !== null && typeof claims === 'object' ? Object.values(claims) : []
}

function hasShapeOfChange({ payload }: HubEvent['members']): boolean {
  const { claims, changedClaims } = Object(payload)
  return (claims !== null && typeof claims === 'object') || Array.isArray(changedClaims)
}

type Traces = Pick<ClaimChange, 'subjects' | 'value'>

function isOf({ members }: HubEvent, { subjects, value }: Traces): boolean {
  return subjects.some((subject) => subject === members.subscriber) || claimValues(members).includes(value)
}

/** Whether an event can only be that of the change: of the user, or with the very value. */
export function isChangeOf(event: HubEvent, traces: Traces): boolean {
  return event.members.type === changeType && isOf(event, traces)
}

/** Events that can only be of the change, by what they hold, but have another type. */
export function mistyped(change: ClaimChange): readonly HubEvent[] {
  return change.changed.events.filter(
    (event) => event.members.type !== changeType && isOf(event, change) && hasShapeOfChange(event.members),
  )
}

/** The event of the change, for sure: that of the user before one that only holds the value. */
export function eventOf(change: ClaimChange): HubEvent | undefined {
  const sure = change.changed.events.filter((event) => isChangeOf(event, change))
  return sure.find(({ members }) => change.subjects.includes(String(members.subscriber))) ?? sure[0]
}

/**
 * Whom the event of the change names as its subscriber. `unknown` where no event is known to be of the change.
 *
 * An event is known by the user, or by the very value. Where there is neither, an event of the same subscriber has to
 * have come alone with the change, and alone again with the restoration; two that do so may be other people.
 */
export function subscriberOf(
  change: ClaimChange,
): 'the user' | 'nobody' | 'somebody else' | 'malformed' | 'unknown' {
  const { subjects, application, changed, restored } = change
  const sure = eventOf(change)
  const own = sure ?? repeated(changed.events, restored.events)
  if (!own) return 'unknown'
  const { subscriber, application: named } = own.members
  if (subjects.some((subject) => subject === subscriber)) return 'the user'
  if (subscriber === undefined || subscriber === null) return 'nobody'
  if (typeof subscriber !== 'string') return 'malformed'
  // In the Sphere of another application the same user has another name.
  return named === undefined || named === null || named === application ? 'somebody else' : 'unknown'
}

/** The one event whose subscriber comes exactly once in either list. */
function repeated(first: readonly HubEvent[], second: readonly HubEvent[]): HubEvent | undefined {
  const changes = (events: readonly HubEvent[]) =>
    Map.groupBy(
      events.filter(({ members }) => members.type === changeType),
      ({ members }) => members.subscriber ?? null,
    )
  const later = changes(second)
  const fit = [...changes(first)].filter(
    ([subscriber, events]) => events.length === 1 && later.get(subscriber)?.length === 1,
  )
  return fit.length === 1 ? fit[0]?.[1][0] : undefined
}

/** How the payload of a change speaks of the claim: words to record, none of them from the payload. */
export function namingOf(
  { members }: HubEvent,
  { claim, value }: Pick<ClaimChange, 'claim' | 'value'>,
): string[] {
  const { claims, changedClaims } = Object(members.payload)
  const naming: string[] = []
  const byName = ', naming the claim'
  if (claims !== null && typeof claims === 'object') {
    const named = claim !== undefined && claim in claims
    const held = Object.values(claims).includes(value) ? 'the new value' : named ? 'another value' : ''
    naming.push(`claims${named ? byName : ''}${held && `, with ${held}`}`)
  }
  if (Array.isArray(changedClaims)) naming.push(`changedClaims${changedClaims.includes(claim) ? byName : ''}`)
  return naming.length > 0 ? naming : ['neither claims nor changedClaims']
}
