import { randomBytes } from 'node:crypto'
import type { Partner } from '../deployment.ts'
import type { HttpRequest, HttpResponse } from '../http.ts'
import { authenticatePartner } from '../hub/behaviour.ts'
import type { StoredEvent } from '../hub/events.ts'
import { instantOf } from '../hub/local-time.ts'
import { compactJws, sha256Hex, type UnsignedJws } from './signature.ts'

/** A webhook subscription as it is stored. */
export interface Subscription {
  id: string
  /** Id of the owner. */
  partner: string
  target_url: string
  secret: string
  /** Event types to receive; an empty list means all. */
  event_filters: string[]
  description?: string
  status: string
  /** Milliseconds since the epoch. */
  createdAt: number
  deleted: boolean
}

/** The fields of a subscription that a partner can set. */
export type SubscriptionFields = Pick<Subscription, 'target_url' | 'secret' | 'event_filters' | 'description'>

export type Operation = 'create' | 'list' | 'get' | 'update' | 'delete'

/** The delivery of one event to one subscription. */
export interface Delivery {
  event: StoredEvent
  subscription: Subscription
  /** The envelope as JSON, the same in every attempt. */
  body: string
  /** When the first attempt was due, by the retry clock, in milliseconds since the epoch. */
  firstDue: number
}

/** One attempt of a delivery. Its headers and its signature both contain `timestamp` and `nonce`. */
export interface Attempt {
  delivery: Delivery
  /** Counts from 1. */
  number: number
  body: string
  timestamp: string
  nonce: string
}

/** The request of one attempt. The case of header names is kept. */
export interface DeliveryRequest {
  method: 'POST' | 'PUT'
  headers: Record<string, string>
  body: string | Buffer
}

export type AttemptOutcome =
  | { kind: 'response'; status: number }
  | { kind: 'timeout' }
  | { kind: 'no-response' }

export interface WebhookBehaviour {
  /** Whether subscriptions can be managed and events are pushed at all. */
  enabled: boolean

  /** Can respond to a request in place of the subscription management. */
  interceptors: ((request: HttpRequest) => HttpResponse | undefined)[]
  /** The partner whose credentials a request contains; undefined if they are not valid. */
  authenticate: (request: HttpRequest, partners: readonly Partner[]) => Partner | undefined
  /** Whether only partners whose Event Hub is enabled can manage subscriptions. */
  requiresEntitlement: boolean
  /** Whether a partner can access a subscription. */
  visible: (partner: Partner, subscription: Subscription) => boolean
  /** Fields that a new subscription must have. */
  required: Set<keyof SubscriptionFields>
  targetAccepted: (target: URL) => boolean
  secretAccepted: (secret: string) => boolean
  descriptionAccepted: boolean
  typesAccepted: (types: readonly string[]) => boolean
  /** Maximum number of subscriptions per partner. */
  maxSubscriptions: number
  /** Applies an update. */
  update: (subscription: Subscription, changes: Partial<SubscriptionFields>) => void
  /** Where a deleted subscription still exists: in list and GET (`found`), or in deliveries. */
  afterDeletion: Set<'found' | 'delivered'>
  /** Edits a subscription in a response. */
  shown: ((fields: Record<string, unknown>, subscription: Subscription, operation: Operation) => void)[]
  /** Edits the responses of subscription management. */
  responses: ((response: HttpResponse, operation: Operation | undefined, request: HttpRequest) => void)[]

  /** Whether a subscription with these filters receives an event. */
  passes: (filters: readonly string[], event: StoredEvent) => boolean
  /** Number of deliveries of each event to a subscription. */
  copies: number
  /** Milliseconds between these deliveries. */
  copyDelay: number
  /** The instant of an event in envelope, header and signature, in milliseconds since the epoch. */
  instant: (event: StoredEvent, zone: string) => number
  /** Edits the envelope of a pushed event. */
  envelope: ((envelope: Record<string, unknown>, event: StoredEvent) => void)[]
  serialize: (envelope: Record<string, unknown>) => string
  nonce: (delivery: Delivery) => string
  /** Edits an attempt before it is signed. */
  attempts: ((attempt: Attempt) => void)[]
  /** The digest of a body in the signature. */
  digest: (body: string) => string
  /** Edits the JWS before it is signed. */
  signature: ((jws: UnsignedJws, attempt: Attempt) => void | Promise<void>)[]
  /** Value of the signature header. */
  sign: (jws: UnsignedJws, attempt: Attempt) => string | Promise<string>
  /** Edits a signed request. */
  requests: ((request: DeliveryRequest, attempt: Attempt) => void)[]

  /** Whether a request without a response is repeated at once and unchanged. */
  transportResends: boolean
  /** Time in which a receiver must respond, in milliseconds of real time. */
  receiverTimeout: number
  /** Whether another attempt follows. `number`: number of the latest attempt, counted from 1. */
  shouldRetry: (outcome: AttemptOutcome, number: number, event: StoredEvent) => boolean
  /** Seconds before the second, third, ... attempt. */
  delays: number[]
  /** The attempt from which a delay counts. */
  delaysCountFrom: 'previous' | 'first'
  /** Called with each event whose attempts have all failed. */
  exhausted: ((event: StoredEvent) => void)[]
}

export function lawfulWebhooks(): WebhookBehaviour {
  return {
    enabled: false,
    interceptors: [],
    authenticate: authenticatePartner,
    requiresEntitlement: true,
    visible: (partner, subscription) => subscription.partner === partner.id,
    required: new Set(['target_url', 'secret', 'event_filters']),
    targetAccepted: ({ protocol }) => protocol === 'https:',
    secretAccepted: (secret) => [...secret].length >= 32,
    descriptionAccepted: true,
    typesAccepted: () => true,
    maxSubscriptions: Number.POSITIVE_INFINITY,
    update: (subscription, changes) => Object.assign(subscription, changes),
    afterDeletion: new Set(),
    shown: [],
    responses: [],
    passes: (filters, { type }) => filters.length === 0 || filters.includes(type),
    copies: 1,
    copyDelay: 0,
    instant: ({ local }, zone) => instantOf(local, zone, Date.now()),
    envelope: [],
    serialize: (envelope) => JSON.stringify(envelope),
    nonce: () => randomBytes(16).toString('base64url'),
    attempts: [],
    digest: (body) => `SHA-256:${sha256Hex(body)}`,
    signature: [],
    sign: compactJws,
    requests: [],
    transportResends: false,
    receiverTimeout: 10_000,
    shouldRetry: (outcome) => outcome.kind !== 'response' || outcome.status >= 500 || outcome.status === 429,
    delays: [30, 2 * 60, 10 * 60, 60 * 60],
    delaysCountFrom: 'previous',
    exhausted: [],
  }
}
