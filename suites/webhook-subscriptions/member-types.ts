import { differentValue, type Expect, kindOf } from '../../src/check/expect.ts'
import type { Creation } from '../../src/check/webhooks/registry.ts'
import { sameFilters } from '../../src/check/webhooks/responses.ts'
import { utcInstantOf } from '../../src/webhook/timestamp.ts'

type Members = Readonly<Record<string, unknown>>

/** Describes unexpected filters: `different event_filters: an array of 2`. */
export function differentFilters(value: unknown): string {
  return Array.isArray(value)
    ? `different event_filters: ${kindOf(value)}`
    : differentValue('event_filters', value)
}

/**
 * Expects the members of a subscription to agree with the request that created it. Each member may be absent.
 * @param filters the event_filters that the subscription may have; by default those of the request
 * @throws {Violation}
 */
export function expectAsCreated(
  expect: Expect,
  members: Members,
  { request, response: { object: created } }: Creation,
  filters: readonly (readonly string[])[] = [request.event_filters ?? []],
): void {
  const sameTarget = (returned: unknown) => returned === request.target_url
  const { target_url: target, description, event_filters: shown } = members
  // If a member already differs in the response to the creation, other requirements judge that member.
  const judgesTarget = created?.target_url === undefined || sameTarget(created.target_url)
  const judgesFilters =
    created?.event_filters === undefined || sameFilters(created.event_filters, request.event_filters)
  expect.that(
    !judgesTarget || target === undefined || sameTarget(target),
    'target_url of the subscription, if any',
    'a different target_url',
  )
  expect.that(
    request.description === undefined || description === undefined || description === request.description,
    'description of the subscription, if any',
    'a different description',
  )
  expect.that(
    !judgesFilters || shown === undefined || filters.some((one) => sameFilters(shown, one)),
    'event_filters of the subscription, if any',
    differentFilters(shown),
  )
}

/** Documented types of members of a subscription: the expected value, and a function that recognises such a value. */
const types = {
  status: ['status as a non-empty string', (value) => typeof value === 'string' && value !== ''],
  event_filters: [
    'event_filters as an array of strings',
    (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  ],
  created_at: ['created_at as an ISO 8601 date-time in UTC', (value) => utcInstantOf(value) !== undefined],
} as const satisfies Readonly<Record<string, readonly [string, (value: unknown) => boolean]>>

/**
 * Expects the members of a subscription to have the documented types. Each member may be absent, because only the
 * response to a creation is specified.
 * @param created the response to the creation: other requirements judge members that have another type there
 * @throws {Violation}
 */
export function expectMemberTypes(expect: Expect, members: Members, created: Members = {}): void {
  for (const [name, [expected, hasType]] of Object.entries(types)) {
    const isJudgedAlready = created[name] !== undefined && !hasType(created[name])
    const value = isJudgedAlready ? undefined : members[name]
    expect.that(
      value === undefined || hasType(value),
      `${expected}, if any`,
      `${name}: ${typeof value === 'string' && value !== '' ? 'a string in another format' : kindOf(value)}`,
    )
  }
}
