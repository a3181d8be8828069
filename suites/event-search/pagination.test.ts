import { pageOf } from '../../src/check/events/search-steps.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import type { Reading } from '../../src/event-hub/paging.ts'
import { lackingIn, missingFrom } from '../../src/event-hub/reading.ts'
import type { EventWindow } from '../../src/event-hub/window.ts'
import { check } from './requirements.ts'

/**
 * Makes sure that two readings of one window can be compared.
 * @throws {Inconclusive} where they cannot, or another requirement judges why not
 */
async function comparable(
  { readings, inconclusive }: Pick<CheckContext, 'readings' | 'inconclusive'>,
  window: EventWindow,
  [one, other]: readonly [Reading, Reading],
): Promise<void> {
  const pages = [...one.pages, ...other.pages]
  if (pages.some(({ events: items, asked }) => items.length > asked.pageSize)) {
    inconclusive('pages hold more events than they may', { dependsOn: ['EVENT-PAGE-SIZE-MAXIMUM'] })
  }
  const total = pages[0]?.total
  const sameTotals = pages.every((page) => page.total === total)
  const sameEvents =
    [one, other].every(({ events }) => events.length === total) &&
    missingFrom(other.events, one.events, 'identity') === 0
  // An event that arrived meanwhile explains a difference: only then is the total searched for once more.
  if (!(sameTotals && sameEvents) && (await readings.totalOf(window)) !== total) {
    inconclusive('the total of a window in the past changed while its pages were read')
  }
  if (!sameTotals) inconclusive('total is not the same on every page', { dependsOn: ['EVENT-TOTAL'] })
}

check(
  'EVENT-PAGINATION',
  'the pages of a window hold as many events as total says, and all of them',
  async ({ rereadings, expect, needs, basis, readings, inconclusive }) => {
    const { window, pageSize, total, whole, paged } = await rereadings.pageThrough()
    needs(total, 4, 'events')
    basis({ pages: paged.pages.length, events: paged.events.length })
    await comparable({ readings, inconclusive }, window, [whole, paged])
    expect.sending(`searches of one window with pageSize=${pageSize}, page after page`)
    const read = paged.events.length
    expect.that(read === total, `${total} events, as total says`, `there were ${read}`)
    const large = whole.events.length
    expect.that(large === total, `${total} events on one page`, `there were ${large}`)
    const missing = missingFrom(paged.events, whole.events, 'identity')
    expect.that(missing === 0, 'every event of the window on some page', `${missing} were on none`)
  },
)

check(
  'EVENT-PAGINATION',
  'the whole window holds the same events in two page sizes, and in any order of asking',
  async ({ readings, rereadings, expect, needs, basis, inconclusive }) => {
    const all = await readings.allEvents()
    const other = await rereadings.allEventsOtherwise()
    const total = all.pages[0]?.total ?? 0
    needs(total, 4, 'events')
    basis({ pages: all.pages.length + other.pages.length, events: total })
    await comparable({ readings, inconclusive }, all.window, [all, other])
    for (const { pages, events: read } of [all, other]) {
      const pageSize = pages[0]?.asked.pageSize
      expect.sending(`searches of one window with pageSize=${pageSize}`)
      expect.that(read.length === total, `${total} events, as total says`, `there were ${read.length}`)
    }
    expect.sending(
      'searches of one window with two page sizes, the pages of the second from the last one back',
    )
    const differing = lackingIn(all.events, other.events) + lackingIn(other.events, all.events)
    expect.that(differing === 0, 'the same events in both', `${differing} were in one of them only`)
  },
)

check(
  'EVENT-PAGINATION',
  'pages that all come out full hold every event',
  async ({ rereadings, expect, needs, basis, readings, inconclusive }) => {
    const { window, whole, total } = await rereadings.pageThrough()
    needs(total, 2, 'events')
    const even = await rereadings.evenPages()
    basis({ pages: even.pages.length, events: even.events.length })
    await comparable({ readings, inconclusive }, window, [whole, even])
    expect.sending(`searches of ${total} events with pageSize=${even.pages[0]?.asked.pageSize}`)
    const read = even.events.length
    expect.that(read === total, `${total} events, as total says`, `there were ${read}`)
    const missing = lackingIn(even.events, whole.events)
    expect.that(missing === 0, 'every event of the window on some page', `${missing} were on none`)
  },
)

check(
  'EVENT-PAGINATION',
  'pages of a size and in an order that chance chooses hold every event',
  async ({ rereadings, seed, expect, needs, basis, readings, inconclusive }) => {
    const { window, whole, total } = await rereadings.pageThrough()
    needs(total, 4, 'events')
    const chance = await rereadings.pagesByChance()
    basis({ pages: chance.pages.length, events: chance.events.length, seed })
    await comparable({ readings, inconclusive }, window, [whole, chance])
    expect.sending(
      `searches of one window with pageSize=${chance.pages[0]?.asked.pageSize}, pages in any order`,
    )
    const read = chance.events.length
    expect.that(read === total, `${total} events, as total says`, `there were ${read}`)
    const missing = lackingIn(chance.events, whole.events)
    expect.that(missing === 0, 'every event of the window on some page', `${missing} were on none`)
  },
)

check(
  'EVENT-PAGE-PAST-END',
  'a page past the last one holds no event',
  async ({ readings, events, expect, note, basis }) => {
    const { window, total, page } = await readings.firstPage()
    const past = { page: Math.ceil(total / page.pageSize) + 1, pageSize: page.pageSize }
    const answer = await events.answer({ ...window, ...past })
    basis({ events: total })
    if (answer.status !== 200) note(`a page past the last one is answered ${answer.status}`)
    const items = answer.status === 200 ? pageOf(answer, past).events.length : 0
    expect.that(items === 0, 'no events', `there were ${items}`)
  },
)
