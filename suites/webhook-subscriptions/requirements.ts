import { defineArea } from '../../src/check/catalogue.ts'
import { fixtures } from '../../src/check/fixtures.ts'
import type { Requirement } from '../../src/check/requirement.ts'
import { SubscriptionRefusalSteps } from './refusal-steps.ts'

const subscription = 'Webhook subscription (planned)'
const management = 'Webhook subscription management (planned)'
const limits = 'Limits'
const authentication = 'Authentication, 4'
const anyRefusal = 'How the management refuses is not shown: any status but a 2xx passes and is recorded.'
const anySuccess = 'The answer is not shown: any 2xx passes and is recorded.'

const area = {
  name: 'webhook-subscriptions',
  title: 'Webhook subscriptions',
  // Before every other area that looks at a changed claim: subscriptions have to exist when it changes.
  order: 9,
  host: 'partner-api',
} as const

const requirements = {
  'WEBHOOK-SUBSCRIPTION-CREATE': {
    section: management,
    level: 'planned',
    statement: 'A partner creates a subscription and is answered with JSON.',
    ambiguity: 'The status is not shown: any 2xx passes and is recorded.',
  },
  'WEBHOOK-SUBSCRIPTION-CREATE-ID': {
    section: subscription,
    level: 'planned',
    statement: 'A created subscription comes with an id, a string that is not empty.',
  },
  'WEBHOOK-SUBSCRIPTION-CREATE-TARGET': {
    section: management,
    level: 'planned',
    statement: 'A created subscription comes with the target_url that was asked for.',
  },
  'WEBHOOK-SUBSCRIPTION-CREATE-FILTERS': {
    section: management,
    level: 'planned',
    statement: 'A created subscription comes with the event_filters that were asked for.',
    ambiguity: 'In any order.',
  },
  'WEBHOOK-SUBSCRIPTION-CREATE-STATUS': {
    section: subscription,
    level: 'planned',
    statement: 'A created subscription comes with a status, a string.',
    ambiguity: 'One value is shown, active; another one is a note.',
  },
  'WEBHOOK-SUBSCRIPTION-CREATE-CREATED-AT': {
    section: subscription,
    level: 'planned',
    statement: 'A created subscription comes with created_at, an ISO 8601 date-time in UTC.',
    ambiguity: 'UTC may be written Z or +00:00; a time that is minutes off the clock is a note.',
  },
  'WEBHOOK-SUBSCRIPTION-DESCRIPTION': {
    section: subscription,
    level: 'planned',
    statement: 'A subscription may be created with a description.',
  },
  'WEBHOOK-SUBSCRIPTION-SECRET-WITHHELD': {
    section: subscription,
    level: 'planned',
    statement: 'No answer of the management holds the secret of a subscription.',
    ambiguity: 'A few of its characters, to recognise it by, are a note.',
  },
  'WEBHOOK-SUBSCRIPTION-SECRET-LENGTH': {
    section: limits,
    level: 'planned',
    statement: 'A secret of 31 characters is refused, one of 32 is not.',
    ambiguity: anyRefusal,
  },
  'WEBHOOK-SUBSCRIPTION-TARGET-HTTPS': {
    section: limits,
    level: 'planned',
    statement: 'A target_url that is not HTTPS is refused.',
    ambiguity: anyRefusal,
  },
  'WEBHOOK-SUBSCRIPTION-TARGET-REQUIRED': {
    section: subscription,
    level: 'planned',
    statement: 'A subscription without target_url is refused.',
    ambiguity: anyRefusal,
  },
  'WEBHOOK-SUBSCRIPTION-SECRET-REQUIRED': {
    section: subscription,
    level: 'planned',
    statement: 'A subscription without a secret is refused.',
    ambiguity: anyRefusal,
  },
  'WEBHOOK-SUBSCRIPTION-FILTERS-REQUIRED': {
    section: subscription,
    level: 'planned',
    statement: 'A subscription without event_filters is refused.',
    ambiguity: `${anyRefusal} An empty list is something else: it means all types.`,
  },
  'WEBHOOK-SUBSCRIPTION-LIST': {
    section: management,
    level: 'planned',
    statement: "The list names the partner's subscription.",
    ambiguity: 'Its form is not shown: the id anywhere in a JSON answer with a 2xx status passes.',
  },
  'WEBHOOK-SUBSCRIPTION-GET': {
    section: management,
    level: 'planned',
    statement: 'A subscription can be looked up by its id.',
    ambiguity:
      'The form of the answer is not shown: the id anywhere in a JSON answer with a 2xx status passes.',
  },
  'WEBHOOK-SUBSCRIPTION-UPDATE': {
    section: management,
    level: 'planned',
    statement: 'The event_filters of a subscription can be changed.',
    ambiguity: `${anySuccess} Whether it took effect shows where event_filters are given out afterwards, and in what is delivered.`,
  },
  'WEBHOOK-SUBSCRIPTION-DELETE': {
    section: management,
    level: 'planned',
    statement: 'A subscription can be deleted.',
    ambiguity: `${anySuccess} A deleted one may still be given out, with another status than it had.`,
  },
  'WEBHOOK-SUBSCRIPTION-CREDENTIALS': {
    section: authentication,
    level: 'planned',
    statement: 'Without X-Client-Id and X-Client-Secret the management is refused.',
    ambiguity: anyRefusal,
  },
  'WEBHOOK-SUBSCRIPTION-NO-OAUTH': {
    section: authentication,
    level: 'planned',
    statement: 'The management does not accept a user access token in place of the credentials.',
    ambiguity: anyRefusal,
  },
  'WEBHOOK-SUBSCRIPTION-ANSWERS': {
    section: management,
    level: 'silent',
    statement: 'What list, get, update and delete answer is not shown.',
  },
  'WEBHOOK-SUBSCRIPTION-REFUSALS': {
    section: management,
    level: 'silent',
    statement: 'With which status, and in which form, the management refuses is not shown.',
  },
  'WEBHOOK-SUBSCRIPTION-STATUS-VALUES': {
    section: 'Webhook subscription (states)',
    level: 'silent',
    statement: 'Values of status beside active are not shown.',
  },
  'WEBHOOK-SUBSCRIPTION-TRANSITIONS': {
    section: 'Webhook subscription (states)',
    level: 'silent',
    statement: 'How the status of a subscription changes is not shown.',
    reason: 'Nothing that a partner could do to bring a change about is documented',
  },
  'WEBHOOK-SUBSCRIPTION-ADDRESS': {
    section: management,
    level: 'silent',
    statement: 'The address of the management is indicative.',
    reason:
      'Checks use {partner_api_url}/events/subscriptions; where that is answered 404, nothing is judged',
  },
  'WEBHOOK-SUBSCRIPTION-TARGET-REACHABLE': {
    section: subscription,
    level: 'planned',
    statement: 'A target_url is publicly reachable.',
    reason:
      'A duty of partners; whether the service makes sure of it when a subscription is created is not said',
  },
  'WEBHOOK-SUBSCRIPTION-CLIENT-SECRET': {
    section: subscription,
    level: 'client',
    statement: 'A partner treats the secret of a subscription as a credential.',
    reason:
      'Plumbline makes a new one for each subscription and keeps none (tests/webhook/registry.test.ts, "secrets and target_urls are random and never shown")',
  },
} as const satisfies Readonly<Record<string, Requirement>>

export const { check } = defineArea(
  area,
  requirements,
  fixtures.extend(
    'refusals',
    ({ run, execution, subscriptions }) => new SubscriptionRefusalSteps(run, execution.expect, subscriptions),
  ),
)

declare module '../../src/check/requirement.ts' {
  interface RequirementIds extends Record<keyof typeof requirements, true> {}
}
