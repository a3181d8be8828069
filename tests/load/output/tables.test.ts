import { describe, expect, test } from 'vitest'
import { probeDocument, shotsCsv } from '../../../load/output/document.ts'
import { milliseconds, rateText } from '../../../src/text/format.ts'
import { synthetic } from './synthetic.ts'

const all = Object.values(synthetic)

describe('CSV', () => {
  test('has one line per shot, in the order of sending, and nothing where there is nothing', () => {
    const csv = shotsCsv([
      { intendedAt: 10, sentAt: 12.34567, endedAt: 20, status: 429, retryAfterMs: 2000 },
      { intendedAt: 0, sentAt: 0.5, endedAt: 5000, failure: 'timed-out' },
    ])
    expect(csv.split('\r\n')).toEqual([
      'intended_ms,sent_ms,ended_ms,status,failure,retry_after_ms',
      '0,0.5,5000,,timed-out,',
      '10,12.346,20,429,,2000',
      '',
    ])
  })

  test.each(all.map((result) => [result.finding, result] as const))('holds all of: %s', (_, { shots }) => {
    const lines = shotsCsv(shots).trimEnd().split('\r\n')
    expect(lines).toHaveLength(shots.length + 1)
    for (const line of lines) expect(line.split(',')).toHaveLength(6)
  })
})

test('the document of a probe is its result with times, and survives JSON', () => {
  for (const result of all) {
    const document = JSON.parse(JSON.stringify(probeDocument(result)))
    expect(document).toMatchObject({ probe: result.probe, requests: result.requests })
    expect(document.times.answered.count + document.times.unanswered).toBe(result.shots.length)
  }
})

test.each([
  [0, '0 ms'],
  [0.4234, '0.42 ms'],
  [9.996, '10.0 ms'],
  [99.96, '100 ms'],
  [999.4, '999 ms'],
  [999.6, '1.00 s'],
  [12_345, '12.3 s'],
])('%f ms is %s', (ms, text) => expect(milliseconds(ms)).toBe(text))

test.each([
  [9.5, '9.5'],
  [120, '120'],
  [1 / 30, '0.0333'],
])('a rate of %f is %s', (rate, text) => expect(rateText(rate)).toBe(text))
