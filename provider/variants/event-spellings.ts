import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { fieldsOf } from '../http.ts'

type Fields = Record<string, unknown>

/** Edits the events of responses. @param edit receives an event, and the number of earlier searches */
function editEvents(edit: (event: Fields, searches: number) => void): Alter {
  return ({ hub }: Behaviour) => {
    let searches = 0
    hub.responses.push((response) => {
      const items = fieldsOf(response)?.items
      if (!Array.isArray(items)) return
      for (const event of items) edit(event, searches)
      searches += 1
    })
  }
}

const changedClaimsOf = ({ payload }: Fields) => (payload as { changedClaims?: string[] }).changedClaims

/** Spellings of a timestamp with milliseconds: unchanged, without final zeros, with microseconds. */
const spellings = [
  (timestamp: string) => timestamp,
  (timestamp: string) => timestamp.replace(/\.?0+$/, ''),
  (timestamp: string) => `${timestamp}000`,
]

/** Requirements for which Plumbline compares several copies of one event. */
const compared = ['EVENT-ID-UNIQUE', 'EVENT-ID-STABLE', 'EVENT-PAGINATION', 'EVENT-WINDOWS-ADJACENT']

/** Lawful differences between two copies of one event. */
export const eventSpellingVariants = withSurface('hub', [
  {
    name: 'undocumented-members-change',
    summary: 'Adds undocumented members to an event and its payload, with new values in every response.',
    concerns: compared,
    unspecified: 'Additional members are not excluded, and their values are not specified.',
    mustPass: compared,
    alter: editEvents((event, searches) => {
      event.delivery = searches
      event.payload = { ...(event.payload as Fields), meta: { node: `node-${searches % 2}` } }
    }),
  },
  {
    name: 'absent-members-null-at-times',
    summary: 'Writes null for the absent members of events in every second response.',
    concerns: compared,
    unspecified: 'Serialisers write null for an absent member.',
    mustPass: compared,
    alter: editEvents((event, searches) => {
      if (searches % 2 === 0) return
      for (const name of ['sphere', 'subscriber', 'application', 'subscription']) event[name] ??= null
      event.payload = { claims: null, changedClaims: null, ...(event.payload as Fields) }
    }),
  },
  {
    name: 'changed-claims-in-any-order',
    summary: 'Reverses the names in `changedClaims` in every second response.',
    concerns: compared,
    unspecified: 'The order of the names of changed claims is not specified.',
    mustPass: compared,
    alter: editEvents((event, searches) => {
      const names = changedClaimsOf(event)
      if (names && searches % 2 === 1)
        event.payload = { ...(event.payload as Fields), changedClaims: names.toReversed() }
    }),
  },
  {
    name: 'final-zeros-of-fraction-at-times',
    summary:
      'Writes the fraction of a timestamp in turn, from response to response, with three digits, without final zeros, and with six digits.',
    concerns: [...compared, 'EVENT-PAGE-DEFAULT', 'EVENT-TIMESTAMP'],
    unspecified: 'The number of digits of a fraction is not specified beyond milliseconds.',
    mustPass: [...compared, 'EVENT-PAGE-DEFAULT', 'EVENT-TIMESTAMP'],
    alter: editEvents((event, searches) => {
      event.timestamp = spellings[searches % spellings.length]?.(String(event.timestamp))
    }),
  },
])
