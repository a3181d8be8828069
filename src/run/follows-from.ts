/** `see A`, `see A and B` or `see A, B and C` at the end of a reason. */
const pointer = /; see ([A-Z][A-Z0-9]*-[A-Z0-9-]+(?:(?:, | and )[A-Z][A-Z0-9]*-[A-Z0-9-]+)*)\.?$/

/**
 * Ids of the requirements from which a check could not be decided, by its reason. Reasons name them at their end:
 * `the ID token is no JWT; see IDTOKEN-JWT`.
 * @returns empty where it follows from none
 */
export function followsFrom(reason: string | null): string[] {
  return pointer.exec(reason ?? '')?.[1]?.split(/, | and /) ?? []
}
