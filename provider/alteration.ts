import type { Behaviour } from './behaviour.ts'
import type { Limit } from './limiter.ts'

/**
 * The part of the service that an alteration changes: an endpoint, the validation of authorization requests, the content of
 * tokens, the Event Hub, webhooks, or all of it.
 */
type Surface =
  | 'discovery'
  | 'key-set'
  | 'authorization'
  | 'authorization-request'
  | 'token'
  | 'jwt'
  | 'userinfo'
  | 'introspection'
  | 'hub'
  | 'webhooks'
  | 'all'

/** Changes a behaviour. State that it keeps belongs to one provider. */
export type Alter = (behaviour: Behaviour) => void

/** What faults and variants have in common. */
export interface Alteration {
  /** Kebab-case, unique over faults and variants. */
  name: string
  /** What the provider does, as in a bug report: `Accepts windows of up to 25 hours.` */
  summary: string
  surface: Surface
  /** Limiter setting that the alteration needs. */
  limit?: Limit
  /** Whether it changes pages that users see, although its surface is not `authorization`. */
  pages?: true
  /** Whether its proof mostly waits, so that it gets a separate lane. */
  proofWaits?: true
  alter: Alter
}

/** One narrow violation of the specification. */
export interface Fault extends Alteration {
  /** Ids of the requirements it violates. */
  violates: string[]
  /** Ids of other requirements whose checks unavoidably fail with it. */
  consequences?: string[]
  /** Names of variants that it needs. */
  variants?: string[]
}

/** A lawful alternative, or a disturbance such as throttling or server errors: no check may fail with it. */
export interface Variant extends Alteration {
  /** Ids of the requirements whose checks it may affect. */
  concerns: string[]
  /** What the specification does not define. */
  unspecified: string
  /** Ids that must be inconclusive: with this provider, both pass and fail would be wrong. */
  mustBeInconclusive?: string[]
  /** Ids, or patterns of ids, that may be inconclusive too. All others must be decided. */
  mayBeInconclusive?: string[]
  /** Ids that must pass, where a careless check would be inconclusive. */
  mustPass?: string[]
}

/** Adds the surface to each of a list of definitions. */
export function withSurface<T extends Omit<Fault, 'surface'> | Omit<Variant, 'surface'>>(
  surface: Surface,
  definitions: T[],
): (T & { surface: Surface })[] {
  return definitions.map((definition) => ({ ...definition, surface }))
}
