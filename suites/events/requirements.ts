import { defineArea } from '../../src/check/catalogue.ts'
import { must, type Requirement, silent } from '../../src/check/requirement.ts'
import { clientStatements } from './client-statements.ts'

const events = 'Events'
const versioning = 'Versioning'
const envelope = 'Event (envelope, shared by pull and push)'

const area = {
  name: 'events',
  title: 'Events',
  order: 11,
  host: 'partner-api',
  judges: ['event-search'],
} as const

const requirements = {
  'EVENT-ID': must(envelope, 'The `id` of every event is a non-empty string.'),
  'EVENT-ID-UNIQUE': must(
    envelope,
    'No two different events have the same `id`.',
    'One event may be delivered more than once; that is recorded. The check compares only documented members, except those that are malformed in one of the copies. Null is the same as an absent member, and the order of `changedClaims` does not matter.',
  ),
  'EVENT-ID-STABLE': must(
    envelope,
    'An event has the same `id` in every search that returns it.',
    'The check compares events whose other members are equal in two searches.',
  ),
  'EVENT-TIMESTAMP': must(
    envelope,
    'The `timestamp` of every event is an ISO local date-time with milliseconds and without a zone.',
    'Some libraries omit the fraction of a full second or final zeros, or write more than three digits. These forms are a note if any event has milliseconds. A time without seconds is a violation.',
  ),
  'EVENT-TYPE': must(envelope, 'The `type` of every event is a non-empty string.'),
  'EVENT-VERSION': must(envelope, 'The `version` of every event is a non-empty string, not a number.'),
  'EVENT-PAYLOAD': must(envelope, 'The `payload` of every event is an object.'),
  'EVENT-CLAIM-CHANGE': must(
    envelope,
    'The payload of `ClaimValuesChanged` has `claims` as an object, or `changedClaims` as an array of names.',
    'Both members may be present, and `claims` may be empty. A payload with neither is a note, and so is `null` in place of an absent member.',
  ),
  'EVENT-CONTEXT': must(
    envelope,
    'The members `sphere`, `subscriber`, `application` and `subscription` of an event, if present, are strings.',
    'They are optional; `null` in place of an absent member is a note.',
  ),
  'EVENT-SUBSCRIBER': must(
    envelope,
    "The `subscriber` of an event is the `sub` of the same user in the application's tokens.",
    'The `subscriber` is optional. The check judges only the event of a claim that the test user changes: elsewhere, an event of another user looks the same as an event of the test user with a wrong `subscriber`. Restoring the claim is a second change. If none of its events has the subscriber of the first event, the first event may be of another user, and the check is inconclusive.',
  ),
  'EVENT-CLAIM-CHANGE-EMITTED': must(
    events,
    'A changed claim causes an event of the type `ClaimValuesChanged`.',
    'The delay is not specified: a change without any event is inconclusive, an event of another type is a violation. Both hold for the restoration of the claim, too.',
  ),
  'EVENT-TIMESTAMP-GENERATED': must(
    envelope,
    'The `timestamp` is the time at which the service generated the event: not before the change, and not after a search returned it.',
    'Its zone is not specified. If EVENT_TIME_ZONE is `unknown`, every possible offset from UTC passes; if the time fits only with an offset other than that of EVENT_TIME_ZONE, EVENT_TIME_ZONE is wrong.',
  ),
  'EVENT-TIME-ZONE': silent(envelope, 'The UTC offset of the local times of events is not specified.'),
  'EVENT-CLAIM-CHANGE-NAMED': silent(
    envelope,
    'How the payload of a claim change identifies the claim, and whether it has the new value, is not specified.',
    'Only the shapes of the two payloads are specified, not their content after a change.',
  ),
  'EVENT-TYPES-SEEN': silent(
    events,
    'Which types of events other than `ClaimValuesChanged` occur is not specified.',
    'Only `ClaimValuesChanged` is emitted today; types may be added. Another type is drift: a note here, and never a failure of other checks.',
  ),
  'EVENT-VERSIONS-SEEN': silent(
    versioning,
    'Which versions of each type of event occur is not specified.',
    'Two forms are documented, 1 and 1.0; versions increase when payloads change, so another version is drift.',
  ),
  'EVENT-VERSION-INCREASES': {
    ...must(versioning, 'The version of a type increases when the shape of its payload changes.'),
    reason:
      'Every member of a payload may be absent, so a different payload does not show that the shape has changed',
  },
  'EVENT-ENDPOINT-VERSIONS': {
    ...silent(
      versioning,
      'The versions of the search address, and how their end is announced, are not specified.',
    ),
    reason:
      'Neither versions of the search address nor announcements of their end are specified, so no request can show them',
  },
  'EVENT-TYPES-PLANNED': {
    section: events,
    level: 'planned',
    statement: 'The service emits the planned types of events, about users and subscriptions.',
    reason:
      'The planned types are not emitted yet, their names may change, and their payloads are not specified; EVENT-TYPES-SEEN records each new type',
  },
  ...clientStatements,
} as const satisfies Readonly<Record<string, Requirement>>

export const { check } = defineArea(area, requirements)

declare module '../../src/check/requirement.ts' {
  interface RequirementIds extends Record<keyof typeof requirements, true> {}
}
