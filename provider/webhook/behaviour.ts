import { createHash, type KeyObject, randomBytes } from 'node:crypto'
import type { Partner } from '../deployment.ts'
import type { Answer, Received } from '../http.ts'
import { type Credentials, staticCredentials } from '../hub/behaviour.ts'
import type { StoredEvent } from '../hub/events.ts'
import { instantOf } from './instant.ts'
import { compactJws } from './signature.ts'

/** A webhook subscription as it is kept. */
export interface Subscription {
  id: string
  /** Id of the partner it belongs to. */
  partner: string
  target_url: string
  secret: string
  /** Event types to receive; none means all. */
  event_filters: string[]
  description?: string
  status: string
  /** Milliseconds since the epoch. */
  createdAt: number
  deleted: boolean
}

/** What a partner may set in a subscription. */
export type SubscriptionFields = Pick<Subscription, 'target_url' | 'secret' | 'event_filters' | 'description'>

export type Operation = 'create' | 'list' | 'get' | 'update' | 'delete'

/** One event on its way to one subscription. */
export interface Delivery {
  event: StoredEvent
  subscription: Subscription
  /** The envelope as JSON: every attempt repeats it. */
  body: string
  /** When the first attempt was due, by the retry clock. */
  firstDue: number
}

/** One attempt of a delivery. `timestamp` and `nonce` go into a header and into the signature. */
export interface Attempt {
  delivery: Delivery
  /** Counts from 1. */
  number: number
  body: string
  timestamp: string
  nonce: string
}

/** A JWS (RFC 7515) about to be made. */
export interface UnsignedJws {
  header: { alg: string; kid?: string; [name: string]: unknown }
  payload: Record<string, unknown>
  key: KeyObject | Uint8Array
}

/** The request of one attempt. Header names are sent as written. */
export interface DeliveryRequest {
  method: 'POST' | 'PUT'
  headers: Record<string, string>
  body: string
}

/** What came of an attempt. */
export type Outcome = { kind: 'answered'; status: number } | { kind: 'timeout' } | { kind: 'no-response' }

export interface WebhookBehaviour {
  /** Whether subscriptions can be managed and events are pushed at all. */
  enabled: boolean

  credentials: (received: Received, partners: readonly Partner[]) => Credentials
  /** Whether a partner without the Event Hub may manage subscriptions. */
  entitlementNeeded: boolean
  /** Whether a partner gets at a subscription. */
  visible: (partner: Partner, subscription: Subscription) => boolean
  /** Fields that a new subscription must have. */
  required: Set<keyof SubscriptionFields>
  targetAccepted: (target: URL) => boolean
  secretAccepted: (secret: string) => boolean
  descriptionAccepted: boolean
  typesAccepted: (types: readonly string[]) => boolean
  /** Subscriptions that a partner may have at once. */
  mostSubscriptions: number
  /** Applies what a partner changes. */
  update: (subscription: Subscription, changes: Partial<SubscriptionFields>) => void
  /** What still happens with a subscription that was deleted. */
  afterDeletion: Set<'found' | 'delivered'>
  /** Edits a subscription as it is shown. */
  shown: ((fields: Record<string, unknown>, subscription: Subscription, operation: Operation) => void)[]
  /** Edits the answer of subscription management. */
  answers: ((answer: Answer, operation: Operation | undefined, received: Received) => void)[]

  /** Whether an event passes a subscription's filters. */
  passes: (filters: readonly string[], event: StoredEvent) => boolean
  /** How often each event is delivered to a subscription. */
  copies: number
  /** When an event happened, by the wall clock of a zone, in milliseconds since the epoch: for the envelope, the header and the signature. */
  instant: (event: StoredEvent, zone: string) => number
  /** Edits an event as it is pushed. */
  envelope: ((envelope: Record<string, unknown>, event: StoredEvent) => void)[]
  serialize: (envelope: Record<string, unknown>) => string
  nonce: (delivery: Delivery) => string
  /** Edits an attempt before it is signed. */
  attempts: ((attempt: Attempt) => void)[]
  /** The digest of a body as the signature carries it. */
  digest: (body: string) => string
  /** Edits what is going to be signed. */
  signature: ((jws: UnsignedJws, attempt: Attempt) => void | Promise<void>)[]
  /** Value of the signature header. */
  sign: (jws: UnsignedJws, attempt: Attempt) => string | Promise<string>
  /** Edits a signed request. */
  requests: ((request: DeliveryRequest, attempt: Attempt) => void)[]

  /** Whether a request whose connection ended without an answer is sent once more, at once and as it was. */
  sentAgain: boolean
  /** Milliseconds of real time in which a receiver has to answer. */
  receiverTimeout: number
  /** @param number of the attempt, counted from 1 */
  retried: (outcome: Outcome, number: number) => boolean
  /** Seconds before the second, third, ... attempt. */
  delays: number[]
  /** From which attempt a delay is counted. */
  delayedFrom: 'previous' | 'first'
  /** Told of each event for which all attempts have failed. */
  exhausted: ((event: StoredEvent) => void)[]
}

export function sha256Hex(body: string): string {
  return createHash('sha256').update(body).digest('hex')
}

export function lawfulWebhooks(): WebhookBehaviour {
  return {
    enabled: false,
    credentials: staticCredentials,
    entitlementNeeded: true,
    visible: (partner, subscription) => subscription.partner === partner.id,
    required: new Set(['target_url', 'secret', 'event_filters']),
    targetAccepted: ({ protocol }) => protocol === 'https:',
    secretAccepted: (secret) => [...secret].length >= 32,
    descriptionAccepted: true,
    typesAccepted: () => true,
    mostSubscriptions: Number.POSITIVE_INFINITY,
    update: (subscription, changes) => Object.assign(subscription, changes),
    afterDeletion: new Set(),
    shown: [],
    answers: [],
    passes: (filters, { type }) => filters.length === 0 || filters.includes(type),
    copies: 1,
    instant: ({ local }, zone) => instantOf(local, zone, Date.now()),
    envelope: [],
    serialize: (envelope) => JSON.stringify(envelope),
    nonce: () => randomBytes(16).toString('base64url'),
    attempts: [],
    digest: (body) => `SHA-256:${sha256Hex(body)}`,
    signature: [],
    sign: compactJws,
    requests: [],
    sentAgain: false,
    receiverTimeout: 10_000,
    retried: (outcome) => outcome.kind !== 'answered' || outcome.status >= 500 || outcome.status === 429,
    delays: [30, 2 * 60, 10 * 60, 60 * 60],
    delayedFrom: 'previous',
    exhausted: [],
  }
}
