import { describe, expect, test } from 'vitest'
import type { Identified } from '../../load/limiter/index.ts'
import { Announcements, announcedIn } from '../../load/probes/announced-limit.ts'

test.each([
  [
    { 'ratelimit-policy': '"n";q=100;w=60', ratelimit: '"n";r=50;t=30' },
    { limit: 100, windowMs: 60_000, remaining: 50 },
  ],
  [{ ratelimit: 'limit=100, remaining=50, reset=5' }, { limit: 100, remaining: 50 }],
  [
    { 'ratelimit-limit': '10, 10;w=1', 'ratelimit-remaining': '0' },
    { limit: 10, windowMs: 1000, remaining: 0 },
  ],
  [
    { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '59' },
    { limit: 60, remaining: 59 },
  ],
  [{ 'x-ratelimit-limit': 'many', ratelimit: 'soon' }, undefined],
  [{ 'x-ratelimit-limit': '99999999999999999999' }, undefined],
  [{}, undefined],
])('%j announces %j', (headers, announced) => {
  expect(announcedIn(headers)).toEqual(announced)
})

const found: Identified = {
  result: 'identified',
  kind: 'fixed-window',
  capacity: 60,
  capacityInterval: { low: 60, high: 60 },
  rate: 1,
  rateInterval: { low: 0.98, high: 1.02 },
  windowMs: 60_000,
  windowInterval: { low: 59_000, high: 61_000 },
  proof: { observations: 1, explained: 1, nextBest: { kind: 'sliding-log', explained: 0 }, sentence: '' },
  notes: [],
  requests: 1,
  elapsedMs: 1,
}

describe('an announced limit is compared with the responses', () => {
  const policy = (limit: number, seconds: number) => ({ 'ratelimit-policy': `"n";q=${limit};w=${seconds}` })
  test.each([
    [policy(60, 60), 'announced: 60 requests in 60.0 s, which agrees with the responses'],
    [policy(61, 60), 'announced: 61 requests in 60.0 s, but the limiter admits 60 requests at once'],
    [policy(60, 30), 'announced: 60 requests in 30.0 s, but its window is 60.0 s'],
    [{ 'x-ratelimit-limit': '60' }, 'announced: 60 requests, which agrees with the responses'],
  ])('%j: %s', (headers, clause) => {
    const announcements = new Announcements()
    announcements.add(headers, false)
    expect(announcements.comparedWith(found)).toBe(clause)
  })

  test('a 429 after a response that announces more requests', () => {
    const announcements = new Announcements()
    announcements.add({ 'x-ratelimit-remaining': '1' }, false)
    announcements.add({ 'x-ratelimit-remaining': '0' }, true)
    announcements.add({ 'x-ratelimit-remaining': '0' }, false)
    announcements.add({}, true)
    const notThrottled = {
      result: 'not-throttled',
      admitted: 2,
      headline: '',
      sentence: '',
      requests: 2,
      elapsedMs: 1,
    } as const
    expect(announcements.comparedWith(notThrottled)).toBe(
      'announced: the remaining requests, but 1 request refused although the previous response announced remaining requests',
    )
  })

  test('no limit is announced', () => {
    const announcements = new Announcements()
    announcements.add({ 'retry-after': '1' }, true)
    expect(announcements.comparedWith(found)).toBeUndefined()
    expect(announcements.observations).toEqual({})
  })
})
