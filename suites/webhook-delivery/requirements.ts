import { defineArea } from '../../src/check/catalogue.ts'
import { fixtures } from '../../src/check/fixtures.ts'
import type { Requirement } from '../../src/check/requirement.ts'
import { AttemptSteps } from './attempt-steps.ts'
import { clientRequirements } from './client-statements.ts'
import { DeliverySteps } from './delivery-steps.ts'
import { RetryClock } from './retry-clock.ts'
import { scenarioOf } from './scenario.ts'

const delivery = 'Receiver contract for webhooks (planned)'
const envelope = 'Event (envelope, shared by pull and push)'
const subscription = 'Webhook subscription (planned)'
const headers = 'Webhook delivery headers (planned)'
const signature = 'Authentication, 6'
const states = 'Webhook delivery of one event (planned)'
const limits = 'Limits'
const schedule =
  'The schedule is approximate, and may count from the first attempt or from the one before: the attempt may come from half its delay after the first attempt to one and a half times all delays up to it.'
const retried = 'Seen by any later attempt: when it comes is a matter of the schedule.'
const notRetried =
  'Seen until a day after the fifth attempt with WEBHOOK_CLOCK_URL, else until 45 s after the first. The same event at the same time may come twice: delivery is at-least-once.'

const area = {
  name: 'webhook-delivery',
  title: 'Webhook delivery',
  order: 10,
  host: 'identity-provider',
} as const

const requirements = {
  'WEBHOOK-DELIVERY-POST': {
    section: delivery,
    level: 'planned',
    statement: 'An event is sent to the target_url of a subscription by POST, at once.',
    ambiguity: 'At once: within a minute of the change.',
  },
  'WEBHOOK-DELIVERY-ENVELOPE': {
    section: delivery,
    level: 'planned',
    statement: 'The body of a delivery is the envelope of the event as JSON, as the Event Hub gives it.',
    ambiguity: 'The timestamp is a matter of its own.',
  },
  'WEBHOOK-DELIVERY-JSON': {
    section: delivery,
    level: 'planned',
    statement: 'A delivery is JSON by its media type.',
    ambiguity: 'A delivery without any media type is a note.',
  },
  'WEBHOOK-DELIVERY-TIMESTAMP-Z': {
    section: envelope,
    level: 'planned',
    statement: 'The timestamp of a delivered event is an ISO 8601 date-time with a trailing Z.',
    ambiguity: 'With or without a fraction of a second.',
  },
  'WEBHOOK-DELIVERY-FILTERS': {
    section: subscription,
    level: 'planned',
    statement: 'A subscription gets events of the types in its event_filters, and no others.',
  },
  'WEBHOOK-DELIVERY-ALL-TYPES': {
    section: subscription,
    level: 'planned',
    statement: 'A subscription with empty event_filters gets events of all types.',
    ambiguity: 'Shown by the one type that is emitted today.',
  },
  'WEBHOOK-DELIVERY-UPDATED': {
    section: subscription,
    level: 'planned',
    statement: 'A subscription gets events of the types that its event_filters were changed to.',
  },
  'WEBHOOK-DELIVERY-STOPS': {
    section: 'Webhook subscription management (planned)',
    level: 'planned',
    statement: 'A subscription that was deleted gets no events.',
  },
  'WEBHOOK-HEADER-SIGNATURE': {
    section: headers,
    level: 'planned',
    statement: 'Every delivery has X-Service-Signature.',
  },
  'WEBHOOK-HEADER-EVENT-ID': {
    section: headers,
    level: 'planned',
    statement: 'X-Service-Event-ID of a delivery is the id of the event.',
  },
  'WEBHOOK-HEADER-EVENT-TYPE': {
    section: headers,
    level: 'planned',
    statement: 'X-Service-Event-Type of a delivery is the type of the event.',
  },
  'WEBHOOK-HEADER-TIMESTAMP': {
    section: headers,
    level: 'planned',
    statement: 'X-Service-Timestamp of a delivery is the timestamp of the event.',
    ambiguity:
      'The same moment written otherwise is a note. Only first attempts are judged: a later one with the time of the event would be refused by every receiver (see docs/questions-for-the-provider.md).',
  },
  'WEBHOOK-HEADER-NONCE': {
    section: headers,
    level: 'planned',
    statement: 'Every delivery has X-Service-Nonce.',
  },
  'WEBHOOK-NONCE-SINGLE-USE': {
    section: headers,
    level: 'planned',
    statement: 'No two deliveries have the same nonce.',
    ambiguity:
      'First attempts, to whichever subscription, are judged. Whether a repeated attempt is the same delivery is open, so that its nonce is recorded.',
  },
  'WEBHOOK-SIGNATURE-JWS': {
    section: signature,
    level: 'planned',
    statement: 'The signature of a delivery is a compact JWS with RS256.',
  },
  'WEBHOOK-SIGNATURE-KEY': {
    section: signature,
    level: 'planned',
    statement: 'The signature verifies with the key of the key set that its kid names.',
  },
  'WEBHOOK-SIGNATURE-DIGEST': {
    section: signature,
    level: 'planned',
    statement: 'The signed digest is SHA-256: and the hexadecimal SHA-256 of the raw body.',
    ambiguity: 'Hexadecimal digits may be written in capitals.',
  },
  'WEBHOOK-SIGNATURE-TIMESTAMP': {
    section: signature,
    level: 'planned',
    statement: 'The signed timestamp equals X-Service-Timestamp.',
  },
  'WEBHOOK-SIGNATURE-NONCE': {
    section: signature,
    level: 'planned',
    statement: 'The signed nonce equals X-Service-Nonce.',
  },
  'WEBHOOK-TIMESTAMP-CURRENT': {
    section: limits,
    level: 'planned',
    statement: 'The timestamp of a first attempt is within five minutes of its arrival.',
    ambiguity: 'By the clock of the target, as its answers tell it.',
  },
  'WEBHOOK-RETRY-SERVER-ERROR': {
    section: states,
    level: 'planned',
    statement: 'A delivery that was answered with a 5xx is attempted again.',
    ambiguity: retried,
  },
  'WEBHOOK-RETRY-THROTTLED': {
    section: states,
    level: 'planned',
    statement: 'A delivery that was answered 429 is attempted again.',
    ambiguity: retried,
  },
  'WEBHOOK-RETRY-TIMEOUT': {
    section: states,
    level: 'planned',
    statement: 'A delivery that was not answered within ten seconds is attempted again.',
    ambiguity: `${retried} The receiver takes 12 s.`,
  },
  'WEBHOOK-RETRY-NO-RESPONSE': {
    section: states,
    level: 'planned',
    statement: 'A delivery whose connection ended without an answer is attempted again.',
    ambiguity: retried,
  },
  'WEBHOOK-NO-RETRY-DELIVERED': {
    section: states,
    level: 'planned',
    statement: 'A delivery that was answered with a 2xx is not attempted again.',
    ambiguity: notRetried,
  },
  'WEBHOOK-NO-RETRY-REFUSED': {
    section: states,
    level: 'planned',
    statement: 'A delivery that was answered with a 4xx other than 429 is not attempted again.',
    ambiguity: notRetried,
  },
  'WEBHOOK-RECEIVER-TIME': {
    section: limits,
    level: 'planned',
    statement: 'A receiver has ten seconds for its answer.',
    ambiguity: 'Shown by an answer after 8 s, after which there must be no second attempt.',
  },
  'WEBHOOK-RETRY-SECOND': {
    section: limits,
    level: 'planned',
    statement: 'The second attempt comes about 30 s after the first.',
    ambiguity: schedule,
  },
  'WEBHOOK-RETRY-THIRD': {
    section: limits,
    level: 'planned',
    statement: 'The third attempt comes after about 2 minutes.',
    ambiguity: schedule,
  },
  'WEBHOOK-RETRY-FOURTH': {
    section: limits,
    level: 'planned',
    statement: 'The fourth attempt comes after about 10 minutes.',
    ambiguity: schedule,
  },
  'WEBHOOK-RETRY-FIFTH': {
    section: limits,
    level: 'planned',
    statement: 'The fifth attempt comes after about an hour.',
    ambiguity: schedule,
  },
  'WEBHOOK-RETRY-LIMIT': {
    section: states,
    level: 'planned',
    statement: 'After five attempts there are no more.',
    ambiguity: 'Seen until a day later.',
  },
  'WEBHOOK-RETRY-SAME-EVENT': {
    section: envelope,
    level: 'planned',
    statement: 'Every attempt carries the same event: the same id and content.',
    ambiguity: 'The bytes of the body may differ.',
  },
  'WEBHOOK-FAILED-RETRIEVABLE': {
    section: states,
    level: 'planned',
    statement: 'An event whose five attempts failed can be had from the Event Hub.',
  },
  'WEBHOOK-RETRY-MARKS': {
    section: headers,
    level: 'silent',
    statement: 'Whether a repeated attempt has a nonce, a timestamp and a signature of its own is not shown.',
    ambiguity: 'Either way contradicts something: see docs/questions-for-the-provider.md.',
  },
  'WEBHOOK-TARGET-LOOKED-AT': {
    section: subscription,
    level: 'silent',
    statement: 'Whether the service sends a target anything but deliveries is not shown.',
    ambiguity: 'A request without any of the five headers is no delivery.',
  },
  'WEBHOOK-DELIVERY-AT-LEAST-ONCE': {
    section: 'Events',
    level: 'planned',
    statement: 'An event is delivered at least once, and perhaps more often.',
    reason:
      'That none is ever lost cannot be seen from one; WEBHOOK-DELIVERY-POST and the retries show what can be',
  },
  'WEBHOOK-FAILED-STATE': {
    section: states,
    level: 'planned',
    statement: 'A delivery whose five attempts failed has failed for good.',
    reason:
      'No operation shows the state of a delivery; WEBHOOK-RETRY-LIMIT shows that there are no more attempts',
  },
  'WEBHOOK-SECRET-USE': {
    section: subscription,
    level: 'silent',
    statement:
      'What the secret of a subscription is for, since deliveries are signed with RS256, is not shown.',
    reason: 'Nothing in a delivery is documented to depend on it; see docs/questions-for-the-provider.md',
  },
  ...clientRequirements,
} as const satisfies Readonly<Record<string, Requirement>>

export const { check } = defineArea(
  area,
  requirements,
  fixtures
    .extend(
      'scenario',
      ({ run, subscriptions, claims }) =>
        () =>
          scenarioOf(run, { subscriptions, claims }),
    )
    .extend('clock', ({ run, scenario }) => new RetryClock(run, scenario))
    .extend(
      'deliveries',
      ({ run, execution, discovery, scenario, clock }) =>
        new DeliverySteps(run, { execution, discovery, scenario, clock }),
    )
    .extend(
      'attempts',
      ({ run, scenario, clock, deliveries, readings }) =>
        new AttemptSteps(run, { scenario, clock, deliveries, readings }),
    ),
)

declare module '../../src/check/requirement.ts' {
  interface RequirementIds extends Record<keyof typeof requirements, true> {}
}
