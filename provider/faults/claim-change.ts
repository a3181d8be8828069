import { type Behaviour, withFace } from '../behaviour.ts'
import type { Change } from '../hub/changes.ts'
import type { StoredEvent } from '../hub/events.ts'

const MINUTE = 60_000

/** Edits the event of a claim that a user has changed; those that were there before stay as they are. */
function onChange({ hub }: Behaviour, edit: (event: StoredEvent, change: Change) => void): void {
  hub.changes.push(edit)
}

export const claimChangeFaults = withFace('hub', [
  {
    name: 'change-event-of-another-sphere',
    summary: 'The subscriber of a change is what applications of another Sphere call the user.',
    violates: ['EVENT-SUBSCRIBER'],
    alter: (behaviour: Behaviour) =>
      onChange(behaviour, (event, { subjectIn }) => {
        event.subscriber = subjectIn('south')
      }),
  },
  {
    name: 'change-event-names-account',
    summary: 'The subscriber of a change is the internal id of the account.',
    violates: ['EVENT-SUBSCRIBER'],
    alter: (behaviour: Behaviour) =>
      onChange(behaviour, (event, { user }) => {
        event.subscriber = user.account
      }),
  },
  {
    name: 'change-event-names-account-without-values',
    summary: 'The subscriber of a change is the internal id of the account, and no payload tells a value.',
    violates: ['EVENT-SUBSCRIBER'],
    variants: ['changed-claims-only'],
    alter: (behaviour: Behaviour) =>
      onChange(behaviour, (event, { user }) => {
        event.subscriber = user.account
      }),
  },
  {
    name: 'change-event-names-sub-in-capitals',
    summary: 'The subscriber of a change is the sub of the user in capital letters.',
    violates: ['EVENT-SUBSCRIBER'],
    alter: (behaviour: Behaviour) =>
      onChange(behaviour, (event, { subject }) => {
        event.subscriber = subject.toUpperCase()
      }),
  },
  {
    name: 'change-event-of-another-type',
    summary: 'The event of a changed claim has the type UserUpdated.',
    violates: ['EVENT-CLAIM-CHANGE-EMITTED'],
    alter: (behaviour: Behaviour) =>
      onChange(behaviour, (event) => {
        event.type = 'UserUpdated'
      }),
  },
  {
    name: 'change-event-type-in-small-letters',
    summary: 'The event of a changed claim has the type claimvalueschanged.',
    violates: ['EVENT-CLAIM-CHANGE-EMITTED'],
    alter: (behaviour: Behaviour) =>
      onChange(behaviour, (event) => {
        event.type = event.type.toLowerCase()
      }),
  },
  {
    name: 'change-event-dated-early',
    summary: 'The event of a change is dated five minutes before it.',
    violates: ['EVENT-TIMESTAMP-GENERATED'],
    alter: (behaviour: Behaviour) =>
      onChange(behaviour, (event) => {
        event.local -= 5 * MINUTE
      }),
  },
  {
    name: 'change-event-dated-late',
    summary: 'The event of a change is dated four minutes after it.',
    violates: ['EVENT-TIMESTAMP-GENERATED'],
    alter: (behaviour: Behaviour) =>
      onChange(behaviour, (event) => {
        event.local += 4 * MINUTE
      }),
  },
  {
    name: 'change-event-id-of-the-user',
    summary: 'The id of a change is made from the user alone, so that all changes of one user share it.',
    violates: ['EVENT-ID-UNIQUE'],
    alter: (behaviour: Behaviour) =>
      onChange(behaviour, (event, { subject }) => {
        event.id = `evt-${subject}`
      }),
  },
])
