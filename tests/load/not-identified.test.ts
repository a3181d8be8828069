import { describe, expect, test } from 'vitest'
import { Candidates, estimates, type LimiterEstimate } from '../../load/limiter/candidates.ts'
import type { Identified } from '../../load/limiter/conclusion.ts'
import type { Interval } from '../../load/limiter/interval.ts'
import { maxPeriodMs } from '../../load/limiter/models/model.ts'
import {
  doubted,
  hasWiderLimit,
  notIdentified,
  notIdentifiedWithoutOtherTraffic,
  refusedByWiderLimit,
} from '../../load/limiter/not-identified.ts'
import { admitted, experimentOf, observed } from './scripted-experiment.ts'

const interval = (low: number, high = low): Interval => ({ low, high })
const estimate = (
  kind: LimiterEstimate['kind'],
  capacity: Interval,
  window: Interval,
  rate = interval(1),
): LimiterEstimate => ({ kind, candidates: [], capacity, window, rate })

const fixed = estimate('fixed-window', interval(3), interval(9870, 10_120), interval(0.29, 0.31))
const log = estimate('sliding-log', interval(3, 4), interval(9000, maxPeriodMs), interval(0, 0.4))

/** Three admitted requests and two refusals, the last of which ends 2020 ms after the first, Retry-After included. */
const refusedTwice = () =>
  experimentOf([...admitted(0, 20, 40), observed('throttled', 60, 500), observed('throttled', 1080, 1000)])

describe('refusals', () => {
  test.each([
    [1347, false],
    [1346, true],
  ])('longer than one and a half windows of %d ms are those of a wider limit: %s', async (window, wider) => {
    const short = estimate('fixed-window', interval(3), interval(10, 20))
    const before = [short, estimate('sliding-log', interval(3), interval(100, window))]
    expect(refusedByWiderLimit((await refusedTwice()).record, before)).toBe(wider)
    expect(hasWiderLimit((await refusedTwice()).record, before)).toBe(wider)
  })

  test('are not those of a wider limit where no limiter explained the requests before', async () => {
    expect(refusedByWiderLimit((await refusedTwice()).record, [])).toBe(false)
  })

  test('that were set aside show a wider limit', async () => {
    const { record } = await refusedTwice()
    record.setRefusalsAside()
    expect(hasWiderLimit(record, [])).toBe(true)
  })
})

describe('a limiter that is not identified', () => {
  test('has no kinds left if no kind explains every response', async () => {
    const { reason, needs } = notIdentified(await refusedTwice(), 'budget', [])
    expect(reason).toBe('the budget ran out with no kind left that explains every response')
    expect(needs).toBeUndefined()
  })

  test('has the reason, the kinds left and excluded, and what is known', async () => {
    const found = notIdentified(await refusedTwice(), 'budget', [fixed, log], ['A further sentence.'])
    expect(found).toEqual({
      result: 'not-identified',
      reason:
        'the budget ran out with 2 kinds left (fixed window of 3 in 9.9 to 10.1 s, sliding window log of 3 to 4 in at least 9 s); excluded: token bucket, sliding window counter',
      needs: { requests: 5 + 2 * 6, ms: 1090 + 3 * 10_120 },
      known: {
        kinds: ['fixed-window', 'sliding-log'],
        capacity: interval(3, 4),
        rate: interval(0, 0.4),
        sentences: [
          '3 requests in a row were admitted before the first refusal.',
          'Requests admitted in the 1 s after it: 0.',
          '1 of 1 request sent after Retry-After had elapsed was refused: there may be other traffic on the same key, or Retry-After is too short.',
          'A further sentence.',
        ],
      },
      requests: 5,
      elapsedMs: 1090,
    })
  })

  test.each([
    [
      'other-traffic',
      /^no limiter .* with it, the budget ran out with 1 kind left \(fixed window of 3 in/,
      true,
    ],
    [
      'budget',
      /^the budget ran out before the capacity and the rate were known well enough; 1 kind left \(fixed window/,
      true,
    ],
    [
      'used',
      /^earlier requests may count, and the time left is too short to wait until the limiter is fresh\. Run the probe limiter alone, or first; excluded: /,
      false,
    ],
    [
      'none-admitted',
      /^every request was refused, so that nothing shows when requests are admitted; excluded: /,
      false,
    ],
    ['unknown', /^no limiter .* Nearest: fixed window of 3 in 9\.9 to 10\.1 s; excluded: /, false],
    ['wider-limit', /^a refusal lasted too long for every limiter .* second, wider limit; excluded: /, false],
    [
      'retry-after',
      /^the limiter that explains every response contradicts Retry-After; .*; excluded: /,
      false,
    ],
    [
      'renewed',
      /^each refusal may extend the wait .* wider limit: the probe could not rule this out; .* 1 kind left \(fixed window of 3 in .*; excluded: /,
      false,
    ],
  ] as const)('%s: needs a larger budget only where that helps', async (reason, text, needs) => {
    const found = notIdentified(await experimentOf(admitted(0, 20)), reason, [fixed])
    expect(found.reason).toMatch(text)
    expect('needs' in found).toBe(needs)
  })

  test.each([
    ['several-limits', true],
    ['renewed', true],
    ['retry-after', false],
  ] as const)(
    '%s: needs a larger budget where the budget ran out before a refusal that would decide: %s',
    async (reason, needs) => {
      const spent = await experimentOf(admitted(0, 20), { maxRequests: 2, maxMs: 1e6 })
      expect('needs' in notIdentified(spent, reason, [fixed])).toBe(needs)
      const unspent = await experimentOf(admitted(0, 20), { maxRequests: 3, maxMs: 1e6 })
      expect(notIdentified(unspent, reason, [fixed])).not.toHaveProperty('needs')
    },
  )

  test.each([
    ['unknown', 'Nearest: fixed window of 3 in 9.9 to 10.1 s, sliding window log of 3 to 4 in'],
    [
      'several-limits',
      'two explanations fit every response equally well: several limits of one size, with windows that begin at different times; or fixed window of 3 in 9.9 to 10.1 s, sliding window log of 3 to 4 in',
    ],
  ] as const)('%s: names several kinds in order', async (reason, text) => {
    expect(notIdentified(await experimentOf(admitted(0)), reason, [fixed, log]).reason).toContain(text)
  })

  test('has neither kinds nor bounds where none is left', async () => {
    for (const reason of ['unknown', 'budget'] as const) {
      const found = notIdentified(await experimentOf(admitted(0, 20)), reason, [])
      expect(found).not.toHaveProperty('needs')
      expect(found.known).toEqual({ kinds: [], sentences: [] })
      expect(found.reason).not.toContain('excluded')
    }
    expect(notIdentified(await experimentOf(admitted(0)), 'unknown', []).reason).toMatch(
      /another kind\. No kind comes close$/,
    )
  })

  test('excludes no kind where all are left', async () => {
    const all = (['fixed-window', 'sliding-log', 'token-bucket', 'sliding-counter'] as const).map((kind) =>
      estimate(kind, interval(3), interval(1000)),
    )
    expect(notIdentified(await experimentOf(admitted(0)), 'budget', all).reason).not.toContain('excluded')
  })

  test('may need a wait that the budget did not allow', async () => {
    const limits = { maxRequests: 10, maxMs: 5000 }
    const spent = await experimentOf([...admitted(0, 20, 40), observed('throttled', 60, 86_400_400)], limits)
    await spent.send(0)
    const found = notIdentified(spent, 'budget', [fixed])
    expect(found.reason).toMatch(/; the next request would have had to wait 86400 s$/)
    expect(found.needs?.ms).toBe(70 + 86_400_400)
  })

  test('has no sentence about refusals before the first 429', async () => {
    expect(notIdentified(await experimentOf(admitted(0, 20)), 'budget', [fixed]).known.sentences).toEqual([])
  })

  test.each([
    [[observed('throttled', 40)], []],
    [[observed('throttled', 40), ...admitted(79)], []],
    [[observed('throttled', 40), ...admitted(90)], ['Requests admitted in the 0.1 s after it: 1.']],
    [
      [observed('throttled', 40), ...admitted(1040), observed('unknown', 2040)],
      ['Requests admitted in the 2 s after it: 1.'],
    ],
    [[observed('throttled', 40, 1000), ...admitted(1060)], ['Requests admitted in the 1 s after it: 1.']],
  ])('has what was observed since the first 429: %#', async (rest, sentences) => {
    const found = notIdentified(await experimentOf([...admitted(0, 20), ...rest]), 'unknown', [])
    const first = '2 requests in a row were admitted before the first refusal.'
    expect(found.known.sentences).toEqual([first, ...sentences])
  })
})

describe('an identified limiter that depends on an assumption', () => {
  const found: Identified = {
    result: 'identified',
    kind: 'fixed-window',
    variant: 'grid',
    rate: 1,
    rateInterval: interval(0.9, 1.1),
    proof: {
      observations: 70,
      explained: 70,
      nextBest: { kind: 'sliding-log', explained: 60 },
      sentence: '',
    },
    notes: [],
    requests: 70,
    elapsedMs: 61_000,
  }
  const cost = { requests: 70, elapsedMs: 61_000 }

  test('is not identified, and what is known of it is left', () => {
    expect(doubted({ ...found, capacity: 60, capacityInterval: interval(60) }, 'bytes')).toEqual({
      result: 'not-identified',
      reason:
        'the sizes of the responses differ, and a limit by bytes would refuse the same requests; if the limiter counts requests instead, it is a fixed window (on a grid) of 60',
      known: {
        kinds: ['fixed-window'],
        capacity: interval(60),
        rate: interval(0.9, 1.1),
        sentences: [],
      },
      ...cost,
    })
  })

  test.each([
    [
      'used',
      'earlier requests may count, and the time left is too short to wait until the limiter is fresh; if these requests do not count, the limiter is a fixed window (on a grid). Run the probe limiter alone, or first',
    ],
    [
      'several-limits',
      'two explanations fit every response equally well: several limits of one size, with windows that begin at different times; or a fixed window (on a grid) with other traffic on its key',
    ],
  ] as const)('may have an unknown capacity: %s', (doubt, reason) => {
    expect(doubted(found, doubt)).toEqual({
      result: 'not-identified',
      reason,
      known: { kinds: ['fixed-window'], rate: interval(0.9, 1.1), sentences: [] },
      ...cost,
    })
  })
})

describe('the candidates of a limiter that is not identified', () => {
  const burst = [...admitted(0, 2010, 2030, 2050), observed('throttled', 2070)]

  test('are left where they explain every data point', async () => {
    const candidates = new Candidates()
    candidates.update(burst)
    const possible = estimates(candidates.best)
    expect(possible.length).toBeGreaterThan(1)
    const { known, reason } = notIdentifiedWithoutOtherTraffic(
      await experimentOf(burst),
      candidates,
      'budget',
    )
    expect(known.kinds).toEqual(possible.map(({ kind }) => kind))
    expect(known.sentences).toHaveLength(1)
    expect(reason).toMatch(`the budget ran out with ${possible.length} kinds left (`)
  })

  test('are only near where they do not', async () => {
    // After the first refusal it admits two requests, after the second one six.
    const odd = [
      ...burst,
      ...admitted(2090, 2110),
      observed('throttled', 2130),
      ...admitted(2150, 2170, 2190, 2210, 2230, 2250),
    ]
    const candidates = new Candidates()
    candidates.update(odd)
    const found = notIdentifiedWithoutOtherTraffic(await experimentOf(odd), candidates, 'budget')
    const unexplained = candidates.unexplained
    const kind = candidates.best[0]?.model.kind.replace('-', ' ')
    const nearest = `The nearest kind, a ${kind}, explains ${odd.length - unexplained} of ${odd.length} responses.`
    expect(unexplained).toBeGreaterThan(0)
    expect(found.known.kinds).toEqual([])
    expect(found.known.sentences.at(-1)).toBe(nearest)
    const above = notIdentifiedWithoutOtherTraffic(await experimentOf(odd), candidates, 'wider-limit', [
      fixed,
    ])
    expect(above.known).toMatchObject({
      kinds: ['fixed-window'],
      sentences: expect.arrayContaining([nearest]),
    })
    expect(above.reason).toMatch(/^a refusal lasted too long for every limiter/)
  })
})
