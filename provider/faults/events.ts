import { type Behaviour, withFace } from '../behaviour.ts'
import type { StoredEvent } from '../hub/events.ts'

type Envelope = Record<string, unknown>

function onEnvelope({ hub }: Behaviour, edit: (envelope: Envelope, event: StoredEvent) => void): void {
  hub.envelope.push(edit)
}

function onPayload(behaviour: Behaviour, edit: (payload: Record<string, unknown>) => void): void {
  onEnvelope(behaviour, (envelope, { payload }) => {
    const copy = { ...payload }
    edit(copy)
    envelope.payload = copy
  })
}

/** Some events, always the same ones: about one in four. */
function isSome({ id }: StoredEvent): boolean {
  return /[048c]$/.test(id)
}

export const eventFaults = withFace('hub', [
  {
    name: 'event-id-number',
    summary: 'The id of an event is a number.',
    violates: ['EVENT-ID'],
    alter: (behaviour: Behaviour) =>
      onEnvelope(behaviour, (envelope, { id }) => {
        envelope.id = Number.parseInt(id.slice(4, 16), 16)
      }),
  },
  {
    name: 'event-id-empty',
    summary: 'Some events have an empty id.',
    violates: ['EVENT-ID'],
    alter: (behaviour: Behaviour) =>
      onEnvelope(behaviour, (envelope, event) => {
        if (isSome(event)) envelope.id = ''
      }),
  },
  {
    name: 'event-id-from-time',
    summary: 'The id is made from the timestamp, so that events of one moment share it.',
    violates: ['EVENT-ID-UNIQUE'],
    alter: (behaviour: Behaviour) =>
      onEnvelope(behaviour, (envelope, { local }) => {
        envelope.id = `evt-${local}`
      }),
  },
  {
    name: 'event-content-changes',
    summary: 'The same event has another content in every answer.',
    violates: ['EVENT-ID-UNIQUE'],
    alter: (behaviour: Behaviour) => {
      let serial = 0
      onEnvelope(behaviour, (envelope) => {
        serial += 1
        envelope.subscription = `subscription-${serial}`
      })
    },
  },
  {
    name: 'event-timestamp-zulu',
    summary: 'The timestamp of an event has a trailing Z.',
    violates: ['EVENT-TIMESTAMP'],
    alter: (behaviour: Behaviour) =>
      onEnvelope(behaviour, (envelope) => {
        envelope.timestamp = `${envelope.timestamp}Z`
      }),
  },
  {
    name: 'event-timestamp-with-offset',
    summary: 'The timestamp of some events has an offset.',
    violates: ['EVENT-TIMESTAMP'],
    alter: (behaviour: Behaviour) =>
      onEnvelope(behaviour, (envelope, event) => {
        if (isSome(event)) envelope.timestamp = `${envelope.timestamp}+02:00`
      }),
  },
  {
    name: 'event-timestamp-with-space',
    summary: 'Date and time of the timestamp are parted by a space.',
    violates: ['EVENT-TIMESTAMP'],
    alter: (behaviour: Behaviour) =>
      onEnvelope(behaviour, (envelope) => {
        envelope.timestamp = String(envelope.timestamp).replace('T', ' ')
      }),
  },
  {
    name: 'event-timestamp-number',
    summary: 'The timestamp of an event counts milliseconds.',
    violates: ['EVENT-TIMESTAMP'],
    alter: (behaviour: Behaviour) =>
      onEnvelope(behaviour, (envelope, { local }) => {
        envelope.timestamp = local
      }),
  },
  {
    name: 'event-type-missing',
    summary: 'Some events have no type.',
    violates: ['EVENT-TYPE'],
    alter: (behaviour: Behaviour) =>
      onEnvelope(behaviour, (envelope, event) => {
        if (isSome(event)) delete envelope.type
      }),
  },
  {
    name: 'event-type-as-list',
    summary: 'The type of some events is a list of one.',
    violates: ['EVENT-TYPE'],
    alter: (behaviour: Behaviour) =>
      onEnvelope(behaviour, (envelope, event) => {
        if (isSome(event)) envelope.type = [envelope.type]
      }),
  },
  {
    name: 'event-version-number',
    summary: 'The version of an event is a number.',
    violates: ['EVENT-VERSION'],
    alter: (behaviour: Behaviour) =>
      onEnvelope(behaviour, (envelope) => {
        envelope.version = Number(envelope.version)
      }),
  },
  {
    name: 'event-version-number-sometimes',
    summary: 'Version 1 is a number and version 1.0 a string.',
    violates: ['EVENT-VERSION'],
    alter: (behaviour: Behaviour) =>
      onEnvelope(behaviour, (envelope) => {
        if (envelope.version === '1') envelope.version = 1
      }),
  },
  {
    name: 'event-payload-as-text',
    summary: 'The payload of an event is JSON inside a string.',
    violates: ['EVENT-PAYLOAD'],
    alter: (behaviour: Behaviour) =>
      onEnvelope(behaviour, (envelope, { payload }) => {
        envelope.payload = JSON.stringify(payload)
      }),
  },
  {
    name: 'event-payload-missing',
    summary: 'Some events have no payload.',
    violates: ['EVENT-PAYLOAD'],
    alter: (behaviour: Behaviour) =>
      onEnvelope(behaviour, (envelope, event) => {
        if (isSome(event)) envelope.payload = null
      }),
  },
  {
    name: 'changed-claims-as-text',
    summary: 'changedClaims is a string with commas.',
    violates: ['EVENT-CLAIM-CHANGE'],
    alter: (behaviour: Behaviour) =>
      onPayload(behaviour, (payload) => {
        if (Array.isArray(payload.changedClaims)) payload.changedClaims = payload.changedClaims.join(',')
      }),
  },
  {
    name: 'changed-claims-as-objects',
    summary: 'changedClaims holds objects instead of claim names.',
    violates: ['EVENT-CLAIM-CHANGE'],
    alter: (behaviour: Behaviour) =>
      onPayload(behaviour, (payload) => {
        if (Array.isArray(payload.changedClaims))
          payload.changedClaims = payload.changedClaims.map((name) => ({ name }))
      }),
  },
  {
    name: 'claims-as-list',
    summary: 'claims is a list of names and values.',
    violates: ['EVENT-CLAIM-CHANGE'],
    alter: (behaviour: Behaviour) =>
      onPayload(behaviour, (payload) => {
        if (payload.claims)
          payload.claims = Object.entries(payload.claims).map(([name, value]) => ({ name, value }))
      }),
  },
  {
    name: 'event-subscriber-number',
    summary: 'The subscriber of an event is a number.',
    violates: ['EVENT-CONTEXT'],
    alter: (behaviour: Behaviour) =>
      onEnvelope(behaviour, (envelope) => {
        if (envelope.subscriber) envelope.subscriber = Buffer.from(String(envelope.subscriber)).readUInt32BE()
      }),
  },
  {
    name: 'event-application-object',
    summary: 'The application of an event is an object.',
    violates: ['EVENT-CONTEXT'],
    alter: (behaviour: Behaviour) =>
      onEnvelope(behaviour, (envelope) => {
        if (envelope.application) envelope.application = { id: envelope.application }
      }),
  },
])
