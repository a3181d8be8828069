import type { Shot } from '../../../load/engine/shot.ts'
import type { ProbeResult, Span } from '../../../load/result.ts'
import { seeded } from '../../../load/seeded.ts'

export function resultOf(parts: Partial<ProbeResult>): ProbeResult {
  return {
    probe: 'hold',
    endpoint: 'userinfo',
    startedAt: '2026-03-07T12:00:00.000Z',
    finding: 'nothing was found',
    ended: null,
    requests: parts.shots?.length ?? 0,
    shots: [],
    waits: [],
    stages: [],
    observations: [],
    ...parts,
  }
}

const random = seeded(5)
const serviceTime = () => 4 + 3 * random() + 20 * random() ** 12

/** Requests at a rate that nothing limits. */
function unlimited(count: number, ratePerSecond: number): Shot[] {
  return Array.from({ length: count }, (_, index) => {
    const intendedAt = (index * 1000) / ratePerSecond
    const sentAt = intendedAt + random()
    return { intendedAt, sentAt, endedAt: sentAt + serviceTime(), status: 200 }
  })
}

/** Rising rates against a fixed window of 50 requests per 10 s, with a wait of 4 s after each refusal. */
function throttled(): ProbeResult {
  const shots: Shot[] = []
  const waits: Span[] = []
  const stages: ProbeResult['stages'][number][] = []
  let from = 0
  let window = { begin: 0, count: 0 }
  for (const ratePerSecond of [2, 4, 6, 8, 10]) {
    stages.push({ from, until: from + 6000, ratePerSecond })
    for (let index = 0; index < 6 * ratePerSecond; index += 1) {
      const intendedAt = from + (index * 1000) / ratePerSecond
      if (waits.some((hold) => intendedAt < hold.until && intendedAt > hold.from)) continue
      if (intendedAt >= window.begin + 10_000) window = { begin: intendedAt, count: 0 }
      window.count += 1
      const refused = window.count > 50
      const slow = window.count / 50
      const endedAt = intendedAt + (refused ? 2 : serviceTime() * (1 + 4 * slow ** 6))
      shots.push({
        intendedAt,
        sentAt: intendedAt + 0.4,
        endedAt,
        status: refused ? 429 : 200,
        ...(refused && { retryAfterMs: 4000 }),
      })
      if (refused) waits.push({ from: endedAt, until: endedAt + 4000 })
    }
    from += 6000
  }
  return resultOf({
    probe: 'ramp',
    endpoint: 'token',
    finding:
      'throttling started at 8 requests/s, after 51 requests within 10 s; each 429 required a wait of 4 s',
    shots,
    waits,
    stages,
  })
}

const mixedStatuses = [200, 302, 404, 429, 500, 503, undefined] as const

/** Results of every kind that a chart must be able to show. */
export const synthetic = {
  'no throttling': resultOf({
    finding: 'no throttling at 5 requests/s for 30 s',
    shots: unlimited(150, 5),
    stages: [{ from: 0, until: 30_000, ratePerSecond: 5 }],
  }),
  throttled: throttled(),
  'all failed': resultOf({
    finding: 'no request had a response',
    ended: '3 consecutive requests had no response (the last: refused)',
    shots: [0, 200, 400].map((at) => ({
      intendedAt: at,
      sentAt: at,
      endedAt: at + 1,
      failure: 'refused' as const,
    })),
    stages: [{ from: 0, until: 10_000, ratePerSecond: 5 }],
  }),
  'a single shot': resultOf({
    probe: 'anatomy',
    finding: 'one response was 200',
    shots: [{ intendedAt: 0, sentAt: 0, endedAt: 0, status: 200 }],
  }),
  'zero shots': resultOf({ finding: 'no request was sent', ended: 'the probe was interrupted' }),
  '5000 shots': resultOf({
    probe: 'capacity',
    endpoint: 'discovery',
    finding: '5000 requests in 50 s',
    shots: unlimited(5000, 100).map((shot) =>
      random() < 0.02 ? { ...shot, endedAt: shot.endedAt + 900 * random() } : shot,
    ),
    stages: [{ from: 0, until: 50_000, ratePerSecond: 100 }],
  }),
  'every outcome': resultOf({
    finding: 'a target that answers <anything> & "everything"',
    shots: Array.from({ length: 70 }, (_, index): Shot => {
      const status = mixedStatuses[index % mixedStatuses.length]
      const at = index * 150
      return {
        intendedAt: at,
        sentAt: at + 30,
        endedAt: at + 31 + 4000 * random() ** 5,
        ...(status === undefined ? { failure: 'timed-out' } : { status }),
      }
    }),
  }),
  'a wait of a day': resultOf({
    probe: 'recovery',
    finding: 'the first 429 required a wait of 86400 s',
    ended: 'Retry-After is 86400 s, but probes wait at most 120 s',
    shots: [
      ...unlimited(10, 5),
      { intendedAt: 2000, sentAt: 2000, endedAt: 2003, status: 429, retryAfterMs: 86_400_000 },
    ],
    waits: [{ from: 2003, until: 86_402_003 }],
  }),
} satisfies Record<string, ProbeResult>
