/**
 * `must` binds the provider, `client` binds partners, and `planned` is not available yet. `reference` describes
 * behaviour that partners cannot rely on; `silent` is behaviour that the specification does not define. Checks of these
 * two levels never fail.
 */
export const levels = ['must', 'client', 'planned', 'reference', 'silent'] as const

export type Level = (typeof levels)[number]

/** Whether requirements of a level are only recorded, never judged. */
export function isRecorded(level: Level): boolean {
  return level === 'silent' || level === 'reference'
}

/** One statement of the specification, in our own words. */
export interface Requirement {
  /** Heading of its section in the specification. */
  readonly section: string
  readonly level: Level
  readonly statement: string
  /** What the specification leaves open, and the consequence for the verdict. */
  readonly interpretation?: string
  /** Why the requirement has no check. */
  readonly reason?: string
  /**
   * A command, without `npx plumbline`, that measures the behaviour but returns no verdict: `probe --probe limiter`.
   */
  readonly measuredBy?: string
}

/** A requirement that binds the provider. */
export function must(section: string, statement: string, interpretation?: string): Requirement {
  return { section, level: 'must', statement, ...(interpretation !== undefined && { interpretation }) }
}

/** A duty of partners. @param reason how Plumbline, as a partner, fulfils the duty */
export function client(section: string, statement: string, reason: string): Requirement {
  return { section, level: 'client', statement, reason }
}

/** Behaviour that the specification does not define. */
export function silent(section: string, statement: string, interpretation?: string): Requirement {
  return { section, level: 'silent', statement, ...(interpretation !== undefined && { interpretation }) }
}

/** Every requirement id. Each area adds its own by declaration merging, so that a wrong id does not compile. */
// biome-ignore lint/suspicious/noEmptyInterface: the areas under suites/ extend it
export interface RequirementIds {}

export type RequirementId = keyof RequirementIds & string

/** A deployment that checks send requests to. */
export type Host = 'identity-provider' | 'partner-api'
