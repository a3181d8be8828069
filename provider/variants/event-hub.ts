import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { capPageSize } from '../edits.ts'

type Payload = Record<string, unknown>

const text = 'x'.repeat(40_000)

function editPayload(edit: (payload: Payload) => Payload): Alter {
  return ({ hub }) =>
    hub.envelope.push((envelope, { payload }) => {
      envelope.payload = edit(payload)
    })
}

const results = [
  {
    name: 'descending-order',
    summary: 'Returns the newest events first.',
    concerns: ['EVENT-TIME-ORDER', 'EVENT-WINDOWS-ADJACENT'],
    unspecified: 'The direction of the time order is not specified.',
    alter: ({ hub }: Behaviour) => {
      hub.order = (ascending) => ascending.toReversed()
    },
  },
  {
    name: 'duplicates-with-same-content',
    summary: 'Returns about one event in sixteen twice, with the same content.',
    concerns: ['EVENT-ID-UNIQUE', 'EVENT-PAGINATION'],
    unspecified: 'An event may be delivered more than once.',
    alter: ({ hub }: Behaviour) => {
      hub.order = (ascending) =>
        ascending.flatMap((event) => (event.id.endsWith('0') ? [event, event] : [event]))
    },
  },
  {
    name: 'page-size-capped-at-20',
    summary: 'Caps `pageSize` at 20.',
    concerns: ['EVENT-MAX-PAGE-SIZE', 'EVENT-PAGE-PAST-END', 'EVENT-PAGE-SIZE-MAXIMUM'],
    unspecified: 'The maximum pageSize is not specified.',
    alter: capPageSize(20),
  },
  {
    name: 'page-size-capped-at-100',
    summary: 'Caps `pageSize` at 100.',
    concerns: ['EVENT-MAX-PAGE-SIZE', 'EVENT-PAGINATION', 'EVENT-PAGE-SIZE-MAXIMUM', 'EVENT-TOTAL'],
    unspecified: 'The maximum pageSize is not specified.',
    alter: capPageSize(100),
  },
  {
    name: 'page-size-over-100-refused',
    summary: 'Returns 400 for a `pageSize` over 100.',
    concerns: ['EVENT-MAX-PAGE-SIZE', 'EVENT-PAGINATION'],
    unspecified: 'The maximum pageSize is not specified.',
    alter: ({ hub }: Behaviour) => {
      const { parsePageSize } = hub
      hub.parsePageSize = (text) => {
        const size = parsePageSize(text)
        return size !== undefined && size <= 100 ? size : undefined
      }
    },
  },
  {
    name: 'window-limit-to-the-second',
    summary: 'Accepts a window of 24 hours and a fraction of a second.',
    concerns: ['EVENT-WINDOW-LIMIT', 'EVENT-WINDOW-FULL-DAY', 'EVENT-WINDOW-PRECISION'],
    unspecified: 'The precision of the 24-hour limit is not specified.',
    alter: ({ hub }: Behaviour) => {
      hub.tooWide = (milliseconds) => Math.floor(milliseconds / 1000) > 86_400
    },
  },
]

const events = [
  {
    name: 'large-payloads',
    summary: 'Adds 40 kB of text to each payload, so that a page of all events of a day exceeds 8 MiB.',
    concerns: ['EVENT-MAX-PAGE-SIZE', 'EVENT-PAGINATION', 'EVENT-WINDOW-LIMIT'],
    unspecified: 'The size of an event is not specified.',
    mustPass: ['EVENT-PAGINATION', 'EVENT-WINDOW-LIMIT'],
    alter: editPayload((payload) => ({ ...payload, text })),
  },
  {
    name: 'changed-claims-only',
    summary: 'Emits every payload with `changedClaims` and without `claims`.',
    concerns: ['EVENT-CLAIM-CHANGE'],
    unspecified: 'Two payload shapes occur.',
    alter: editPayload((payload) => ({
      changedClaims: payload.changedClaims ?? Object.keys(payload.claims ?? {}),
    })),
  },
  {
    name: 'claims-only',
    summary: 'Emits every payload with `claims`, some of them empty, and without `changedClaims`.',
    concerns: ['EVENT-CLAIM-CHANGE'],
    unspecified: 'Two payload shapes occur.',
    alter: editPayload((payload) => ({ claims: payload.claims ?? {} })),
  },
  {
    name: 'whole-seconds-without-fraction',
    summary: 'Writes the timestamp of an event on a full second without a fraction.',
    concerns: ['EVENT-TIMESTAMP', 'EVENT-TIME-ORDER', 'EVENT-WINDOW-RESPECTED'],
    unspecified: 'Serialisers omit a fraction of zero.',
    alter: ({ hub }: Behaviour) =>
      hub.envelope.push((envelope) => {
        envelope.timestamp = String(envelope.timestamp).replace(/\.000$/, '')
      }),
  },
  {
    name: 'fraction-without-final-zeros',
    summary: 'Writes the fraction of a timestamp without its final zeros.',
    concerns: ['EVENT-TIMESTAMP', 'EVENT-TIME-ORDER', 'EVENT-WINDOW-RESPECTED'],
    unspecified: 'Serialisers omit final zeros of a fraction.',
    alter: ({ hub }: Behaviour) =>
      hub.envelope.push((envelope) => {
        envelope.timestamp = String(envelope.timestamp)
          .replace(/(\.\d*?)0+$/, '$1')
          .replace(/\.$/, '')
      }),
  },
  {
    name: 'timestamps-with-microseconds',
    summary: 'Writes timestamps with microseconds.',
    concerns: ['EVENT-TIMESTAMP', 'EVENT-TIME-ORDER', 'EVENT-WINDOW-RESPECTED'],
    unspecified: 'More digits than those of milliseconds are not excluded.',
    mustPass: ['EVENT-TIMESTAMP', 'EVENT-TIME-ORDER', 'EVENT-WINDOW-RESPECTED'],
    mustBeInconclusive: ['EVENT-FROM-INCLUSIVE', 'EVENT-TO-EXCLUSIVE'],
    alter: ({ hub }: Behaviour) =>
      hub.envelope.push((envelope) => {
        envelope.timestamp = `${envelope.timestamp}456`
      }),
  },
  {
    name: 'context-absent',
    summary: 'Omits `sphere`, `subscriber`, `application` and `subscription` from all events.',
    concerns: ['EVENT-CONTEXT'],
    unspecified: 'Context fields are present "when applicable".',
    alter: ({ hub }: Behaviour) =>
      hub.envelope.push((envelope) => {
        for (const name of ['sphere', 'subscriber', 'application', 'subscription']) delete envelope[name]
      }),
  },
  {
    name: 'payload-members-null',
    summary: 'Writes `claims: null` beside `changedClaims`, and `changedClaims: null` beside `claims`.',
    concerns: ['EVENT-CLAIM-CHANGE'],
    unspecified: 'Serialisers write null for an absent member.',
    mustPass: ['EVENT-CLAIM-CHANGE'],
    alter: ({ hub }: Behaviour) =>
      hub.envelope.push((envelope, { payload }) => {
        envelope.payload = { claims: null, changedClaims: null, ...payload }
      }),
  },
  {
    name: 'unknown-event-type',
    summary: 'Emits some events of a planned type with a different payload.',
    concerns: ['EVENT-TYPE', 'EVENT-TYPES-SEEN'],
    unspecified: 'New event types may be added.',
    alter: ({ hub }: Behaviour) =>
      hub.envelope.push((envelope, { id }) => {
        if (!/[05]$/.test(id)) return
        envelope.type = 'user.password.changed'
        envelope.payload = { method: 'self-service' }
      }),
  },
  {
    name: 'newer-version',
    summary: 'Emits every event with version 2 and undocumented members.',
    concerns: ['EVENT-VERSION', 'EVENT-VERSIONS-SEEN'],
    unspecified: 'Versions increase when the payload changes.',
    alter: ({ hub }: Behaviour) =>
      hub.envelope.push((envelope) => {
        envelope.version = '2'
        envelope.correlation = { trace: 'none' }
      }),
  },
]

export const eventHubVariants = withSurface('hub', [...results, ...events])
