import { describe, expect, test } from 'vitest'
import { type Random, randomFrom } from '../../../src/random.ts'
import { causesEvents, emissionsAt } from '../../../suites/event-search/emissions.ts'

/** Searches at this interval and of this duration, in milliseconds; one in three is refused. */
function searchesOf(count: number, apartMs: number, takeMs: number, random: Random) {
  return Array.from({ length: count }, (_, index) => {
    const from = Math.round(index * apartMs + random() * apartMs * 0.3)
    const until = from + Math.round(takeMs * (0.7 + 0.6 * random()))
    return { from, until, accepted: index % 3 !== 0 }
  })
}

const seeds = Array.from({ length: 20 }, (_, seed) => seed)
const paces = [
  [200, 80],
  [100, 90],
  [10, 5],
] as const

describe.each(paces)('searches %i ms apart that take %i ms', (apart, take) => {
  test.each([0, 1900, -700])('cause events, by a clock that is %i ms ahead', (ahead) => {
    for (const seed of seeds) {
      const random = randomFrom(seed, 'caused')
      const searches = searchesOf(120, apart, take, random)
      const times = searches.map(({ from, until }) => Math.round(from + (until - from) * 0.4) + ahead)
      expect(causesEvents(searches, emissionsAt(searches, times, true))).toBe(true)
    }
  })

  test.runIf(take < apart / 2)('cause events, one for every third search', () => {
    for (const seed of seeds) {
      const random = randomFrom(seed, 'sometimes')
      const searches = searchesOf(240, apart, take, random)
      const times = searches
        .filter(({ accepted }, index) => accepted && index % 3 === 1)
        .map(({ from, until }) => Math.round(from + (until - from) * 0.4))
      expect(causesEvents(searches, emissionsAt(searches, times, true))).toBe(true)
    }
  })

  test.each([0.05, 0.5, 1, 3, 10])('cause no events that users emit, %d for each search', (density) => {
    for (const seed of seeds) {
      const random = randomFrom(seed, 'users')
      const searches = searchesOf(120, apart, take, random)
      const times = Array.from({ length: 120 * density }, () => Math.round(random() * 120 * apart))
      const found = emissionsAt(
        searches,
        times.toSorted((one, other) => one - other),
        true,
      )
      expect(causesEvents(searches, found)).not.toBe(true)
    }
  })
})

test.each([0, 1900])(
  'on a busy machine and a clock %i ms ahead, events are anywhere within their searches',
  (ahead) => {
    for (const seed of seeds) {
      const random = randomFrom(seed, 'starved')
      const searches: { from: number; until: number; accepted: boolean }[] = []
      for (let from = 0; searches.length < 60; from = (searches.at(-1)?.until ?? 0) + 5) {
        const takes = random() < 0.3 ? 5 + random() * 600 : 5 + random() * 40
        searches.push({ from, until: from + takes, accepted: searches.length % 3 !== 0 })
      }
      const times = searches.map(({ from, until }) => Math.round(from + (until - from) * random()) + ahead)
      expect(causesEvents(searches, emissionsAt(searches, times, true))).toBe(true)
    }
  },
)

test('events in another zone are those of searches only where the zone is unknown', () => {
  const searches = searchesOf(120, 200, 80, randomFrom(1, 'zones'))
  const times = searches.map(({ from }) => from + 30 + 3 * 3_600_000)
  expect(causesEvents(searches, emissionsAt(searches, times, false))).toBe(true)
  expect(causesEvents(searches, emissionsAt(searches, times, true))).toBe(false)
})

test('without events, searches emit no events', () => {
  const searches = searchesOf(20, 200, 80, randomFrom(1, 'none'))
  expect(causesEvents(searches, emissionsAt(searches, [], true))).toBe(false)
})
