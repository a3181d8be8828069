import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { describe, expect, test } from 'vitest'
import type { PollerParts } from '../../../src/event-hub/poller/poller.ts'
import { keyOf } from '../../../src/event-hub/poller/sink.ts'
import { HttpFailure } from '../../../src/http/failures.ts'
import { hubKinds, type Scenario, type Trouble } from './scenario.ts'
import { lagMs, type Mutation, Simulation, timeOf } from './simulation.ts'

const hour = 3_600_000
const at = (text: string) => Temporal.Instant.from(text).epochMilliseconds

const troubles = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Trouble>('none') },
  fc.constantFrom<Trouble>('unavailable', 'reset', 'no page', 'insert', 'insert', 'repeat', 'short page'),
  fc.record({ retryAfterMs: fc.option(fc.integer({ min: 0, max: 120_000 }), { nil: undefined }) }),
)

/** Times that often coincide. */
const moments = (longest: number) =>
  fc.oneof(
    fc.integer({ min: 0, max: longest }),
    fc.integer({ min: 0, max: 5 }).map((n) => n * 60_000),
  )

const scenarios: fc.Arbitrary<Scenario> = fc.record({
  // An ordinary day, and the nights with clock changes in Helsinki.
  start: fc.constantFrom(at('2026-06-10T10:00Z'), at('2026-10-25T00:20Z'), at('2026-03-29T00:40Z')),
  hub: fc.constantFrom(...hubKinds),
  pageSize: fc.integer({ min: 1, max: 4 }),
  past: fc.array(fc.oneof(moments(hour), moments(60 * hour)), { maxLength: 12 }),
  live: fc.array(fc.record({ after: moments(2 * hour), stored: fc.integer({ min: 0, max: lagMs - 1 }) }), {
    maxLength: 8,
  }),
  troubles: fc.array(troubles, { maxLength: 30 }),
  kills: fc.array(
    fc.record({ step: fc.integer({ min: 1, max: 60 }), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
    { maxLength: 6 },
  ),
  polls: fc.integer({ min: 1, max: 30 }),
})

const holds = (mutation?: Mutation) =>
  fc.asyncProperty(scenarios, (scenario) => new Simulation(scenario, mutation).run())

describe('no event is lost or delivered twice', () => {
  test('despite any failure, late and repeated events, and a kill at any step', async () => {
    const result = await fc.check(holds(), { numRuns: 400 })
    expect(fc.defaultReportMessage(result)).toBeUndefined()
  })

  test('with a kill at every single step', async () => {
    const scenario = (kills: Scenario['kills']): Scenario => ({
      start: at('2026-06-10T10:00Z'),
      hub: 'newest first',
      pageSize: 2,
      past: [0, 0, 1, 30 * hour, 30 * hour, 30 * hour + 1, 50 * hour],
      live: [{ after: 60_000, stored: 10_000 }],
      troubles: ['none', 'unavailable', 'none', 'insert', 'reset'],
      kills,
      polls: 2,
    })
    const undisturbed = new Simulation(scenario([]))
    await undisturbed.run()
    const { steps } = undisturbed
    expect(steps).toBeGreaterThan(60)
    for (let step = 1; step <= steps; step += 1) {
      for (const share of [0, 0.5, 1]) {
        await new Simulation(
          scenario([
            { step, share },
            { step: step + 3, share },
          ]),
        ).run()
      }
    }
  })
})

/** Pollers with one defect each, by the defect. */
const mutants: Readonly<Record<string, Mutation & { readonly shows: RegExp }>> = {
  'advances to the time of the last event': {
    shows: /not the to of a search/,
    parts: ({ memory, sink }) => {
      let last = memory.checkpoint
      return {
        memory: changed(memory, { advance: () => memory.advance(last) }),
        sink: {
          ...sink,
          take: (events) => {
            last = timeOf(events.at(-1)?.members.timestamp)
            return sink.take(events)
          },
        },
      }
    },
  },
  'advances before the batch is done': {
    shows: /^lost/,
    parts: ({ memory, source }) => ({
      source: async (window, page) => {
        const answer = await source(window, page)
        await memory.advance(window.to)
        return answer
      },
    }),
  },
  'does not look at ids': {
    shows: /delivered twice/,
    parts: ({ memory }) => ({ memory: changed(memory, { knows: () => false }) }),
  },
  'does not look at what its sink holds after a kill': {
    shows: /delivered twice/,
    parts: ({ sink }) => ({
      sink: { ...sink, since: async (position) => ({ ...(await sink.since(position)), keys: [] }) },
    }),
  },
  'remembers events before it hands them over': {
    shows: /^lost/,
    parts: ({ memory, sink }) => ({
      sink: {
        ...sink,
        take: async (events) => {
          await memory.remember(
            events.map(({ members }) => keyOf(members)),
            memory.position,
          )
          return sink.take(events)
        },
      },
    }),
  },
  'writes its checkpoint over the old one': {
    shows: /damaged/,
    disk: (disk) => ({
      replace: async (path, text) => {
        await disk.truncate(path, 0)
        await disk.append(path, text)
      },
    }),
  },
  'appends to a line that was cut off': {
    shows: /JSON|no event|damaged/,
    disk: () => ({ truncate: async () => undefined }),
  },
  'searches up to a new now on each page': {
    shows: /to changed within a batch/,
    parts: ({ source }) => ({
      source: (window, page) => source({ ...window, to: window.to.add({ seconds: page }) }, page),
    }),
  },
  'does not see that a window changed': {
    shows: /^lost/,
    parts: ({ source }) => {
      let total = 0
      return {
        source: async (window, page) => {
          const answer = await source(window, page)
          if (page === 0) total = answer.total
          return { ...answer, total }
        },
      }
    },
  },
  'reads the first page only': {
    shows: /^lost/,
    parts: ({ source }) => ({
      source: async (window, page) => {
        const answer = await source(window, page)
        return { ...answer, total: answer.events.length }
      },
    }),
  },
  'takes a page that failed for an empty one': {
    shows: /^lost/,
    parts: ({ source, clock }) => ({
      source: async (window, page) => {
        try {
          return await source(window, page)
        } catch (error) {
          if (!(error instanceof HttpFailure)) throw error
          await clock.sleep(120_000)
          return { requested: { page, pageSize: 10 }, page, pageSize: 10, total: 0, events: [], problems: [] }
        }
      },
    }),
  },
  'does not back off': {
    shows: /too early/,
    parts: ({ clock }) => ({ clock: { ...clock, sleep: () => clock.sleep(0) } }),
  },
  'does not look at Retry-After': {
    shows: /too early/,
    parts: ({ source }) => ({
      source: async (window, page) => {
        try {
          return await source(window, page)
        } catch (error) {
          throw error instanceof HttpFailure ? new HttpFailure(error.kind, error.message) : error
        }
      },
    }),
  },
  'takes what a clock shows for now while it repeats an hour': {
    shows: /^lost/,
    parts: (_, simulation) => ({
      until: () =>
        Temporal.Instant.fromEpochMilliseconds(simulation.now - lagMs)
          .toZonedDateTimeISO(simulation.zone)
          .toPlainDateTime(),
    }),
  },
  'leaves no time for events to be stored': {
    shows: /^lost/,
    parts: (_, simulation) => ({ until: () => simulation.until(0) }),
  },
}

type Memory = PollerParts['memory']

function changed(memory: Memory, changes: Partial<Memory>): Memory {
  return Object.assign(Object.create(memory), changes)
}

describe('the simulation notices a poller that', () => {
  test.each(Object.entries(mutants))('%s', async (_, mutation) => {
    const { errorInstance } = await fc.check(holds(mutation), { numRuns: 2000, endOnFailure: true, seed: 1 })
    expect((errorInstance as Error | undefined)?.message).toMatch(mutation.shows)
  })
})
