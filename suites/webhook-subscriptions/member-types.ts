import { differentValue, type Expect, kindOf } from '../../src/check/expect.ts'
import { utcInstantOf } from '../../src/webhook/timestamp.ts'

type Members = Readonly<Record<string, unknown>>

/** Filters that are not the expected ones: `different event_filters: an array of 2`. */
export function differentFilters(value: unknown): string {
  return Array.isArray(value)
    ? `different event_filters: ${kindOf(value)}`
    : differentValue('event_filters', value)
}

/** Members of a subscription with documented types: what is expected, and whether a value is that. */
const types = {
  status: ['status as a non-empty string', (value) => typeof value === 'string' && value !== ''],
  event_filters: [
    'event_filters as an array of strings',
    (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  ],
  created_at: ['created_at as an ISO 8601 date-time in UTC', (value) => utcInstantOf(value) !== undefined],
} as const satisfies Readonly<Record<string, readonly [string, (value: unknown) => boolean]>>

/**
 * Expects the members of a subscription to have the documented types. Each of them may be absent, because responses to
 * operations other than a creation are not specified.
 * @param created the response to the creation: other requirements judge members that have another type there too
 * @throws {Violation}
 */
export function expectMemberTypes(expect: Expect, members: Members, created: Members = {}): void {
  for (const [name, [expected, isRight]] of Object.entries(types)) {
    const isJudgedAlready = created[name] !== undefined && !isRight(created[name])
    const value = isJudgedAlready ? undefined : members[name]
    expect.that(
      value === undefined || isRight(value),
      `${expected}, if any`,
      `${name}: ${typeof value === 'string' && value !== '' ? 'a string in another format' : kindOf(value)}`,
    )
  }
}
