/**
 * Everything a fault or a variant may change, with lawful defaults.
 *
 * The provider's code asks a `Behaviour` for its decisions and passes every answer and every token through its
 * lists of steps. A fault or a variant is a function that alters one such object; several may alter the same one.
 */

import type { Answer, Received } from './http.ts'
import { type HubBehaviour, lawfulHub } from './hub/behaviour.ts'
import { type IdentityBehaviour, lawfulIdentity } from './identity/behaviour.ts'
import { lawfulWebhooks, type WebhookBehaviour } from './webhook/behaviour.ts'

export interface Behaviour {
  idp: IdentityBehaviour
  hub: HubBehaviour
  webhooks: WebhookBehaviour
  /** Configuration variables that are told otherwise than they are. */
  variables: Record<string, string>
  /** Edits the 429 the limiter gives, on every endpoint. */
  throttled: ((answer: Answer, received: Received) => void)[]
}

/** The part of the service an alteration is made to: an endpoint, the contents of tokens, the Event Hub, webhooks, or all. */
export type Face =
  | 'discovery'
  | 'key-set'
  | 'authorization'
  | 'token'
  | 'jwt'
  | 'userinfo'
  | 'introspection'
  | 'hub'
  | 'webhooks'
  | 'all'

export interface Limit {
  requests: number
  windowSeconds: number
  /** What requests are counted by: each entry is a limit of its own, over the things it names together. */
  by?: LimitKey[]
}

/** An empty key counts everybody together. */
export type LimitKey = ('client' | 'user' | 'address')[]

/** What faults and variants have in common: a name, the part of the service they touch, and the change itself. */
export interface Alteration {
  /** Kebab-case, unique over faults and variants. */
  name: string
  /** One line that says what a client would see. */
  summary: string
  face: Face
  /** Limiter setting that must be on for it to show. */
  limit?: Limit
  alter(behaviour: Behaviour): void
}

/** One narrow violation of the specification. */
export interface Fault extends Alteration {
  /** Ids of the requirements it violates. */
  violates: string[]
  /** Ids that unavoidably go red with it. */
  consequences?: string[]
  /** Variants that must be on for it to show. */
  variants?: string[]
}

/** One lawful alternative. */
export interface Variant extends Alteration {
  /** Ids of the requirements it is a lawful reading of. */
  concerns: string[]
  /** What the specification leaves open here. */
  ambiguity: string
  /** Ids that nobody can decide with it on: neither red nor green would be true. */
  undecidable?: string[]
  /** Ids that have to come out green, where a careless harness would leave them undecided. */
  decided?: string[]
}

/** Puts the part of the service that a list of definitions touches into each of them. */
export function withFace<T extends Omit<Fault, 'face'> | Omit<Variant, 'face'>>(
  face: Face,
  definitions: T[],
): (T & { face: Face })[] {
  return definitions.map((definition) => ({ ...definition, face }))
}

export function lawfulBehaviour(): Behaviour {
  return {
    idp: lawfulIdentity(),
    hub: lawfulHub(),
    webhooks: lawfulWebhooks(),
    variables: {},
    throttled: [],
  }
}
