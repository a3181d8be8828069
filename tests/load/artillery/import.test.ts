import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { importArtillery } from '../../../load/artillery/import.ts'
import { SetupError } from '../../../src/target/problem.ts'

const base = 1_772_884_800_000
const begin = (worker: string, at = base, endpoint = 'event-search') => ({
  worker,
  kind: 'begin',
  format: 1,
  endpoint,
  share: 3,
  seconds: 10,
  at,
})
const request = (worker: string, at: number, rest: object = { status: 200 }) => ({
  worker,
  kind: 'request',
  intendedAt: at,
  sentAt: at + 1,
  endedAt: at + 21,
  reconnected: false,
  ...rest,
})
const suppressed = (worker: string, at: number) => ({
  worker,
  kind: 'suppressed',
  at,
  because: 'retry-after',
})

const file = (name: string, ...lines: (object | string)[]) => ({
  name,
  text: lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
})

describe('records of two workers', () => {
  const result = importArtillery([
    file(
      'a.jsonl',
      begin('a'),
      request('a', base),
      request('a', base + 4000, { status: 429, retryAfterMs: 5000 }),
      suppressed('a', base + 7000),
    ),
    file(
      'b.jsonl',
      begin('b', base + 100),
      request('b', base + 100, { status: 200, reconnected: true }),
      request('b', base + 3000, { failure: 'timed-out' }),
    ),
  ])

  test('become one probe, on one clock', () => {
    expect(result).toMatchObject({
      probe: 'hold',
      endpoint: 'event-search',
      startedAt: new Date(base).toISOString(),
      requests: 5,
      stages: [{ from: 0, until: 10_000, ratePerSecond: 0.6 }],
      waits: [{ from: 4021, until: 9021 }],
      ended: 'workers suppressed 1 request (retry-after: 1)',
    })
    expect(result.shots.map(({ sentAt }) => sentAt)).toEqual([1, 101, 3001, 4001])
    expect(result.shots[2]).toEqual({ intendedAt: 3000, sentAt: 3001, endedAt: 3021, failure: 'timed-out' })
  })

  test('state how many arrivals were omitted for lack of a connection', () => {
    expect(result.finding).toContain('2 Artillery workers, 0.6/s in total: 1 of 4 throttled')
    expect(result.finding).toContain('1 arrival omitted without a free connection')
    expect(result.observations).toContainEqual(
      expect.objectContaining({ key: 'limits.event-search.artillery.left-out', value: 1 }),
    )
  })
})

test('lines of several workers may be in one file, in any order', () => {
  const result = importArtillery([
    file('all.jsonl', request('b', base + 5), begin('a'), '', begin('b'), request('a', base)),
  ])
  expect(result.shots).toHaveLength(2)
})

describe('a mistake names its file and line', () => {
  test.each([
    ['is not JSON', [begin('a'), '{"worker":'], /^x\.jsonl:2 is not JSON$/],
    ['a wrong status', [begin('a'), request('a', base, { status: 99 })], /^x\.jsonl:2 has an invalid status/],
    [
      'both a status and a failure',
      [begin('a'), request('a', base, { status: 200, failure: 'reset' })],
      /^x\.jsonl:2 .*either/,
    ],
    ['neither', [begin('a'), request('a', base, {})], /^x\.jsonl:2 .*either/],
    [
      'an end before its beginning',
      [begin('a'), request('a', base, { status: 200, endedAt: base - 5 })],
      /^x\.jsonl:2 .*before/,
    ],
    ['a member that is not known', [begin('a'), { ...suppressed('a', base), secret: 1 }], /^x\.jsonl:2 /],
    ['a time that no date represents', [begin('a', 8.64e15 + 1)], /^x\.jsonl:1 has an invalid at: /],
    ['another format', [{ ...begin('a'), format: 2 }], /^x\.jsonl:1 has an invalid format/],
    ['an endpoint that is not known', [begin('a', base, 'nowhere')], /^x\.jsonl:1 has an invalid endpoint/],
    ['an array', ['[]'], /^x\.jsonl:1 /],
    ['no beginning', [request('a', base)], /^x\.jsonl:1 belongs to worker a, which has no begin line$/],
  ] as const)('%s', (_, lines, message) => {
    expect(() => importArtillery([file('x.jsonl', ...lines)])).toThrow(message)
  })

  test('also where a file is given twice, or endpoints differ, or there is nothing', () => {
    const one = file('x.jsonl', begin('a'), request('a', base))
    expect(() => importArtillery([one, one])).toThrow(/^x\.jsonl:1 starts worker a a second time/)
    expect(() => importArtillery([one, file('y.jsonl', begin('b', base, 'discovery'))])).toThrow(
      /several endpoints: event-search, discovery/,
    )
    expect(() => importArtillery([])).toThrow(SetupError)
  })

  test('but not more than twenty times', () => {
    const many = file('x.jsonl', ...Array.from({ length: 500 }, () => 'nonsense'))
    try {
      importArtillery([many])
      expect.unreachable()
    } catch (error) {
      expect((error as SetupError).problems).toHaveLength(20)
    }
  })
})

test('the lines that the documentation shows can be imported', () => {
  const page = readFileSync(new URL('../../../docs/probes-artillery.md', import.meta.url), 'utf8')
  const text = page.match(/^\{"worker".*$/gm)?.join('\n') ?? ''
  expect(importArtillery([{ name: 'docs', text }])).toMatchObject({ requests: 1, endpoint: 'event-search' })
})
