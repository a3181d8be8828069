import { defineArea } from '../../src/check/catalogue.ts'
import type { Requirement } from '../../src/check/requirement.ts'

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
    statement: 'Every event has an id, a string that is not empty.',
  },
  'EVENT-ID-UNIQUE': {
    section: envelope,
    level: 'must',
    statement: 'An id stands for one event: it never comes with other content.',
    ambiguity: 'The same event may be given out more than once; that is recorded.',
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
  'EVENT-SUBSCRIBER': {
    section: envelope,
    level: 'must',
    statement: "subscriber is the sub that the application's tokens name the same user with.",
    ambiguity:
      'It is optional. Seen on the event of a claim that the test user changes, since events of other people look the same as one of the test user under another name.',
  },
  'EVENT-CLAIM-CHANGE-EMITTED': {
    section: events,
    level: 'must',
    statement: 'A claim that a user changes gives an event of the type ClaimValuesChanged.',
    ambiguity:
      'How soon is not said: a change without any event is left undecided, one whose event has another type is not.',
  },
  'EVENT-TIMESTAMP-GENERATED': {
    section: envelope,
    level: 'must',
    statement:
      'timestamp is when the event was made: not before the change it tells of, and not after it is found.',
    ambiguity:
      'Its zone is not said. Where EVENT_TIME_ZONE is unknown, every offset from UTC that a zone can have will do; where another one fits, EVENT_TIME_ZONE is to be corrected.',
  },
  'EVENT-TIME-ZONE': {
    section: envelope,
    level: 'silent',
    statement: 'By how much the local times of events are ahead of UTC.',
    ambiguity: 'The zone of local times is not shown.',
  },
  'EVENT-CLAIM-CHANGE-NAMED': {
    section: envelope,
    level: 'silent',
    statement: 'How the payload of a claim change speaks of the claim: by name, with its new value.',
    ambiguity: 'Of the two payloads only their shapes are shown, not what stands in them after which change.',
  },
  'EVENT-TYPES-SEEN': {
    section: events,
    level: 'silent',
    statement: 'Types of events that occur.',
    ambiguity: 'The list is not closed: a new type is news, not a defect.',
  },
  'EVENT-VERSIONS-SEEN': {
    section: versioning,
    level: 'silent',
    statement: 'Versions of events that occur, by type.',
    ambiguity:
      'Two forms are documented, 1 and 1.0; versions increase as payloads change, so another one is news.',
  },
  'EVENT-VERSION-INCREASES': {
    section: versioning,
    level: 'must',
    statement: 'The version of a type increases when the shape of its payload changes.',
    reason:
      'Every member of a payload may be missing, so a changed shape cannot be told from an event with fewer members',
  },
  'EVENT-ENDPOINT-VERSIONS': {
    section: versioning,
    level: 'silent',
    statement: 'Versions of the search address, and how the end of one is announced.',
    reason: 'Neither is shown, so there is nothing to ask for',
  },
  'EVENT-TYPES-PLANNED': {
    section: events,
    level: 'planned',
    statement: 'Events about users and subscriptions of the other named types.',
    reason:
      'Not emitted yet, their names may change and their payloads are not shown; EVENT-TYPES-SEEN records the first one that comes',
  },
  'EVENT-CLIENT-IDEMPOTENT': {
    section: events,
    level: 'client',
    statement: 'A consumer copes with an event that comes more than once, known by its id.',
    reason:
      'A duty of consumers; the poller of Plumbline hands over each id once, whatever comes again (tests/event-hub/poller/poller.test.ts, "whatever fails, comes late or twice, and wherever the process is killed"), and readings compare events by id (tests/event-hub/reading.test.ts, "an event that comes twice does not stand in for another")',
  },
  'EVENT-CLIENT-TOLERANT': {
    section: envelope,
    level: 'client',
    statement: 'A consumer copes with both payloads of a claim change, and with members that are missing.',
    reason:
      'A duty of consumers; Plumbline reads whatever an item is made of (tests/event-hub/page.test.ts, "items that are no events are kept as events without members"; tests/event-hub/schemas.test.ts)',
  },
  'EVENT-CLIENT-SPHERE': {
    section: events,
    level: 'client',
    statement:
      'A consumer does not take the subscribers of applications in different Spheres for one person.',
    reason:
      'A duty of consumers; Plumbline holds a subscriber against the subs of its own application only, and leaves open what an event of another one names (tests/event-hub/claim-change.test.ts, "another one in the event of another application only")',
  },
  'EVENT-POLL-CHECKPOINT': {
    section: events,
    level: 'client',
    statement: 'A poller keeps a checkpoint.',
    reason:
      'A duty of pollers; the one of Plumbline keeps it over kills at every step (tests/event-hub/poller/poller.test.ts, "with a kill at every single step"; tests/cli/events.test.ts, "killed again and again")',
  },
  'EVENT-POLL-FROM': {
    section: events,
    level: 'client',
    statement: 'A poller asks from its checkpoint on.',
    reason:
      'A duty of pollers; the one of Plumbline does (tests/event-hub/poller/hub.test.ts, "every event once", which compares the from of every search with the checkpoint)',
  },
  'EVENT-POLL-TO': {
    section: events,
    level: 'client',
    statement: 'A poller asks until now, by the local time of the Event Hub.',
    ambiguity:
      'How late events are stored is not said, nor what a local time means in the hour that clocks repeat: now may be taken a little early.',
    reason:
      'A duty of pollers; the one of Plumbline asks until a settled now (tests/event-hub/poller/poller.test.ts, "the local time up to which a poller asks")',
  },
  'EVENT-POLL-EXHAUST': {
    section: events,
    level: 'client',
    statement: 'A poller asks for pages until there are no more.',
    reason:
      'A duty of pollers; the simulation notices one that reads the first page only, and finds the one of Plumbline whole (tests/event-hub/poller/poller.test.ts; tests/event-hub/page.test.ts)',
  },
  'EVENT-POLL-ADVANCE': {
    section: events,
    level: 'client',
    statement: 'A poller moves its checkpoint to the to that it sent.',
    reason:
      'A duty of pollers; the simulation stops at any other checkpoint (tests/event-hub/poller/simulation.ts, "the checkpoint is no to that was sent")',
  },
  'EVENT-POLL-ADVANCE-LAST-EVENT': {
    section: events,
    level: 'client',
    statement: 'A poller does not move its checkpoint to the time of the last event.',
    reason:
      'A duty of pollers; the one of Plumbline never looks at the time of an event, and the simulation notices one that does (tests/event-hub/poller/poller.test.ts, "advances to the time of the last event")',
  },
  'EVENT-POLL-ADVANCE-BATCH': {
    section: events,
    level: 'client',
    statement: 'A poller moves its checkpoint only after the whole batch has succeeded.',
    reason:
      'A duty of pollers; the simulation holds each move against what was handed over, and notices one that comes early (tests/event-hub/poller/poller.test.ts, "advances before the batch is done")',
  },
  'EVENT-POLL-BACK-OFF': {
    section: events,
    level: 'client',
    statement: 'A poller waits longer and longer after a 5xx.',
    reason:
      'A duty of pollers; the one of Plumbline does, after time-outs and broken connections too (tests/event-hub/poller/hub.test.ts, "a hub that stays away is asked ever more slowly, and moves nothing")',
  },
  'EVENT-POLL-BACK-OFF-THROTTLED': {
    section: events,
    level: 'client',
    statement: 'A poller waits after a 429, as long as Retry-After says or longer and longer.',
    reason:
      'A duty of pollers; the simulation notices one that comes back too early (tests/event-hub/poller/poller.test.ts, "does not look at Retry-After"; tests/event-hub/poller/hub.test.ts, "a 503 and a 429 in the middle of a batch")',
  },
} as const satisfies Readonly<Record<string, Requirement>>

export const { check } = defineArea(area, requirements)

declare module '../../src/check/requirement.ts' {
  interface RequirementIds extends Record<keyof typeof requirements, true> {}
}
