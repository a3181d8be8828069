import type { Changes } from './authorization-request.ts'

/** The members of a form in order. */
export type Form = readonly (readonly [name: string, value: string])[]

/** A form of the members that are not null. */
export function formOf(members: Changes): Form {
  return Object.entries(members).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))
}
