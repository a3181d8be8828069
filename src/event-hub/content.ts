import type { HubEvent } from './event.ts'

/** Members of the envelope that are compared one by one, since each may be malformed. Events are compared by their id. */
const compared = [
  'timestamp',
  'type',
  'version',
  'sphere',
  'subscriber',
  'application',
  'subscription',
  'payload',
] as const

/** Names of the members that are not compared together. */
const separate: ReadonlySet<string> = new Set(['id', ...compared])

/** In place of a malformed member: it is not compared. No digest has this value. */
export const notCompared = 0

/** Number of parts into which the content of an event is split. */
export const partCount = compared.length + 1

/**
 * The content of an event in parts: a digest of each member of the envelope, and one of all other members together.
 * @param digest of a value, or of undefined if the member is absent; equal for equal values in any order of members
 */
export function contentParts<T>(
  { members, problems }: HubEvent,
  digest: (value: unknown) => T,
): (T | typeof notCompared)[] {
  const malformed = problems.map(({ path }) => path.split('/', 1)[0])
  const parts = compared.map((name) => (malformed.includes(name) ? notCompared : digest(members[name])))
  const others = Object.keys(members).filter((name) => !separate.has(name))
  parts.push(digest(Object.fromEntries(others.map((name) => [name, members[name]]))))
  return parts
}

/** Whether two events have the same content, without members that are malformed in one of them. */
export function isSameContent<T>(one: ArrayLike<T>, other: ArrayLike<T>): boolean {
  for (let part = 0; part < partCount; part += 1)
    if (one[part] !== other[part] && one[part] !== notCompared && other[part] !== notCompared) return false
  return true
}
