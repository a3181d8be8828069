import { placesOf, reaches } from '../../src/event-hub/reading.ts'
import { check } from './requirements.ts'

check('EVENT-FROM-REQUIRED', 'a search without from is rejected', async ({ events }) => {
  await events.rejects({ from: null }, 400)
})

check('EVENT-TO-REQUIRED', 'a search without to is rejected', async ({ events }) => {
  await events.rejects({ to: null }, 400)
})

check(
  'EVENT-WINDOW-LIMIT',
  'a window a minute wider than 24 hours is rejected',
  async ({ events, observe }) => {
    const { from } = await events.controlWindow()
    await events.rejects({ to: from.add({ hours: 24, minutes: 1 }) }, 400)
    const slightlyMore = await events.answer({ to: from.add({ hours: 24, milliseconds: 1 }) })
    observe('events.window-of-24h-and-1ms.status', slightlyMore.status)
  },
)

check('EVENT-WINDOW-FULL-DAY', 'a window of exactly 24 hours is accepted', async ({ events }) => {
  const { from } = await events.controlWindow()
  await events.accepts({ to: from.add({ hours: 24 }) })
})

check(
  'EVENT-WINDOW-RESPECTED',
  'no event lies outside the window that was asked for',
  async ({ events, expect, basis }) => {
    const { from, to } = await events.edges()
    const readings = [await events.allEvents(), ...Object.values(from), ...Object.values(to)]
    const places = readings.flatMap(placesOf)
    basis({ windows: readings.length, events: places.length })
    const before = places.filter((place) => place === 'before').length
    const after = places.filter((place) => place === 'after').length
    expect.that(
      before + after === 0,
      'events from from until to',
      `of ${places.length} events ${before} were before from and ${after} after to`,
    )
  },
)

check(
  'EVENT-FROM-INCLUSIVE',
  'an event at from, and one a millisecond later, are in the window',
  async ({ events, expect, basis }) => {
    const { at, from } = await events.respectedEdges()
    basis({ windows: 2, events: from.at.events.length + from.before.events.length })
    expect.sending('a search from the very time of an event')
    expect.that(reaches(from.at, at), 'the event at from', 'it was missing')
    expect.sending('a search from a millisecond before an event')
    expect.that(reaches(from.before, at), 'the event a millisecond after from', 'it was missing')
  },
)

check(
  'EVENT-TO-EXCLUSIVE',
  'an event at to is outside the window, one a millisecond earlier is inside',
  async ({ events, expect, basis }) => {
    const { at, to } = await events.respectedEdges()
    basis({ windows: 2, events: to.at.events.length + to.after.events.length })
    expect.sending('a search to the very time of an event')
    expect.that(!reaches(to.at, at), 'no event at to', 'the event at to was there')
    expect.sending('a search to a millisecond after an event')
    expect.that(reaches(to.after, at), 'the event a millisecond before to', 'it was missing')
  },
)
