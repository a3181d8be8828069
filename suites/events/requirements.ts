import { defineArea } from '../../src/check/catalogue.ts'
import type { Requirement } from '../../src/check/requirement.ts'
import { clientStatements } from './client-statements.ts'

const events = 'Events'
const versioning = 'Versioning'
const envelope = 'Event (envelope, shared by pull and push)'

const area = {
  name: 'events',
  title: 'Events',
  order: 11,
  host: 'partner-api',
} as const

const requirements = {
  'EVENT-ID': {
    section: envelope,
    level: 'must',
    statement: 'Every event has an id, a non-empty string.',
  },
  'EVENT-ID-UNIQUE': {
    section: envelope,
    level: 'must',
    statement: 'No two different events have the same id.',
    ambiguity: 'One event may be delivered more than once; that is recorded.',
  },
  'EVENT-ID-STABLE': {
    section: envelope,
    level: 'must',
    statement: 'An event keeps its id: every search returns it with the same one.',
    ambiguity: 'Judged by events whose other members are the same in two searches.',
  },
  'EVENT-TIMESTAMP': {
    section: envelope,
    level: 'must',
    statement: 'Every event has a timestamp, an ISO local date-time with milliseconds and without a zone.',
    ambiguity:
      'Some libraries omit the fraction of a full second, or write more than three digits: a note, unless no event has a fraction.',
  },
  'EVENT-TYPE': {
    section: envelope,
    level: 'must',
    statement: 'Every event has a type, a string.',
  },
  'EVENT-VERSION': {
    section: envelope,
    level: 'must',
    statement: 'Every event has a version, a string and not a number.',
  },
  'EVENT-PAYLOAD': {
    section: envelope,
    level: 'must',
    statement: 'Every event has a payload, an object.',
  },
  'EVENT-CLAIM-CHANGE': {
    section: envelope,
    level: 'must',
    statement:
      'The payload of ClaimValuesChanged has claims as an object, or changedClaims as an array of names.',
    ambiguity: 'Both members may be present, and claims may be empty; a payload with neither is a note.',
  },
  'EVENT-CONTEXT': {
    section: envelope,
    level: 'must',
    statement: 'sphere, subscriber, application and subscription, if present, are strings.',
    ambiguity: 'They are optional; null in place of an absent member is a note.',
  },
  'EVENT-SUBSCRIBER': {
    section: envelope,
    level: 'must',
    statement: "subscriber is the sub of the same user in the application's tokens.",
    ambiguity:
      'It is optional. Judged by the event of a claim that the test user changes: events of other users look the same as one of the test user with another sub.',
  },
  'EVENT-CLAIM-CHANGE-EMITTED': {
    section: events,
    level: 'must',
    statement: 'A claim that a user changes causes an event of the type ClaimValuesChanged.',
    ambiguity:
      'How soon is not specified: a change without any event is inconclusive, an event of another type is a violation.',
  },
  'EVENT-TIMESTAMP-GENERATED': {
    section: envelope,
    level: 'must',
    statement:
      'timestamp is the time at which the service generated the event: not before the change, and not after a search found it.',
    ambiguity:
      'Its zone is not specified. If EVENT_TIME_ZONE is unknown, any offset from UTC that a zone can have passes; if another offset fits, EVENT_TIME_ZONE is wrong.',
  },
  'EVENT-TIME-ZONE': {
    section: envelope,
    level: 'silent',
    statement: 'Offset of the local times of events from UTC.',
    ambiguity: 'The zone of local times is not shown.',
  },
  'EVENT-CLAIM-CHANGE-NAMED': {
    section: envelope,
    level: 'silent',
    statement: 'How the payload of a claim change names the claim, and whether it has the new value.',
    ambiguity: 'Only the shapes of the two payloads are shown, not their content after a given change.',
  },
  'EVENT-TYPES-SEEN': {
    section: events,
    level: 'silent',
    statement: 'Types of the events that occur.',
    ambiguity:
      'Only ClaimValuesChanged is emitted today; types may be added. Another type is drift: a note here, and never a failure of other checks.',
  },
  'EVENT-VERSIONS-SEEN': {
    section: versioning,
    level: 'silent',
    statement: 'Versions of the events that occur, by type.',
    ambiguity:
      'Two forms are documented, 1 and 1.0; versions increase when payloads change, so another version is drift.',
  },
  'EVENT-VERSION-INCREASES': {
    section: versioning,
    level: 'must',
    statement: 'The version of a type increases when the shape of its payload changes.',
    reason:
      'Every member of a payload may be absent, so a changed shape looks the same as an event with fewer members',
  },
  'EVENT-ENDPOINT-VERSIONS': {
    section: versioning,
    level: 'silent',
    statement: 'Versions of the search address, and the announcement of their end.',
    reason: 'Neither is shown, so there is no request for it',
  },
  'EVENT-TYPES-PLANNED': {
    section: events,
    level: 'planned',
    statement: 'Events of the other named types, about users and subscriptions.',
    reason:
      'Not emitted yet, their names may change and their payloads are not shown; EVENT-TYPES-SEEN records the first one',
  },
  ...clientStatements,
} as const satisfies Readonly<Record<string, Requirement>>

export const { check } = defineArea(area, requirements)

declare module '../../src/check/requirement.ts' {
  interface RequirementIds extends Record<keyof typeof requirements, true> {}
}
