import { SearchRefused } from '../../src/check/events/refused-search.ts'
import { Inconclusive } from '../../src/check/verdict.ts'
import { check } from './requirements.ts'

// `readings` reads all events of the closed window, a window in the past with events. `rereadings` reads that window
// again, in other pages and in parts.

check('EVENT-SEARCH', 'a valid search returns a page', async ({ events }) => {
  await events.expectAllAccepted(() => events.control())
})

check(
  'EVENT-SEARCH',
  'searches of other windows and pages are accepted',
  async ({ events, readings, rereadings, note }) => {
    await events.control()
    for (const read of [
      () => readings.allEvents(),
      () => rereadings.pageThrough(),
      () => rereadings.allEventsBackwards(),
      () => rereadings.evenPages(),
      () => rereadings.randomParts(),
      () => rereadings.edges(),
      () => rereadings.emptySearch(),
    ])
      await events.expectAllAccepted(() =>
        read().catch((error: unknown) => {
          // Only violations are reported here. Other checks report a reading that failed, for example with too few
          // events.
          if (!(error instanceof Inconclusive) || (error instanceof SearchRefused && error.violation))
            throw error
          if (error instanceof SearchRefused) note(`a valid search was refused: ${error.message}`)
        }),
      )
  },
)
