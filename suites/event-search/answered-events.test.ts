import { shortageOfTimesIn } from '../../src/check/events/shortage.ts'
import { Inconclusive } from '../../src/check/verdict.ts'
import { pagesToJudge } from '../../src/event-hub/answered-search.ts'
import { directionOf, hasEventsOutside } from '../../src/event-hub/reading.ts'
import { judging } from './judging.ts'
import { check } from './requirements.ts'

// These checks judge the events in the response to every valid search of the run.
const lookingBack = { looksBack: true } as const

check(
  'EVENT-WINDOW-RESPECTED',
  'no search of this run returned an event outside its window',
  lookingBack,
  async ({ run, readings, expect, requireData, basis }) => {
    await readings.allEvents().catch(unlessTooFew)
    const pages = pagesToJudge(run.searches)
    const searches = pages.filter(({ events }) => events.some(({ time }) => time))
    const shortage = shortageOfTimesIn(pages.flatMap(({ events }) => events))
    requireData(searches.length, 1, 'page with the time of an event', shortage)
    basis({ pages: searches.length })
    const wrong = searches.find(
      ({ requested, events }) =>
        requested && hasEventsOutside({ window: requested, events, pages: [], complete: true }),
    )
    judging({ run, expect }, wrong)
    expect.that(!wrong, 'events at or after from and before to', 'an event before from or after to')
  },
)

check(
  'EVENT-TIME-ORDER',
  'every page of this run is in the same time order',
  lookingBack,
  async ({ run, readings, expect, requireData, basis }) => {
    await readings.allEvents().catch(unlessTooFew)
    const pages = pagesToJudge(run.searches)
    const searches = pages
      .map((search) => ({ search, ...directionOf(search.events) }))
      .filter(({ direction }) => direction !== 'constant')
    const shortage = shortageOfTimesIn(pages.flatMap(({ events }) => events))
    requireData(searches.length, 1, 'page with different times', shortage)
    basis({ pages: searches.length })
    const [first] = searches
    const wrong = searches.find(({ direction }) => direction === 'mixed' || direction !== first?.direction)
    judging({ run, expect }, wrong?.search)
    expect.that(
      !wrong,
      first?.direction === 'mixed'
        ? 'ascending or descending times'
        : `${first?.direction} times, as on other pages`,
      wrong?.direction === 'mixed' ? 'rising and falling times on one page' : `${wrong?.direction} times`,
    )
  },
)

/** With too few events for a reading, the pages read so far are judged. */
function unlessTooFew(error: unknown): void {
  if (!(error instanceof Inconclusive)) throw error
}
