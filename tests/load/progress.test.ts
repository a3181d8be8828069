import { Writable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Shot } from '../../load/engine/shot.ts'
import { ProbeProgress } from '../../load/progress.ts'
import { resultOf } from './output/synthetic.ts'

beforeEach(() => vi.useFakeTimers({ now: new Date(2026, 2, 7, 21, 43, 0) }))
afterEach(() => vi.useRealTimers())

const step = { probe: 'recovery', endpoint: 'event-search', share: 1, requests: 66, seconds: 40 } as const
const shot = (status: number, retryAfterMs?: number): Shot => ({
  intendedAt: 0,
  sentAt: 0,
  endedAt: 1,
  status,
  ...(retryAfterMs !== undefined && { retryAfterMs }),
})

function progressOn(terminal: { columns: number } | undefined) {
  const written: string[] = []
  const stream = Object.assign(
    new Writable({
      write: (chunk, _, done) => {
        written.push(String(chunk))
        done()
      },
    }),
    terminal ? { isTTY: true, ...terminal } : { isTTY: false },
  )
  const progress = new ProbeProgress(stream as unknown as NodeJS.WriteStream)
  return { progress, lines: () => written.join('').split('\n').filter(Boolean), last: () => written.at(-1) }
}

describe('without a terminal', () => {
  test('a line is printed when a probe starts, at each new step, and every ten seconds', () => {
    const { progress, lines } = progressOn(undefined)
    progress.begins(step)
    progress.phase('started, at most 66 requests in 40 s')
    progress.phase('2 requests/s for 5 s')
    for (let second = 0; second < 25; second += 1) {
      progress.shot(shot(second === 3 ? 302 : 200), { remaining: 199 - second, reconnects: 0, pauseMs: 0 })
      vi.advanceTimersByTime(1000)
    }
    progress.ends(resultOf({ finding: 'nothing was throttled' }))
    vi.advanceTimersByTime(60_000)
    progress.stop()
    expect(lines()).toEqual([
      'probe recovery of event-search: started, at most 66 requests in 40 s',
      'probe recovery of event-search: 2 requests/s for 5 s',
      'probe recovery of event-search: 1.0 requests/s in the last 10 s, so far 10 sent, 10 accepted, 0 × 429, 190 requests left for this probe',
      'probe recovery of event-search: 1.0 requests/s in the last 10 s, so far 20 sent, 20 accepted, 0 × 429, 180 requests left for this probe',
      'recovery of event-search: finished',
    ])
  })

  test('reconnects are counted for each probe, since they use the budget, too', () => {
    const { progress, lines } = progressOn(undefined)
    progress.begins(step)
    progress.shot(shot(200), { remaining: 198, reconnects: 1, pauseMs: 0 })
    progress.shot(shot(200), { remaining: 196, reconnects: 2, pauseMs: 0 })
    vi.advanceTimersByTime(10_000)
    progress.begins({ ...step, probe: 'ramp' })
    progress.shot(shot(200), { remaining: 194, reconnects: 3, pauseMs: 0 })
    vi.advanceTimersByTime(10_000)
    progress.stop()
    const figures = lines().filter((line) => line.endsWith(' left for this probe'))
    expect(figures.map((line) => line.replace(/^.* in the last \d+ s, /, ''))).toEqual([
      'so far 2 sent, 2 accepted, 0 × 429, 2 reconnects, 196 requests left for this probe',
      'so far 1 sent, 1 accepted, 0 × 429, 1 reconnect, 194 requests left for this probe',
    ])
  })

  test('a wait is reported once, with the time at which it ends', () => {
    const { progress, lines } = progressOn(undefined)
    progress.begins(step)
    progress.shot(shot(429, 12_000), { remaining: 150, reconnects: 0, pauseMs: 12_000 })
    progress.shot(shot(429, 12_000), { remaining: 149, reconnects: 0, pauseMs: 12_000 })
    vi.advanceTimersByTime(20_000)
    progress.shot(shot(429), { remaining: 148, reconnects: 0, pauseMs: 4000 })
    progress.stop()
    expect(lines().filter((line) => line.includes('no request before'))).toEqual([
      'probe recovery of event-search: request 1 returned 429: no request before 21:43:12 UTC (12 s, Retry-After)',
      'probe recovery of event-search: request 3 returned 429: no request before 21:43:24 UTC (4 s, no valid Retry-After)',
    ])
  })
})

describe('on a terminal', () => {
  test.each([80, 50])('of %i columns a wait for Retry-After counts down', (columns) => {
    const { progress, last } = progressOn({ columns })
    progress.begins(step)
    progress.shot(shot(429, 9000), { remaining: 134, reconnects: 0, pauseMs: 9000 })
    vi.advanceTimersByTime(500)
    expect(last()).toContain('recovery of event-search  Retry-After 9 s')
    vi.advanceTimersByTime(4000)
    expect(last()).toContain('Retry-After 5 s')
    expect(last()?.length).toBeLessThan(columns)
    vi.advanceTimersByTime(5000)
    expect(last()).not.toContain('Retry-After')
    progress.stop()
  })

  test('the line shows the rate, requests sent, accepted and throttled, and the remaining budget', () => {
    const { progress, last } = progressOn({ columns: 80 })
    progress.begins(step)
    progress.shot(shot(200), { remaining: 199, reconnects: 0, pauseMs: 0 })
    vi.advanceTimersByTime(1000)
    expect(last()).toBe('recovery of event-search  1.0 req/s  1 sent  1 accepted  0 × 429  199 left')
    progress.stop()
  })
})
