import { defineArea } from '../../src/check/catalogue.ts'
import { fixtures } from '../../src/check/fixtures.ts'
import { type Requirement, silent } from '../../src/check/requirement.ts'
import { SubscriptionRefusalSteps } from './refusal-steps.ts'

const subscription = 'Webhook subscription (planned)'
const management = 'Webhook subscription management (planned)'
const limits = 'Limits'
const authentication = 'Authentication, 4'
const anyRefusal = 'The form of this refusal is not specified: any status but a 2xx passes and is recorded.'
const anySuccess = 'The response is not specified: any 2xx passes and is recorded.'

const area = {
  name: 'webhook-subscriptions',
  title: 'Webhook subscriptions',
  // Before all other areas that use the changed claim: subscriptions must exist when the claim changes.
  order: 9,
  host: 'partner-api',
} as const

const requirements = {
  'WEBHOOK-SUBSCRIPTION-CREATE': {
    section: management,
    level: 'planned',
    statement: 'The response to a valid creation is a JSON object.',
    interpretation: 'The status is not specified: any 2xx passes and is recorded.',
  },
  'WEBHOOK-SUBSCRIPTION-CREATE-ID': {
    section: subscription,
    level: 'planned',
    statement: 'The `id` of a created subscription is a non-empty string.',
  },
  'WEBHOOK-SUBSCRIPTION-CREATE-TARGET': {
    section: management,
    level: 'planned',
    statement: 'A created subscription has the requested `target_url`.',
  },
  'WEBHOOK-SUBSCRIPTION-CREATE-FILTERS': {
    section: management,
    level: 'planned',
    statement: 'A created subscription has the requested `event_filters`.',
    interpretation: 'The filters may be in any order.',
  },
  'WEBHOOK-SUBSCRIPTION-CREATE-STATUS': {
    section: subscription,
    level: 'planned',
    statement: 'The `status` of a created subscription is a string.',
    interpretation: 'Only the value `active` is documented; another one is a note.',
  },
  'WEBHOOK-SUBSCRIPTION-CREATE-CREATED-AT': {
    section: subscription,
    level: 'planned',
    statement: 'The `created_at` of a created subscription is an ISO 8601 date-time in UTC.',
    interpretation:
      'UTC may have the form Z or +00:00; a time that differs from the clock of the target by 5 minutes or more is a note.',
  },
  'WEBHOOK-SUBSCRIPTION-DESCRIPTION': {
    section: subscription,
    level: 'planned',
    statement: 'A creation with a description is accepted.',
  },
  'WEBHOOK-SUBSCRIPTION-SECRET-WITHHELD': {
    section: subscription,
    level: 'planned',
    statement: 'No response of subscription management contains the secret of a subscription.',
    interpretation:
      'A few characters that identify the secret are a note, and so is a secret in a delivery, which goes to the partner.',
  },
  'WEBHOOK-SUBSCRIPTION-SECRET-LENGTH': {
    section: limits,
    level: 'planned',
    statement: 'A secret of 31 characters is refused, and a secret of 32 characters is accepted.',
    interpretation: anyRefusal,
  },
  'WEBHOOK-SUBSCRIPTION-TARGET-HTTPS': {
    section: limits,
    level: 'planned',
    statement: 'A `target_url` that is not HTTPS is refused.',
    interpretation: anyRefusal,
  },
  'WEBHOOK-SUBSCRIPTION-TARGET-REQUIRED': {
    section: subscription,
    level: 'planned',
    statement: 'A subscription without `target_url` is refused.',
    interpretation: anyRefusal,
  },
  'WEBHOOK-SUBSCRIPTION-SECRET-REQUIRED': {
    section: subscription,
    level: 'planned',
    statement: 'A subscription without a secret is refused.',
    interpretation: anyRefusal,
  },
  'WEBHOOK-SUBSCRIPTION-FILTERS-REQUIRED': {
    section: subscription,
    level: 'planned',
    statement: 'A subscription without `event_filters` is refused.',
    interpretation: `${anyRefusal} An empty array is not an absent one: it means all types.`,
  },
  'WEBHOOK-SUBSCRIPTION-LIST': {
    section: management,
    level: 'planned',
    statement: "The list contains the partner's subscription.",
    interpretation:
      'The form of the list is not specified: the id anywhere in a JSON response with a 2xx status passes. Members may be absent, but may not contradict the creation.',
  },
  'WEBHOOK-SUBSCRIPTION-GET': {
    section: management,
    level: 'planned',
    statement: 'A request for a subscription by its id returns it.',
    interpretation:
      'The form of the response is not specified: the id anywhere in a JSON response with a 2xx status passes. Members may be absent, but may not contradict the creation.',
  },
  'WEBHOOK-SUBSCRIPTION-UPDATE': {
    section: management,
    level: 'planned',
    statement: 'An update changes the `event_filters` of a subscription.',
    interpretation: `${anySuccess} The check judges \`event_filters\` in later responses, if present; WEBHOOK-DELIVERY-UPDATED judges deliveries.`,
  },
  'WEBHOOK-SUBSCRIPTION-UPDATE-RESPONSE': {
    section: subscription,
    level: 'planned',
    statement:
      'If the response to an update contains a subscription, it has the `id` and `target_url` of the updated subscription, and members of the documented types.',
    interpretation:
      'The response is not specified: members may be absent, and `event_filters` may be the old ones. Another time in `created_at` is a note.',
  },
  'WEBHOOK-SUBSCRIPTION-DELETE': {
    section: management,
    level: 'planned',
    statement: 'A deletion removes a subscription.',
    interpretation: `${anySuccess} A deleted subscription may still be returned, with a different status.`,
  },
  'WEBHOOK-SUBSCRIPTION-CREDENTIALS': {
    section: authentication,
    level: 'planned',
    statement: 'Management requests without `X-Client-Id` and `X-Client-Secret` are refused.',
    interpretation: anyRefusal,
  },
  'WEBHOOK-SUBSCRIPTION-CREDENTIALS-WRONG': {
    section: authentication,
    level: 'planned',
    statement: 'Management requests with an unknown `X-Client-Id` or `X-Client-Secret` are refused.',
    interpretation: anyRefusal,
  },
  'WEBHOOK-SUBSCRIPTION-NO-OAUTH': {
    section: authentication,
    level: 'planned',
    statement:
      "Management requests with a user's access token in place of the partner's credentials are refused.",
    interpretation: anyRefusal,
  },
  'WEBHOOK-SUBSCRIPTION-ANSWERS': silent(
    management,
    'The status and members of the responses to list, get, update and delete are not specified.',
  ),
  'WEBHOOK-SUBSCRIPTION-REFUSALS': silent(
    management,
    'The status and members of refusals are not specified.',
  ),
  'WEBHOOK-SUBSCRIPTION-STATUS-VALUES': silent(
    'Webhook subscription (states)',
    'The values of `status` other than `active` are not specified.',
  ),
  'WEBHOOK-SUBSCRIPTION-TRANSITIONS': {
    ...silent(
      'Webhook subscription (states)',
      'The transitions of the `status` of a subscription are not specified.',
    ),
    reason: 'No cause for a transition between two values of `status` is documented',
  },
  'WEBHOOK-SUBSCRIPTION-ADDRESS': {
    ...silent(management, 'The address of subscription management is indicative only.'),
    reason:
      'No check judges the address itself: if {partner_api_url}/events/subscriptions returns 404, the checks that use it are not applicable',
  },
  'WEBHOOK-SUBSCRIPTION-TARGET-REACHABLE': {
    section: subscription,
    level: 'planned',
    statement: 'A `target_url` is publicly reachable.',
    reason:
      'Partners have to ensure that their `target_url` is reachable; whether the service verifies it at creation is not specified',
  },
  'WEBHOOK-SUBSCRIPTION-CLIENT-SECRET': {
    section: subscription,
    level: 'client',
    statement: 'A partner treats the secret of a subscription as a credential.',
    reason:
      'Plumbline generates a secret for each subscription and stores none (tests/webhook/registry.test.ts, "secrets and target_urls are random and never shown")',
  },
} as const satisfies Readonly<Record<string, Requirement>>

export const { check } = defineArea(
  area,
  requirements,
  fixtures.extend('refusals', (context) => new SubscriptionRefusalSteps(context.run, context)),
)

declare module '../../src/check/requirement.ts' {
  interface RequirementIds extends Record<keyof typeof requirements, true> {}
}
