import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import type { StoredEvent } from '../hub/events.ts'

type Envelope = Record<string, unknown>

function editEnvelope(edit: (envelope: Envelope, event: StoredEvent) => void): Alter {
  return ({ hub }) => hub.envelope.push(edit)
}

function editPayload(edit: (payload: Record<string, unknown>) => void): Alter {
  return editEnvelope((envelope, { payload }) => {
    const copy = { ...payload }
    edit(copy)
    envelope.payload = copy
  })
}

/** Matches about one event in four, always the same events. */
function isOneInFour({ id }: StoredEvent): boolean {
  return /[048c]$/.test(id)
}

export const eventFaults = withSurface('hub', [
  {
    name: 'event-id-number',
    summary: 'Writes the `id` of an event as a number.',
    violates: ['EVENT-ID'],
    alter: editEnvelope((envelope, { id }) => {
      envelope.id = Number.parseInt(id.slice(4, 16), 16)
    }),
  },
  {
    name: 'event-id-empty',
    summary: 'Emits some events with an empty `id`.',
    violates: ['EVENT-ID'],
    alter: editEnvelope((envelope, event) => {
      if (isOneInFour(event)) envelope.id = ''
    }),
  },
  {
    name: 'event-id-blank',
    summary: 'Emits some events with a space as `id`.',
    violates: ['EVENT-ID'],
    alter: editEnvelope((envelope, event) => {
      if (isOneInFour(event)) envelope.id = ' '
    }),
  },
  {
    name: 'event-type-blank',
    summary: 'Writes a space as the `type` of events that have a `subscription`.',
    violates: ['EVENT-TYPE'],
    alter: editEnvelope((envelope, { subscription }) => {
      if (subscription !== undefined) envelope.type = ' '
    }),
  },
  {
    name: 'event-version-blank',
    summary: 'Writes a space as the `version` of every event.',
    violates: ['EVENT-VERSION'],
    alter: editEnvelope((envelope) => {
      envelope.version = ' '
    }),
  },
  {
    name: 'event-id-from-time',
    summary: 'Derives the `id` of an event from its timestamp, so that simultaneous events share it.',
    violates: ['EVENT-ID-UNIQUE'],
    alter: editEnvelope((envelope, { local }) => {
      envelope.id = `evt-${local}`
    }),
  },
  {
    name: 'event-id-of-the-response',
    summary: 'Assigns new ids to events in every response.',
    violates: ['EVENT-ID-STABLE'],
    alter: (behaviour: Behaviour) => {
      let serial = 0
      editEnvelope((envelope, { id }) => {
        serial += 1
        envelope.id = `${id}-${serial}`
      })(behaviour)
    },
  },
  {
    name: 'event-id-of-the-window',
    summary: 'Derives the `id` of an event from the `from` of the search.',
    violates: ['EVENT-ID-STABLE'],
    alter: (behaviour: Behaviour) => {
      let start = 0
      behaviour.hub.effectiveRange = (range) => {
        start = range.from
        return range
      }
      editEnvelope((envelope, { id }) => {
        envelope.id = `${id}-${start}`
      })(behaviour)
    },
  },
  {
    name: 'event-content-changes',
    summary: 'Changes the content of an event from response to response.',
    violates: ['EVENT-ID-UNIQUE'],
    alter: (behaviour: Behaviour) => {
      let serial = 0
      editEnvelope((envelope) => {
        serial += 1
        envelope.subscription = `subscription-${serial}`
      })(behaviour)
    },
  },
  {
    name: 'event-timestamp-zulu',
    summary: 'Writes the timestamp of an event with a trailing Z.',
    violates: ['EVENT-TIMESTAMP'],
    alter: editEnvelope((envelope) => {
      envelope.timestamp = `${envelope.timestamp}Z`
    }),
  },
  {
    name: 'event-timestamp-with-offset',
    summary: 'Writes the timestamp of some events with an offset.',
    violates: ['EVENT-TIMESTAMP'],
    alter: editEnvelope((envelope, event) => {
      if (isOneInFour(event)) envelope.timestamp = `${envelope.timestamp}+02:00`
    }),
  },
  {
    name: 'event-timestamp-with-comma',
    summary: 'Separates the milliseconds of a timestamp with a comma.',
    violates: ['EVENT-TIMESTAMP'],
    alter: editEnvelope((envelope) => {
      envelope.timestamp = String(envelope.timestamp).replace('.', ',')
    }),
  },
  {
    name: 'event-timestamp-with-space',
    summary: 'Separates date and time of a timestamp with a space.',
    violates: ['EVENT-TIMESTAMP'],
    alter: editEnvelope((envelope) => {
      envelope.timestamp = String(envelope.timestamp).replace('T', ' ')
    }),
  },
  {
    name: 'event-timestamp-without-seconds',
    summary: 'Writes the timestamp of some events without seconds.',
    violates: ['EVENT-TIMESTAMP'],
    alter: editEnvelope((envelope) => {
      envelope.timestamp = String(envelope.timestamp).replace(/:\d\d\.000$/, '')
    }),
  },
  {
    name: 'event-timestamp-with-tenths',
    summary: 'Writes the timestamp of an event with tenths of a second.',
    violates: ['EVENT-TIMESTAMP'],
    alter: editEnvelope((envelope) => {
      envelope.timestamp = String(envelope.timestamp).replace(/(\.\d)\d\d$/, '$1')
    }),
  },
  {
    name: 'event-timestamp-number',
    summary: 'Writes the timestamp of an event as a number of milliseconds.',
    violates: ['EVENT-TIMESTAMP'],
    alter: editEnvelope((envelope, { local }) => {
      envelope.timestamp = local
    }),
  },
  {
    name: 'event-type-missing',
    summary: 'Omits `type` from some events.',
    violates: ['EVENT-TYPE'],
    alter: editEnvelope((envelope, event) => {
      if (isOneInFour(event)) delete envelope.type
    }),
  },
  {
    name: 'event-type-empty',
    summary: 'Emits some events with an empty `type`.',
    violates: ['EVENT-TYPE'],
    alter: editEnvelope((envelope, event) => {
      if (isOneInFour(event)) envelope.type = ''
    }),
  },
  {
    name: 'event-type-as-list',
    summary: 'Writes the `type` of some events as an array with one element.',
    violates: ['EVENT-TYPE'],
    alter: editEnvelope((envelope, event) => {
      if (isOneInFour(event)) envelope.type = [envelope.type]
    }),
  },
  {
    name: 'event-version-empty',
    summary: 'Emits events with an empty `version`.',
    violates: ['EVENT-VERSION'],
    alter: editEnvelope((envelope) => {
      envelope.version = ''
    }),
  },
  {
    name: 'event-version-number',
    summary: 'Writes the `version` of an event as a number.',
    violates: ['EVENT-VERSION'],
    alter: editEnvelope((envelope) => {
      envelope.version = Number(envelope.version)
    }),
  },
  {
    name: 'event-version-number-sometimes',
    summary: 'Writes version 1 as a number and version 1.0 as a string.',
    violates: ['EVENT-VERSION'],
    alter: editEnvelope((envelope) => {
      if (envelope.version === '1') envelope.version = 1
    }),
  },
  {
    name: 'event-payload-as-text',
    summary: 'Writes the payload of an event as JSON inside a string.',
    violates: ['EVENT-PAYLOAD'],
    alter: editEnvelope((envelope, { payload }) => {
      envelope.payload = JSON.stringify(payload)
    }),
  },
  {
    name: 'event-payload-missing',
    summary: 'Writes null as the `payload` of some events.',
    violates: ['EVENT-PAYLOAD'],
    alter: editEnvelope((envelope, event) => {
      if (isOneInFour(event)) envelope.payload = null
    }),
  },
  {
    name: 'changed-claims-as-text',
    summary: 'Writes `changedClaims` as a comma-separated string.',
    violates: ['EVENT-CLAIM-CHANGE'],
    alter: editPayload((payload) => {
      if (Array.isArray(payload.changedClaims)) payload.changedClaims = payload.changedClaims.join(',')
    }),
  },
  {
    name: 'changed-claims-with-empty-name',
    summary: 'Writes an empty name into `changedClaims`.',
    violates: ['EVENT-CLAIM-CHANGE'],
    alter: editPayload((payload) => {
      if (Array.isArray(payload.changedClaims))
        payload.changedClaims = ['', ...payload.changedClaims.filter(Boolean)]
    }),
  },
  {
    name: 'changed-claims-as-objects',
    summary: 'Writes `changedClaims` as an array of objects instead of claim names.',
    violates: ['EVENT-CLAIM-CHANGE'],
    alter: editPayload((payload) => {
      if (Array.isArray(payload.changedClaims))
        payload.changedClaims = payload.changedClaims.map((name) => ({ name }))
    }),
  },
  {
    name: 'claims-as-list',
    summary: 'Writes `claims` as an array of names and values.',
    violates: ['EVENT-CLAIM-CHANGE'],
    alter: editPayload((payload) => {
      if (payload.claims)
        payload.claims = Object.entries(payload.claims).map(([name, value]) => ({ name, value }))
    }),
  },
  {
    name: 'event-subscriber-number',
    summary: 'Writes the `subscriber` of an event as a number.',
    violates: ['EVENT-CONTEXT'],
    alter: editEnvelope((envelope) => {
      if (envelope.subscriber) envelope.subscriber = Buffer.from(String(envelope.subscriber)).readUInt32BE()
    }),
  },
  {
    name: 'event-application-object',
    summary: 'Writes the `application` of an event as an object.',
    violates: ['EVENT-CONTEXT'],
    alter: editEnvelope((envelope) => {
      if (envelope.application) envelope.application = { id: envelope.application }
    }),
  },
])
