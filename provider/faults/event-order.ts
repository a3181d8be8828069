import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editPage, replaceBounds } from '../edits.ts'
import type { StoredEvent } from '../hub/events.ts'

function chunks(events: StoredEvent[], size: number): StoredEvent[][] {
  return Array.from({ length: Math.ceil(events.length / size) }, (_, index) =>
    events.slice(index * size, (index + 1) * size),
  )
}

/** Wrong order of events, within a page or between pages. */
export const eventOrderFaults = withSurface('hub', [
  {
    name: 'events-unordered',
    summary: 'Orders events by id instead of time.',
    violates: ['EVENT-TIME-ORDER'],
    alter: ({ hub }: Behaviour) => {
      hub.order = (ascending) => ascending.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    },
  },
  {
    name: 'neighbours-swapped',
    summary: 'Swaps the two events of every third pair.',
    violates: ['EVENT-TIME-ORDER'],
    alter: ({ hub }: Behaviour) => {
      hub.order = (ascending) =>
        chunks(ascending, 6).flatMap(([first, second, ...rest]) =>
          first && second ? [second, first, ...rest] : first ? [first] : [],
        )
    },
  },
  {
    name: 'pages-from-the-newest',
    summary: 'Orders the events of each page from old to new, but the pages from new to old.',
    violates: ['EVENT-TIME-ORDER'],
    alter: replaceBounds((page, size, total) => [total - (page + 1) * size, total - page * size]),
  },
  {
    name: 'pages-reversed-inside',
    summary: 'Orders the events of each page from new to old, but the pages from old to new.',
    violates: ['EVENT-TIME-ORDER'],
    alter: editPage((page) => ({ ...page, items: page.items.toReversed() })),
  },
])
