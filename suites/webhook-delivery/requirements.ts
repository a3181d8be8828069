import { defineArea } from '../../src/check/catalogue.ts'
import { fixtures } from '../../src/check/fixtures.ts'
import { type Requirement, silent } from '../../src/check/requirement.ts'
import { AttemptSteps } from './attempt-steps.ts'
import { clientStatements } from './client-statements.ts'
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
  'The schedule is approximate, and its delays may count from the first attempt or from the previous one. So an attempt may follow the first one after at least half of its own delay, and at most 1.5 times the sum of all delays so far: the third attempt after 60 s to 225 s.'
const retried = 'Any later attempt is sufficient; other requirements judge the schedule.'
const notRetried =
  'With WEBHOOK_CLOCK_URL, the check waits for further attempts until a day after the fifth attempt is due, otherwise until 45 s after the first one. The same event may be delivered twice at the same time: delivery is at-least-once.'

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
    statement: 'The service delivers an event to the `target_url` of a subscription by POST, immediately.',
    interpretation: '"Immediately" means within a minute of the change.',
  },
  'WEBHOOK-DELIVERY-ENVELOPE': {
    section: delivery,
    level: 'planned',
    statement: 'The body of a delivery is the envelope of the event as JSON, as in the Event Hub.',
    interpretation:
      'WEBHOOK-DELIVERY-TIMESTAMP-Z judges the form of the timestamp. The timestamp may differ from the local time in the Event Hub by any multiple of 15 minutes. The payload may have the changed claims in either of the two shapes, but must have them.',
  },
  'WEBHOOK-DELIVERY-JSON': {
    section: delivery,
    level: 'planned',
    statement: 'A delivery has a JSON media type.',
    interpretation: 'A delivery without any media type is a note.',
  },
  'WEBHOOK-DELIVERY-TIMESTAMP-Z': {
    section: envelope,
    level: 'planned',
    statement: 'The timestamp of a delivered event is an ISO 8601 date-time with a trailing Z.',
    interpretation: 'A fraction of a second is optional.',
  },
  'WEBHOOK-DELIVERY-FILTERS': {
    section: subscription,
    level: 'planned',
    statement: 'A subscription receives events of the types in its `event_filters`, and no others.',
  },
  'WEBHOOK-DELIVERY-ALL-TYPES': {
    section: subscription,
    level: 'planned',
    statement: 'A subscription with empty `event_filters` receives events of all types.',
    interpretation: 'The check can use only the one type that is emitted today.',
  },
  'WEBHOOK-DELIVERY-UPDATED': {
    section: subscription,
    level: 'planned',
    statement: 'A subscription with updated `event_filters` receives events of the new types.',
  },
  'WEBHOOK-DELIVERY-STOPS': {
    section: 'Webhook subscription management (planned)',
    level: 'planned',
    statement: 'A deleted subscription receives no events.',
  },
  'WEBHOOK-HEADER-SIGNATURE': {
    section: headers,
    level: 'planned',
    statement: 'Every delivery has `X-Service-Signature`.',
  },
  'WEBHOOK-HEADER-EVENT-ID': {
    section: headers,
    level: 'planned',
    statement: 'The `X-Service-Event-ID` of a delivery is the `id` of the event.',
  },
  'WEBHOOK-HEADER-EVENT-TYPE': {
    section: headers,
    level: 'planned',
    statement: 'The `X-Service-Event-Type` of a delivery is the `type` of the event.',
  },
  'WEBHOOK-HEADER-TIMESTAMP': {
    section: headers,
    level: 'planned',
    statement: 'The `X-Service-Timestamp` of a delivery is the `timestamp` of the event.',
    interpretation:
      'The same moment in another form is a note. A retry may have the time at which it was sent: every receiver would refuse a later attempt with the time of the event (see docs/questions-for-the-provider.md).',
  },
  'WEBHOOK-HEADER-NONCE': {
    section: headers,
    level: 'planned',
    statement: 'Every delivery has `X-Service-Nonce`.',
  },
  'WEBHOOK-NONCE-SINGLE-USE': {
    section: headers,
    level: 'planned',
    statement: 'No two deliveries have the same nonce.',
    interpretation:
      'The check judges first attempts to all subscriptions, and retries of different deliveries. Whether a retry is the same delivery is not specified, so it may repeat the nonce of its own first attempt.',
  },
  'WEBHOOK-SIGNATURE-JWS': {
    section: signature,
    level: 'planned',
    statement: 'The signature of a delivery is a compact JWS with RS256.',
  },
  'WEBHOOK-SIGNATURE-KEY': {
    section: signature,
    level: 'planned',
    statement: 'The signature of a delivery verifies with the key of the key set that its `kid` identifies.',
  },
  'WEBHOOK-SIGNATURE-DIGEST': {
    section: signature,
    level: 'planned',
    statement: 'The signed `digest` is `SHA-256:` followed by the hexadecimal SHA-256 of the raw body.',
    interpretation: 'Hexadecimal digits may be in upper case.',
  },
  'WEBHOOK-SIGNATURE-TIMESTAMP': {
    section: signature,
    level: 'planned',
    statement: 'The signed `timestamp` equals `X-Service-Timestamp`.',
  },
  'WEBHOOK-SIGNATURE-NONCE': {
    section: signature,
    level: 'planned',
    statement: 'The signed `nonce` equals `X-Service-Nonce`.',
  },
  'WEBHOOK-TIMESTAMP-CURRENT': {
    section: limits,
    level: 'planned',
    statement: 'The timestamp of a first attempt is within five minutes of its arrival.',
    interpretation: 'The check uses the clock of the target, from the Date headers of its responses.',
  },
  'WEBHOOK-RETRY-SERVER-ERROR': {
    section: states,
    level: 'planned',
    statement: 'A delivery that receives a 5xx is retried.',
    interpretation: retried,
  },
  'WEBHOOK-RETRY-THROTTLED': {
    section: states,
    level: 'planned',
    statement: 'A delivery that receives a 429 is retried.',
    interpretation: retried,
  },
  'WEBHOOK-RETRY-TIMEOUT': {
    section: states,
    level: 'planned',
    statement: 'A delivery without a response within 10 s is retried.',
    interpretation: `${retried} The receiver responds after 12 s.`,
  },
  'WEBHOOK-RETRY-NO-RESPONSE': {
    section: states,
    level: 'planned',
    statement: 'A delivery whose connection ends without a response is retried.',
    interpretation: retried,
  },
  'WEBHOOK-NO-RETRY-DELIVERED': {
    section: states,
    level: 'planned',
    statement: 'A delivery that receives a 2xx is not retried.',
    interpretation: notRetried,
  },
  'WEBHOOK-NO-RETRY-REFUSED': {
    section: states,
    level: 'planned',
    statement: 'A delivery that receives a 4xx other than 429 is not retried.',
    interpretation: notRetried,
  },
  'WEBHOOK-RECEIVER-TIME': {
    section: limits,
    level: 'planned',
    statement: 'A receiver has 10 s to respond.',
    interpretation: 'The receiver of the check responds after 8 s; no retry may follow.',
  },
  'WEBHOOK-RETRY-SECOND': {
    section: limits,
    level: 'planned',
    statement: 'The second attempt follows after about 30 s.',
    interpretation: schedule,
  },
  'WEBHOOK-RETRY-THIRD': {
    section: limits,
    level: 'planned',
    statement: 'The third attempt follows after about 2 min.',
    interpretation: schedule,
  },
  'WEBHOOK-RETRY-FOURTH': {
    section: limits,
    level: 'planned',
    statement: 'The fourth attempt follows after about 10 min.',
    interpretation: schedule,
  },
  'WEBHOOK-RETRY-FIFTH': {
    section: limits,
    level: 'planned',
    statement: 'The fifth attempt follows after about 1 h.',
    interpretation: schedule,
  },
  'WEBHOOK-RETRY-LIMIT': {
    section: states,
    level: 'planned',
    statement: 'A delivery has at most five attempts.',
    interpretation: 'The check waits for a sixth attempt until a day after the fifth one.',
  },
  'WEBHOOK-RETRY-SAME-EVENT': {
    section: envelope,
    level: 'planned',
    statement: 'Every attempt delivers the same event, with the same `id` and content.',
    interpretation: 'The bytes of the body may differ.',
  },
  'WEBHOOK-FAILED-RETRIEVABLE': {
    section: states,
    level: 'planned',
    statement: 'A search returns an event whose five delivery attempts failed.',
  },
  'WEBHOOK-RETRY-MARKS': silent(
    headers,
    'Whether a retry has a new nonce, timestamp and signature is not specified.',
    'New values contradict one statement of the specification, repeated values another: see docs/questions-for-the-provider.md.',
  ),
  'WEBHOOK-TARGET-LOOKED-AT': silent(
    subscription,
    'Whether the service sends requests other than deliveries to a target is not specified.',
    'A request that has none of the five delivery headers is not a delivery.',
  ),
  'WEBHOOK-DELIVERY-AT-LEAST-ONCE': {
    section: 'Events',
    level: 'planned',
    statement: 'An event is delivered at least once.',
    reason:
      'A few deliveries cannot show that no event is ever lost; WEBHOOK-DELIVERY-POST and the requirements on retries judge single deliveries',
  },
  'WEBHOOK-FAILED-STATE': {
    section: states,
    level: 'planned',
    statement: 'A delivery whose five attempts failed has failed permanently.',
    reason:
      'No operation returns the state of a delivery; WEBHOOK-RETRY-LIMIT judges that there are no more attempts',
  },
  'WEBHOOK-SECRET-USE': {
    ...silent(
      subscription,
      'The purpose of the secret of a subscription is not specified: deliveries are signed with RS256.',
    ),
    reason:
      'No part of a delivery is documented to depend on the secret; see docs/questions-for-the-provider.md',
  },
  ...clientStatements,
} as const satisfies Readonly<Record<string, Requirement>>

export const { check } = defineArea(
  area,
  requirements,
  fixtures
    .extend('scenario', (context) => () => scenarioOf(context))
    .extend('clock', (context) => new RetryClock(context.run, context))
    .extend('deliveries', (context) => new DeliverySteps(context.run, context))
    .extend('attempts', (context) => new AttemptSteps(context.run, context)),
)

declare module '../../src/check/requirement.ts' {
  interface RequirementIds extends Record<keyof typeof requirements, true> {}
}
