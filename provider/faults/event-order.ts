import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import type { StoredEvent } from '../hub/events.ts'
import { editPage, replaceBounds } from './event-pages.ts'

function chunks(events: StoredEvent[], size: number): StoredEvent[][] {
  return Array.from({ length: Math.ceil(events.length / size) }, (_, index) =>
    events.slice(index * size, (index + 1) * size),
  )
}

/** Wrong order of events, within a page or between pages. */
export const eventOrderFaults = withSurface('hub', [
  {
    name: 'events-unordered',
    summary: 'Events are ordered by id instead of time.',
    violates: ['EVENT-TIME-ORDER'],
    alter: ({ hub }: Behaviour) => {
      hub.order = (found) => found.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    },
  },
  {
    name: 'neighbours-swapped',
    summary: 'Every third pair of events is in the wrong order.',
    violates: ['EVENT-TIME-ORDER'],
    alter: ({ hub }: Behaviour) => {
      hub.order = (found) =>
        chunks(found, 6).flatMap(([first, second, ...rest]) =>
          first && second ? [second, first, ...rest] : first ? [first] : [],
        )
    },
  },
  {
    name: 'pages-from-the-newest',
    summary: 'Each page is in ascending order, but the first page has the newest events.',
    violates: ['EVENT-TIME-ORDER'],
    alter: replaceBounds((page, size, total) => [total - (page + 1) * size, total - page * size]),
  },
  {
    name: 'pages-reversed-inside',
    summary: 'Pages are in ascending order, but the events of each page are in descending order.',
    violates: ['EVENT-TIME-ORDER'],
    alter: editPage((page) => ({ ...page, items: page.items.toReversed() })),
  },
])
