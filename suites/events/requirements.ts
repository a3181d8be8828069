import { defineArea } from '../../src/check/catalogue.ts'

const envelope = 'Event (envelope, shared by pull and push)'

export const { check } = defineArea('events', 'Events', {
  'EVENT-ID': {
    section: envelope,
    level: 'must',
    statement: 'Every event has an id, a string that is not empty.',
  },
  'EVENT-ID-UNIQUE': {
    section: envelope,
    level: 'must',
    statement: 'An id stands for one event: it never comes with other content.',
    ambiguity: 'The same event may be given out more than once; that is recorded.',
  },
  'EVENT-TIMESTAMP': {
    section: envelope,
    level: 'must',
    statement: 'Every event has a timestamp, an ISO local date-time with milliseconds and without a zone.',
    ambiguity:
      'Some libraries leave out the fraction on a full second, or write more than three digits: a note, unless no event has a fraction.',
  },
  'EVENT-TYPE': {
    section: envelope,
    level: 'must',
    statement: 'Every event has a type, a string.',
  },
  'EVENT-VERSION': {
    section: envelope,
    level: 'must',
    statement: 'Every event has a version, a string and never a number.',
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
      'The payload of ClaimValuesChanged holds claims as an object, or changedClaims as an array of names.',
    ambiguity: 'Both shapes pass, together too, and claims may be empty; a payload with neither is a note.',
  },
  'EVENT-CONTEXT': {
    section: envelope,
    level: 'must',
    statement: 'sphere, subscriber, application and subscription are strings where an event has them.',
    ambiguity: 'They are optional; null in place of leaving one out is a note.',
  },
  'EVENT-TYPES-SEEN': {
    section: 'Events',
    level: 'silent',
    statement: 'Types of events that occur.',
    ambiguity: 'The list is not closed: a new type is news, not a defect.',
  },
  'EVENT-VERSIONS-SEEN': {
    section: 'Versioning',
    level: 'silent',
    statement: 'Versions of events that occur, by type.',
    ambiguity: 'Versions increase as payloads change.',
  },
})
