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

/** About one event in four, always the same ones. */
function isSome({ id }: StoredEvent): boolean {
  return /[048c]$/.test(id)
}

export const eventFaults = withSurface('hub', [
  {
    name: 'event-id-number',
    summary: 'The id of an event is a number.',
    violates: ['EVENT-ID'],
    alter: editEnvelope((envelope, { id }) => {
      envelope.id = Number.parseInt(id.slice(4, 16), 16)
    }),
  },
  {
    name: 'event-id-empty',
    summary: 'Some events have an empty id.',
    violates: ['EVENT-ID'],
    alter: editEnvelope((envelope, event) => {
      if (isSome(event)) envelope.id = ''
    }),
  },
  {
    name: 'event-id-from-time',
    summary: 'The id of an event is derived from its timestamp, so events of one moment share it.',
    violates: ['EVENT-ID-UNIQUE'],
    alter: editEnvelope((envelope, { local }) => {
      envelope.id = `evt-${local}`
    }),
  },
  {
    name: 'event-id-of-the-response',
    summary: 'Every response has new ids for its events.',
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
    summary: 'The id of an event depends on the from of the search.',
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
    summary: 'The content of an event changes from response to response.',
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
    summary: 'The timestamp of an event has a trailing Z.',
    violates: ['EVENT-TIMESTAMP'],
    alter: editEnvelope((envelope) => {
      envelope.timestamp = `${envelope.timestamp}Z`
    }),
  },
  {
    name: 'event-timestamp-with-offset',
    summary: 'The timestamp of some events has an offset.',
    violates: ['EVENT-TIMESTAMP'],
    alter: editEnvelope((envelope, event) => {
      if (isSome(event)) envelope.timestamp = `${envelope.timestamp}+02:00`
    }),
  },
  {
    name: 'event-timestamp-with-space',
    summary: 'A space separates date and time of the timestamp.',
    violates: ['EVENT-TIMESTAMP'],
    alter: editEnvelope((envelope) => {
      envelope.timestamp = String(envelope.timestamp).replace('T', ' ')
    }),
  },
  {
    name: 'event-timestamp-number',
    summary: 'The timestamp of an event is a number of milliseconds.',
    violates: ['EVENT-TIMESTAMP'],
    alter: editEnvelope((envelope, { local }) => {
      envelope.timestamp = local
    }),
  },
  {
    name: 'event-type-missing',
    summary: 'Some events have no type.',
    violates: ['EVENT-TYPE'],
    alter: editEnvelope((envelope, event) => {
      if (isSome(event)) delete envelope.type
    }),
  },
  {
    name: 'event-type-as-list',
    summary: 'The type of some events is a list with one element.',
    violates: ['EVENT-TYPE'],
    alter: editEnvelope((envelope, event) => {
      if (isSome(event)) envelope.type = [envelope.type]
    }),
  },
  {
    name: 'event-version-number',
    summary: 'The version of an event is a number.',
    violates: ['EVENT-VERSION'],
    alter: editEnvelope((envelope) => {
      envelope.version = Number(envelope.version)
    }),
  },
  {
    name: 'event-version-number-sometimes',
    summary: 'Version 1 is a number and version 1.0 a string.',
    violates: ['EVENT-VERSION'],
    alter: editEnvelope((envelope) => {
      if (envelope.version === '1') envelope.version = 1
    }),
  },
  {
    name: 'event-payload-as-text',
    summary: 'The payload of an event is JSON inside a string.',
    violates: ['EVENT-PAYLOAD'],
    alter: editEnvelope((envelope, { payload }) => {
      envelope.payload = JSON.stringify(payload)
    }),
  },
  {
    name: 'event-payload-missing',
    summary: 'Some events have no payload.',
    violates: ['EVENT-PAYLOAD'],
    alter: editEnvelope((envelope, event) => {
      if (isSome(event)) envelope.payload = null
    }),
  },
  {
    name: 'changed-claims-as-text',
    summary: 'changedClaims is a string with commas.',
    violates: ['EVENT-CLAIM-CHANGE'],
    alter: editPayload((payload) => {
      if (Array.isArray(payload.changedClaims)) payload.changedClaims = payload.changedClaims.join(',')
    }),
  },
  {
    name: 'changed-claims-as-objects',
    summary: 'changedClaims is a list of objects instead of claim names.',
    violates: ['EVENT-CLAIM-CHANGE'],
    alter: editPayload((payload) => {
      if (Array.isArray(payload.changedClaims))
        payload.changedClaims = payload.changedClaims.map((name) => ({ name }))
    }),
  },
  {
    name: 'claims-as-list',
    summary: 'claims is a list of names and values.',
    violates: ['EVENT-CLAIM-CHANGE'],
    alter: editPayload((payload) => {
      if (payload.claims)
        payload.claims = Object.entries(payload.claims).map(([name, value]) => ({ name, value }))
    }),
  },
  {
    name: 'event-subscriber-number',
    summary: 'The subscriber of an event is a number.',
    violates: ['EVENT-CONTEXT'],
    alter: editEnvelope((envelope) => {
      if (envelope.subscriber) envelope.subscriber = Buffer.from(String(envelope.subscriber)).readUInt32BE()
    }),
  },
  {
    name: 'event-application-object',
    summary: 'The application of an event is an object.',
    violates: ['EVENT-CONTEXT'],
    alter: editEnvelope((envelope) => {
      if (envelope.application) envelope.application = { id: envelope.application }
    }),
  },
])
