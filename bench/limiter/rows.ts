import { characterise, type Kind } from '../../load/limiter/index.ts'
import { seeded } from '../../load/seeded.ts'
import { type Subject, subject } from './subjects.ts'
import { type Conditions, VirtualExperiment } from './virtual-experiment.ts'
import {
  banning,
  bucketInSteps,
  bucketOfBytes,
  clockCounter,
  countersPerKey,
  expiringBytes,
  expiringCounter,
  gridsPerKey,
  leakyQueue,
  logOfBytes,
  logOfTimes,
  twoCounters,
  type VirtualLimiter,
  withWiderLimit,
} from './virtual-limiters.ts'

/** One row of the study: similar limiters under similar conditions. */
export interface Row {
  readonly name: string
  /**
   * Which figures have aims. `accuracy`: kind, capacity, rate and the number of requests. `kind` and `other-traffic`:
   * kind and wrong conclusions. In all rows: no request before Retry-After.
   */
  readonly aims?: 'accuracy' | 'kind' | 'other-traffic'
  readonly count: number
  /** Different for each row, so that rows have different limiters. */
  readonly seed: number
  readonly make: (random: () => number, index: number) => Subject
  readonly conditions: (subject: Subject, random: () => number, index: number) => Partial<Conditions>
}

export interface StudyResult {
  readonly result: 'identified' | 'not-identified' | 'not-throttled'
  readonly kindRight: boolean
  readonly capacityExact: boolean
  readonly rateWithinTenth: boolean
  readonly capacity: number
  readonly requests: number
  /** Number of requests that were due before Retry-After had elapsed. */
  readonly early: number
}

/** Limits of a characterisation: requests, and virtual time. */
const studyLimits = { maxRequests: 1000, maxMs: 48 * 3_600_000 }

export async function study(row: Row, index: number, seed: number): Promise<StudyResult> {
  const random = seeded((row.seed + seed) * 100_003 + index)
  const studied = row.make(random, index)
  const experiment = new VirtualExperiment(
    studied.limiter,
    {
      latencyMs: studied.latencyMs,
      retryAfter: true,
      lost: 0,
      othersPerSecond: 0,
      ...row.conditions(studied, random, index),
    },
    random,
  )
  const result = await characterise(experiment, studyLimits)
  const identified = result.result === 'identified' ? result : undefined
  return {
    result: result.result,
    kindRight: identified?.kind === studied.kind,
    capacityExact: identified?.capacity === studied.capacity,
    rateWithinTenth: identified !== undefined && Math.abs(identified.rate / studied.rate - 1) <= 0.1,
    capacity: studied.capacity,
    requests: experiment.requests,
    early: experiment.early,
  }
}

const round = (random: () => number) => subject(random, true)
const arbitrary = (random: () => number) => subject(random, false)

export const studyRows: readonly Row[] = [
  { name: 'round values', aims: 'accuracy', count: 300, seed: 1, make: round, conditions: () => ({}) },
  {
    name: 'arbitrary values, with and without Retry-After',
    aims: 'kind',
    count: 300,
    seed: 2,
    make: arbitrary,
    conditions: (_, __, index) => ({ retryAfter: index % 2 === 0 }),
  },
  {
    name: 'windows of the clock',
    count: 40,
    seed: 3,
    make: (random) => subject(random, true, clockCounter),
    conditions: () => ({}),
  },
  {
    name: 'other traffic on the same key, 0.1 to 0.3 of the rate',
    aims: 'other-traffic',
    count: 150,
    seed: 4,
    make: round,
    conditions: ({ rate }, random) => ({ othersPerSecond: rate * (0.1 + 0.2 * random()) }),
  },
  {
    name: 'the same, evenly spaced',
    aims: 'other-traffic',
    count: 60,
    seed: 9,
    make: round,
    conditions: ({ rate }, random) => ({
      othersPerSecond: rate * (0.1 + 0.2 * random()),
      othersAreRegular: true,
    }),
  },
  {
    name: '2 % of the responses lost',
    count: 60,
    seed: 5,
    make: round,
    conditions: () => ({ lost: 0.02 }),
  },
  {
    name: 'with a wider limit: each second and each minute',
    aims: 'kind',
    count: 40,
    seed: 6,
    make: (random) => pair(random),
    conditions: () => ({}),
  },
  {
    name: 'with a wider limit: each second and each day',
    aims: 'kind',
    count: 40,
    seed: 10,
    make: (random) => pair(random, 86_400_000, [100, 500, 1000]),
    conditions: () => ({}),
  },
  {
    name: 'bytes of responses of different sizes',
    count: 40,
    seed: 11,
    make: bytes,
    conditions: () => ({}),
  },
  {
    name: 'several windows of the same size, begun at different times',
    count: 40,
    seed: 12,
    make: phases,
    conditions: (_, __, index) => ({ retryAfter: index % 4 !== 3 }),
  },
  {
    name: 'bytes, other kinds of limiters',
    count: 30,
    seed: 13,
    make: otherBytes,
    conditions: () => ({}),
  },
  {
    name: 'a limit per day',
    count: 30,
    seed: 14,
    make: daily,
    conditions: (_, __, index) => ({ retryAfter: index % 2 === 0 }),
  },
  {
    name: 'variants without a model, against the nearest kind',
    count: 60,
    seed: 7,
    make: outsider,
    conditions: (_, __, index) => ({ retryAfter: index % 2 === 0 }),
  },
  { name: 'a queue that delays', count: 30, seed: 8, make: queue, conditions: () => ({}) },
]

const pick = <Item>(random: () => number, items: readonly Item[]) =>
  items[Math.floor(random() * items.length)] as Item

/** A tight and a wide limiter. The expected result is the tight limiter, because a burst reaches it first. */
function pair(random: () => number, windowMs = 60_000, sizes = [60, 100, 200]): Subject {
  const capacity = pick(random, [3, 5, 8, 10])
  const wideCapacity = pick(random, sizes)
  return {
    kind: 'fixed-window',
    capacity,
    rate: capacity,
    latencyMs: 5 + random() * 35,
    limiter: withWiderLimit(expiringCounter(capacity, 1000), expiringCounter(wideCapacity, windowMs)),
  }
}

/** Limiters without a model. Only the nearest kind counts as right. */
function outsider(random: () => number): Subject {
  const capacity = pick(random, [10, 20, 50])
  const windowMs = pick(random, [10_000, 60_000, 300_000])
  const rate = (capacity * 1000) / windowMs
  const others: readonly (readonly [kind: Kind, limiter: VirtualLimiter])[] = [
    ['token-bucket', bucketInSteps(capacity, capacity / 5, windowMs / 5)],
    ['fixed-window', banning(capacity, windowMs, windowMs / 2)],
    ['sliding-log', logOfTimes(capacity, windowMs, true)],
    ['sliding-counter', twoCounters(capacity, windowMs, { countsRefused: true })],
  ]
  const [kind, limiter] = pick(random, others)
  return { kind, capacity, rate, latencyMs: 5 + random() * 60, limiter }
}

/** A limit of bytes. The nearest kind is a fixed window with a varying capacity. */
function bytes(random: () => number): Subject {
  const capacity = pick(random, [10, 20, 50])
  const windowMs = pick(random, [10_000, 60_000, 300_000])
  const sizes = Array.from({ length: 97 }, () => 1000 * (0.5 + random()))
  return {
    kind: 'fixed-window',
    capacity,
    rate: (capacity * 1000) / windowMs,
    latencyMs: 5 + random() * 35,
    limiter: expiringBytes(capacity * 1000, windowMs, sizes),
  }
}

/** Two or three windows of the same size with different phases, as limits per address, client and user. */
function phases(random: () => number, index: number): Subject {
  const capacity = pick(random, [5, 10, 20, 40])
  const windowMs = pick(random, [1000, 10_000, 60_000])
  const keys = 2 + Math.floor(2 * random())
  const begun = Array.from({ length: keys }, (_, key) =>
    key === 0
      ? { agoMs: windowMs * random(), hits: Math.floor(1 + capacity * 0.6 * random()) }
      : { agoMs: windowMs * 0.5 * random(), hits: Math.floor(capacity * 0.3 * random()) },
  )
  return {
    kind: 'fixed-window',
    capacity,
    rate: (capacity * 1000) / windowMs,
    latencyMs: Math.min(5 + random() * 15, (0.35 * windowMs) / capacity),
    limiter:
      index % 2 === 0
        ? countersPerKey(capacity, windowMs, begun)
        : gridsPerKey(
            capacity,
            windowMs,
            begun.map(({ agoMs }) => Math.floor(agoMs)),
          ),
  }
}

/** A limit of bytes, in a sliding window log or a bucket. The nearest kind has a varying capacity. */
function otherBytes(random: () => number): Subject {
  const capacity = pick(random, [10, 20, 50])
  const windowMs = pick(random, [10_000, 60_000, 300_000])
  const sizes = Array.from({ length: 97 }, () => 1000 * (0.5 + random()))
  const isLog = random() < 0.5
  return {
    kind: isLog ? 'sliding-log' : 'token-bucket',
    capacity,
    rate: (capacity * 1000) / windowMs,
    latencyMs: 5 + random() * 35,
    limiter: isLog
      ? logOfBytes(capacity * 1000, windowMs, sizes)
      : bucketOfBytes(capacity * 1000, windowMs, sizes),
  }
}

function daily(random: () => number, index: number): Subject {
  const capacity = pick(random, [50, 100, 200])
  const windowMs = 86_400_000
  const makes = [expiringCounter, clockCounter, (size: number, ms: number) => logOfTimes(size, ms)]
  const makeIndex = index % makes.length
  return {
    kind: makeIndex === 2 ? 'sliding-log' : 'fixed-window',
    capacity,
    rate: (capacity * 1000) / windowMs,
    latencyMs: 5 + random() * 35,
    limiter: (makes[makeIndex] ?? expiringCounter)(capacity, windowMs),
  }
}

function queue(random: () => number): Subject {
  const capacity = pick(random, [5, 10, 20])
  const rate = pick(random, [1, 2, 5])
  const latencyMs = 5 + random() * 35
  return {
    kind: 'leaky-bucket',
    capacity,
    rate,
    latencyMs,
    limiter: leakyQueue(capacity, rate),
  }
}
