import type { Behaviour } from './behaviour.ts'
import type { Limit } from './limiter.ts'

/**
 * The part of the service that an alteration changes: an endpoint, the validation of authorization requests, the
 * content of tokens, the Event Hub, webhooks, or everything.
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

/** Changes the behaviour of one provider. Any state that the function keeps belongs to this provider. */
export type Alter = (behaviour: Behaviour) => void

/** The common members of faults and variants. */
export interface Alteration {
  /** Kebab-case, unique over faults and variants. */
  name: string
  /** What the provider does, as in a bug report: `Accepts windows of up to 25 hours.` */
  summary: string
  surface: Surface
  /** Request limit that the provider must have. Without it, the alteration shows nothing. */
  limit?: Limit
  /** Whether the alteration changes pages that users see, although its surface is not `authorization`. */
  pages?: true
  /**
   * Whether the run of the alteration in `proof/` mostly waits. Such a run shares the machine with runs that need the
   * processor.
   */
  proofWaits?: true
  alter: Alter
}

/** One narrow violation of the specification. */
export interface Fault extends Alteration {
  /** Ids of the violated requirements. */
  violates: string[]
  /** Ids of other requirements whose checks unavoidably fail too. */
  consequences?: string[]
  /** Names of the variants that the fault needs. */
  variants?: string[]
}

/** A lawful alternative, or a disturbance such as throttling or server errors: no check may fail with it. */
export interface Variant extends Alteration {
  /** Ids of the requirements whose checks the variant may affect. */
  concerns: string[]
  /** What the specification does not define. */
  unspecified: string
  /** Ids that must be inconclusive, because both pass and fail would be wrong. */
  mustBeInconclusive?: string[]
  /**
   * Further ids, or glob patterns of ids, that may be inconclusive. Requirements outside both lists must not be
   * inconclusive.
   */
  mayBeInconclusive?: string[]
  /** Ids that must pass, although a careless check would fail or be inconclusive. */
  mustPass?: string[]
}

/** Gives all definitions the same surface. */
export function withSurface<T extends Omit<Fault, 'surface'> | Omit<Variant, 'surface'>>(
  surface: Surface,
  definitions: T[],
): (T & { surface: Surface })[] {
  return definitions.map((definition) => ({ ...definition, surface }))
}
