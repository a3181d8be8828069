import { SearchRefused } from '../../src/check/events/refused-search.ts'
import { Inconclusive } from '../../src/check/verdict.ts'
import { check } from './requirements.ts'

check('EVENT-SEARCH', 'a valid search returns a page', async ({ events }) => {
  await events.answered(() => events.control())
})

check(
  'EVENT-SEARCH',
  'searches of other windows and pages are accepted',
  async ({ events, readings, rereadings }) => {
    await events.control()
    for (const read of [
      () => readings.allEvents(),
      () => rereadings.pageThrough(),
      () => rereadings.allEventsBackwards(),
      () => rereadings.evenPages(),
      () => rereadings.halves(),
      () => rereadings.edges(),
    ])
      await events.answered(() => read().catch(unlessRefused))
  },
)

/** A reading that ends early for another reason, such as too few events, has had its searches accepted. */
function unlessRefused(error: unknown): void {
  if (error instanceof SearchRefused || !(error instanceof Inconclusive)) throw error
}
