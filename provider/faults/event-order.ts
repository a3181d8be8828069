import { type Behaviour, withFace } from '../behaviour.ts'
import type { StoredEvent } from '../hub/events.ts'
import { editPage, recut } from './event-pages.ts'

function chunks(events: StoredEvent[], size: number): StoredEvent[][] {
  return Array.from({ length: Math.ceil(events.length / size) }, (_, index) =>
    events.slice(index * size, (index + 1) * size),
  )
}

/** Events out of order, within a page or from page to page. */
export const eventOrderFaults = withFace('hub', [
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
    summary: 'Every third pair of events is the wrong way round.',
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
    summary: 'Each page is in ascending order, but the first page holds the newest events.',
    violates: ['EVENT-TIME-ORDER'],
    alter: (behaviour: Behaviour) =>
      recut(behaviour, (page, size, total) => [total - (page + 1) * size, total - page * size]),
  },
  {
    name: 'pages-reversed-inside',
    summary: 'Pages follow each other in ascending order, but each is descending inside.',
    violates: ['EVENT-TIME-ORDER'],
    alter: (behaviour: Behaviour) =>
      editPage(behaviour, (page) => ({ ...page, items: page.items.toReversed() })),
  },
])
