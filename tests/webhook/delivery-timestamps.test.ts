import { describe, expect, test } from 'vitest'
import { at, broken, delivery } from './deliveries.ts'

describe('the timestamp of a delivery may be five minutes old', () => {
  test.each([
    [-300_000, true],
    [-300_001, false],
    [0, true],
    [300_000, true],
    [300_001, false],
  ])('it is %i ms from the clock', async (offset, isCurrent) => {
    expect(await broken(delivery(at(offset)))).toEqual(isCurrent ? [] : ['timestamp-current'])
  })

  test('the limit is exact to the nanosecond', async () => {
    const finer = (timestamp: string) => delivery({ headers: { timestamp }, claims: { timestamp } })
    expect(await broken(finer('2026-03-02T10:05:00.123000000Z'))).toEqual([])
    expect(await broken(finer('2026-03-02T10:05:00.123000001Z'))).toEqual(['timestamp-current'])
    expect(await broken(finer('2026-03-02T09:55:00.122999999Z'))).toEqual(['timestamp-current'])
  })

  test.each([
    '2026-03-02T10:00:00.123',
    '2026-03-02T12:00:00.123+02:00',
    '2026-03-02t10:00:00.123z',
    '2026-03-02 10:00:00Z',
    '2026-02-30T10:00:00Z',
    '1772445600',
    'Mon, 02 Mar 2026 10:00:00 GMT',
    '2026-03-02T10:00:00.123Z[UTC]',
  ])('it must be in the format of the specification, unlike %s', async (timestamp) => {
    expect(await broken(delivery({ headers: { timestamp }, claims: { timestamp } }))).toEqual([
      'timestamp-current',
    ])
  })
})
