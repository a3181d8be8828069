import { describe, expect, test } from 'vitest'
import { areFinerThanBounds, edgeTimesOf, edgeWindows } from '../../../src/check/events/edges.ts'
import { formatLocal, type LocalDateTime, parseLocal } from '../../../src/event-hub/local-time.ts'
import { event } from '../../event-hub/events.ts'

const local = (time: string) => parseLocal(`2026-03-02T${time}`)?.at as LocalDateTime
const window = { from: local('10:00:00.000'), to: local('22:00:00.000') }
const shown = (at: LocalDateTime) => formatLocal(at).slice(11)

/** The times of edges in a reading with events at these times. */
function edgesAt(...times: readonly string[]) {
  return edgesBeside(undefined, times)
}

/** The same beside another window. */
function edgesBeside(beside: typeof window | undefined, times: readonly string[]) {
  const events = times.map((time, index) => event({ id: `evt-${index}`, timestamp: `2026-03-02T${time}` }))
  const found = edgeTimesOf({ window, events, pages: [], complete: true }, beside)
  return found && [shown(found.start), shown(found.end)]
}

describe('edges are at', () => {
  test.each([
    ['two neighbouring events', ['11:00:00.001', '11:20:00.002'], ['11:00:00.001', '11:20:00.002']],
    ['events in descending order', ['11:20:00.002', '11:00:00.001'], ['11:00:00.001', '11:20:00.002']],
    [
      'the middle pair of several',
      ['11:00:00.001', '11:10:00.002', '11:20:00.003', '11:30:00.004'],
      ['11:10:00.002', '11:20:00.003'],
    ],
    [
      'a pair that begins with several events of one time, if there is one',
      ['11:00:00.001', '11:00:00.001', '11:10:00.002', '11:20:00.003', '11:30:00.004'],
      ['11:00:00.001', '11:10:00.002'],
    ],
    ['one event, if the next one is far', ['11:00:00.001', '11:30:00.002'], ['11:30:00.002', '11:30:00.002']],
    [
      'one event, if the next one is close',
      ['11:00:00.002', '11:00:01.001'],
      ['11:00:01.001', '11:00:01.001'],
    ],
    ['events a second apart', ['11:00:00.001', '11:00:01.001'], ['11:00:00.001', '11:00:01.001']],
    ['events half an hour apart', ['11:00:00.001', '11:30:00.001'], ['11:00:00.001', '11:30:00.001']],
    ['events with a fraction', ['11:00:00.000', '11:10:00.001'], ['11:10:00.001', '11:10:00.001']],
    [
      'full seconds, if there is no fraction',
      ['11:00:00.000', '11:10:00.000'],
      ['11:00:00.000', '11:10:00.000'],
    ],
  ])('%s', (_, times, edges) => {
    expect(edgesAt(...times)).toEqual(edges)
  })

  const [second, fraction] = [local('12:00:00.000'), local('12:00:00.001')]
  const mixed = ['11:00:00.001', '11:01:00.000', '11:02:00.003', '11:03:00.000', '11:20:00.000']
  test.each([
    [second, second, mixed, ['11:00:00.001', '11:02:00.003']],
    [second, fraction, mixed, ['11:02:00.003', '11:03:00.000']],
    [fraction, second, mixed, ['11:01:00.000', '11:02:00.003']],
    [fraction, fraction, mixed, ['11:03:00.000', '11:20:00.000']],
    [fraction, fraction, ['11:00:00.001', '11:02:00.003'], ['11:00:00.001', '11:02:00.003']],
    [fraction, fraction, ['11:00:00.001', '11:02:00.000'], ['11:00:00.001', '11:02:00.000']],
    [fraction, fraction, ['11:00:00.000', '11:02:00.001'], ['11:00:00.000', '11:02:00.001']],
    [
      second,
      fraction,
      ['11:00:00.001', '11:00:00.001', '11:01:00.000', '11:02:00.003', '11:03:00.000'],
      ['11:00:00.001', '11:01:00.000'],
    ],
  ])('full seconds where another window has fractions: from %s to %s', (from, to, times, edges) => {
    expect(edgesBeside({ from, to }, times)).toEqual(edges)
  })

  test.each([
    ['within a minute of a bound', ['10:01:00.000', '21:59:00.000']],
    ['without milliseconds', ['11:00:00']],
    ['with microseconds', ['11:00:00.001002', '11:00:00.001000002']],
  ])('no event %s', (_, times) => {
    expect(edgesAt(...times)).toBeUndefined()
  })
})

describe('windows around', () => {
  const bounds = (windows: ReturnType<typeof edgeWindows>, side: 'from' | 'to') =>
    (['before', 'at', 'after'] as const).map((position) => {
      const { from, to } = windows[side][position]
      return [shown(from), shown(to)]
    })

  test('two events have both at their ends', () => {
    const windows = edgeWindows({ start: local('11:00:00.001'), end: local('11:20:00.002') }, window)
    expect(bounds(windows, 'from')).toEqual([
      ['11:00:00.000', '11:20:00.001'],
      ['11:00:00.001', '11:20:00.002'],
      ['11:00:00.002', '11:20:00.003'],
    ])
    expect(windows.to).toBe(windows.from)
  })

  test.each([
    ['11:00:00.001', '11:10:00.001', '10:50:00.001'],
    ['21:55:00.001', '22:00:00.000', '21:45:00.001'],
    ['10:05:00.001', '10:15:00.001', '10:00:00.000'],
  ])('one event at %s end at %s and begin at %s', (time, to, from) => {
    const windows = edgeWindows({ start: local(time), end: local(time) }, window)
    const at = local(time)
    const around = [at.subtract({ milliseconds: 1 }), at, at.add({ milliseconds: 1 })].map(shown)
    expect(bounds(windows, 'from')).toEqual(around.map((start) => [start, to]))
    expect(bounds(windows, 'to')).toEqual(around.map((end) => [from, end]))
  })
})

test.each([
  ['all times are finer', ['11:00:00.0015', '11:20:00.0025'], true],
  ['one time has whole milliseconds', ['11:00:00.0015', '11:20:00.002'], false],
  ['times have no milliseconds', ['11:00:00', '11:20:00'], false],
  ['there are no events', [], false],
])('no bound can equal a time if %s: %j', (_, times, expected) => {
  const events = times.map((time, index) => event({ id: `evt-${index}`, timestamp: `2026-03-02T${time}` }))
  expect(areFinerThanBounds({ window, events, pages: [], complete: true })).toBe(expected)
})
