import { client, type Requirement } from '../../src/check/requirement.ts'

const events = 'Events'
const versioning = 'Versioning'
const envelope = 'Event (envelope, shared by pull and push)'
const search = 'Event search (pull)'

/** Duties of partners that read or poll events. Plumbline's own readings and poller fulfil them. */
export const clientStatements = {
  'EVENT-CLIENT-IDEMPOTENT': client(
    events,
    'A partner recognises repeated deliveries of an event by its `id`.',
    'The poller of Plumbline delivers each event once (tests/event-hub/poller/poller.test.ts, "despite any failure, late and repeated events, and a kill at any step"), and checks compare events by id (tests/check/events/reading.test.ts, "a repeated event does not replace a missing one")',
  ),
  'EVENT-CLIENT-TOLERANT': client(
    envelope,
    'A partner accepts both payloads of a claim change, and missing members.',
    'Plumbline reads items of any shape (tests/event-hub/page.test.ts, "items that are not objects become events without members"; tests/event-hub/schemas.test.ts)',
  ),
  'EVENT-CLIENT-VERSIONS': client(
    versioning,
    'A partner accepts both forms of a version, 1 and 1.0, and versions of one type with different members.',
    'Plumbline accepts any version and does not interpret it (tests/event-hub/schemas.test.ts, "valid events")',
  ),
  'EVENT-CLIENT-SPHERE': client(
    events,
    'A partner does not correlate subscribers of applications in different Spheres, since each Sphere has its own user identifiers.',
    'Plumbline compares a `subscriber` only with users of its own application; an event of another application is inconclusive (tests/check/events/claim-change.test.ts, "another one in the event of another application only")',
  ),
  'EVENT-CLIENT-CREDENTIALS': client(
    'Authentication, 4',
    'A partner authenticates a search with `X-Client-Id` and `X-Client-Secret`, not with OAuth credentials.',
    'Plumbline sends X-Client-Id and X-Client-Secret, and no credentials of the application (tests/event-hub/search.test.ts, "goes to {partner_api_url}/events/search with the partner headers and nothing of the application")',
  ),
  'EVENT-CLIENT-LOCAL-TIME': client(
    search,
    'A partner sends `from` and `to` as local date-times without a zone.',
    'Plumbline sends local times of EVENT_TIME_ZONE (tests/event-hub/search.test.ts, "goes to {partner_api_url}/events/search with the partner headers and nothing of the application")',
  ),
  'EVENT-POLL-WINDOW': client(
    search,
    'A poller that is more than 24 hours behind searches several windows of at most 24 hours.',
    'The simulated hub of the tests refuses a window wider than 24 hours (tests/event-hub/poller/simulation.ts, "more than 24 hours")',
  ),
  'EVENT-POLL-CHECKPOINT': client(
    events,
    'A poller keeps a checkpoint.',
    'The poller of Plumbline keeps its checkpoint even if the process is killed at any step (tests/event-hub/poller/poller.test.ts, "with a kill at every single step"; tests/cli/events.test.ts, "killed again and again")',
  ),
  'EVENT-POLL-FROM': client(
    events,
    'A poller searches from its checkpoint.',
    'A test compares the `from` of every search with the checkpoint (tests/event-hub/poller/hub.test.ts, "every event once")',
  ),
  'EVENT-POLL-TO': {
    ...client(
      events,
      'A poller searches up to now, in the local time of the Event Hub.',
      'The poller of Plumbline searches up to now, except in the hour that clocks repeat (tests/event-hub/clock-changes.test.ts, "the local time up to which a poller searches")',
    ),
    interpretation:
      'The delay of events and the meaning of local times in the hour that clocks repeat are not specified, so `to` may be slightly before now.',
  },
  'EVENT-POLL-EXHAUST': client(
    events,
    'A poller requests pages until there are no more.',
    'The tests of the poller fail for a poller that reads only the first page (tests/event-hub/poller/poller.test.ts; tests/event-hub/page.test.ts)',
  ),
  'EVENT-POLL-ADVANCE': client(
    events,
    'A poller advances its checkpoint to the `to` of its search.',
    'The tests of the poller fail if the checkpoint is not the `to` of a search (tests/event-hub/poller/simulation.ts, "the checkpoint is not the to of a search")',
  ),
  'EVENT-POLL-ADVANCE-LAST-EVENT': client(
    events,
    'A poller does not advance its checkpoint to the time of the last event.',
    'The poller of Plumbline does not read the times of events, and its tests detect a poller that does (tests/event-hub/poller/poller.test.ts, "advances to the time of the last event")',
  ),
  'EVENT-POLL-ADVANCE-BATCH': client(
    events,
    'A poller advances its checkpoint only after the whole batch has succeeded.',
    'The tests of the poller compare each advance of the checkpoint with the delivered events, and detect an early one (tests/event-hub/poller/poller.test.ts, "advances before the batch is done")',
  ),
  'EVENT-POLL-BACK-OFF': client(
    events,
    'A poller backs off after a 5xx.',
    'The poller of Plumbline backs off, after time-outs and broken connections too (tests/event-hub/poller/hub.test.ts, "requests to an unavailable hub slow down, and the checkpoint stays")',
  ),
  'EVENT-POLL-BACK-OFF-THROTTLED': client(
    events,
    'A poller backs off after a 429, until Retry-After has elapsed if it is present.',
    'The tests of the poller fail for a poller that sends its next request too early (tests/event-hub/poller/poller.test.ts, "does not look at Retry-After"; tests/event-hub/poller/hub.test.ts, "a 503 and a 429 in the middle of a batch")',
  ),
} as const satisfies Readonly<Record<string, Requirement>>
