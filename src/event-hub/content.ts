import { isObject } from '../text/json.ts'
import { type HubEvent, timestampOf } from './event.ts'

/** A member of events to compare. */
interface Part {
  /** Names from the top to the member, joined by slashes. */
  readonly path: string
  /** The value to compare: equal for equal content. Undefined or null if the member is absent. */
  readonly contentOf: (event: HubEvent) => unknown
}

const ofEnvelope = (name: string): Part => ({ path: name, contentOf: ({ members }) => members[name] })

const ofPayload = (name: string): Part => ({
  path: `payload/${name}`,
  contentOf: ({ members: { payload } }) => (isObject(payload) ? payload[name] : undefined),
})

const changedClaims = ofPayload('changedClaims')

/**
 * The documented members without `id`, since only events with the same id are compared. Each member is compared
 * separately, because a malformed one is skipped. Undocumented members may differ between responses.
 */
const parts: readonly Part[] = [
  { path: 'timestamp', contentOf: timestampOf },
  ...['type', 'version', 'sphere', 'subscriber', 'application', 'subscription'].map(ofEnvelope),
  ofPayload('claims'),
  { ...changedClaims, contentOf: (event) => asSet(changedClaims.contentOf(event)) },
]

/** The distinct elements of an array, sorted, because the order of claim names has no meaning. */
function asSet(value: unknown): unknown {
  return Array.isArray(value) ? [...new Set(value)].sort() : value
}

export const partCount = parts.length

/** Replaces the digest of a malformed member, which is not compared. No digest has this value. */
const notCompared = 0

/**
 * The content of an event in parts: a digest of each documented member. An absent member is equal to null.
 * @param digest receives a value, or undefined for an absent member; must not depend on the order of members
 */
export function contentParts<T>(event: HubEvent, digest: (value: unknown) => T): (T | typeof notCompared)[] {
  return parts.map(({ path, contentOf }) =>
    isMalformed(event, path) ? notCompared : digest(contentOf(event) ?? undefined),
  )
}

/** Whether the member, an element of it or the object that contains it has a problem. */
function isMalformed({ problems }: HubEvent, path: string): boolean {
  return problems.some(
    (problem) =>
      problem.path === path || problem.path.startsWith(`${path}/`) || path.startsWith(`${problem.path}/`),
  )
}

/** Whether two events have the same content. Ignores members that are malformed in either of them. */
export function isSameContent<T>(one: ArrayLike<T>, other: ArrayLike<T>): boolean {
  for (let part = 0; part < partCount; part += 1)
    if (one[part] !== other[part] && one[part] !== notCompared && other[part] !== notCompared) return false
  return true
}
