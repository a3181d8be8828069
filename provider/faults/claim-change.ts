import { type Alter, withSurface } from '../alteration.ts'
import type { ClaimChange } from '../hub/claim-changes.ts'
import type { StoredEvent } from '../hub/events.ts'

const MINUTE = 60_000

/** Edits the events of claims that users change. The events that the hub has at its start stay unchanged. */
function editChange(edit: (event: StoredEvent, change: ClaimChange) => void): Alter {
  return ({ hub }) => hub.claimChanges.push(edit)
}

/** Edits the event of every second change, which restores the claim in a run. */
function editRestoration(edit: (event: StoredEvent, change: ClaimChange) => void): Alter {
  return editChange((event, change) => {
    if (change.serial % 2 === 1) edit(event, change)
  })
}

const changes = withSurface('hub', [
  {
    name: 'change-event-of-another-sphere',
    summary: "Writes the user's `sub` of another Sphere as the subscriber of a change event.",
    violates: ['EVENT-SUBSCRIBER'],
    alter: editChange((event, { subjectIn }) => {
      event.subscriber = subjectIn('south')
    }),
  },
  {
    name: 'change-event-names-account',
    summary: 'Writes the internal account id as the subscriber of a change event.',
    violates: ['EVENT-SUBSCRIBER'],
    alter: editChange((event, { user }) => {
      event.subscriber = user.account
    }),
  },
  {
    name: 'change-event-names-account-without-values',
    summary:
      'Writes the internal account id as the subscriber of a change event, and omits values from all payloads.',
    violates: ['EVENT-SUBSCRIBER'],
    variants: ['changed-claims-only'],
    alter: editChange((event, { user }) => {
      event.subscriber = user.account
    }),
  },
  {
    name: 'change-event-names-sub-in-capitals',
    summary: "Writes the user's `sub` in upper case as the subscriber of a change event.",
    violates: ['EVENT-SUBSCRIBER'],
    alter: editChange((event, { subject }) => {
      event.subscriber = subject.toUpperCase()
    }),
  },
  {
    name: 'change-event-of-another-type',
    summary: 'Emits a change event with the type `UserUpdated`.',
    violates: ['EVENT-CLAIM-CHANGE-EMITTED'],
    alter: editChange((event) => {
      event.type = 'UserUpdated'
    }),
  },
  {
    name: 'change-event-type-in-small-letters',
    summary: 'Emits a change event with the type `claimvalueschanged`.',
    violates: ['EVENT-CLAIM-CHANGE-EMITTED'],
    alter: editChange((event) => {
      event.type = event.type.toLowerCase()
    }),
  },
  {
    name: 'change-event-dated-early',
    summary: 'Dates a change event five minutes before the change.',
    violates: ['EVENT-TIMESTAMP-GENERATED'],
    alter: editChange((event) => {
      event.local -= 5 * MINUTE
    }),
  },
  {
    name: 'change-event-dated-late',
    summary: 'Dates a change event four minutes after the change.',
    violates: ['EVENT-TIMESTAMP-GENERATED'],
    alter: editChange((event) => {
      event.local += 4 * MINUTE
    }),
  },
  {
    name: 'second-change-event-of-another-type',
    summary: 'Emits the event of every second change with the type `UserUpdated`.',
    violates: ['EVENT-CLAIM-CHANGE-EMITTED'],
    alter: editRestoration((event) => {
      event.type = 'UserUpdated'
    }),
  },
  {
    name: 'second-change-event-dated-early',
    summary: 'Dates the event of every second change five minutes before the change.',
    violates: ['EVENT-TIMESTAMP-GENERATED'],
    alter: editRestoration((event) => {
      event.local -= 5 * MINUTE
    }),
  },
  {
    name: 'second-change-event-dated-late',
    summary: 'Dates the event of every second change four minutes after the change.',
    violates: ['EVENT-TIMESTAMP-GENERATED'],
    alter: editRestoration((event) => {
      event.local += 4 * MINUTE
    }),
  },
  {
    name: 'change-event-id-of-the-user',
    summary:
      'Derives the `id` of a change event from the user alone, so that all changes of a user share it.',
    violates: ['EVENT-ID-UNIQUE'],
    alter: editChange((event, { subject }) => {
      event.id = `evt-${subject}`
    }),
  },
])

/** Violations that only several searches after a claim change reveal. */
const laterSearches = withSurface('all', [
  {
    name: 'change-event-returned-once',
    summary: 'Returns a change event in one search, but not in later ones.',
    violates: ['EVENT-PAGINATION'],
    alter: ({ hub }) => {
      const { order } = hub
      const unread = new Set<string>()
      const read = new Set<string>()
      hub.claimChanges.push(({ id }) => unread.add(id))
      hub.order = (ascending) => {
        const remaining = ascending.filter(({ id }) => !read.has(id))
        for (const { id } of remaining) if (unread.delete(id)) read.add(id)
        return order(remaining)
      }
    },
  },
])

export const claimChangeFaults = [...changes, ...laterSearches]
