/** Properties of all limiters of one kind. */
interface LimiterKind {
  readonly text: string
  /** Whether a limiter admits `capacity` requests in each window; if not, one in each `period`, like a token bucket. */
  readonly hasWindow: boolean
  /**
   * Whether all requests cease to count when a window ends, so that the limiter is fresh; if not, one after another.
   */
  readonly resets: boolean
  /**
   * Whether requests also count in the next window. With suitable values, such a limiter explains almost any responses,
   * so a conclusion needs more proof (`idleBurstsNeeded` in `elimination.ts`).
   */
  readonly countsPreviousWindow: boolean
  /** Other limiters that admit exactly the same requests. */
  readonly equivalent?: string
}

export type Kind = 'fixed-window' | 'sliding-log' | 'sliding-counter' | 'token-bucket' | 'leaky-bucket'

export const limiterKinds: Readonly<Record<Kind, LimiterKind>> = {
  'fixed-window': { text: 'fixed window', hasWindow: true, resets: true, countsPreviousWindow: false },
  'sliding-log': { text: 'sliding window log', hasWindow: true, resets: false, countsPreviousWindow: false },
  'sliding-counter': {
    text: 'sliding window counter',
    hasWindow: true,
    resets: false,
    countsPreviousWindow: true,
  },
  'token-bucket': {
    text: 'token bucket',
    hasWindow: false,
    resets: false,
    countsPreviousWindow: false,
    equivalent: 'leaky bucket as a meter (GCRA)',
  },
  /** A queue (load/limiter/queue.ts), which delays requests: it has no model. */
  'leaky-bucket': { text: 'leaky bucket', hasWindow: false, resets: false, countsPreviousWindow: false },
}

/**
 * Distinguishes limiters of one kind. The plain form of a kind, such as a sliding window log of admitted requests
 * only, has no variant.
 */
export type KindVariant = 'first-request' | 'grid' | 'clock' | 'counts-refused' | 'whole-request' | 'queue'

export const variantText: Readonly<Record<KindVariant, string>> = {
  'first-request': 'begun by the first request',
  grid: 'on a grid',
  clock: 'aligned to the clock',
  'counts-refused': 'refused requests count too',
  'whole-request': 'the count includes the new request',
  queue: 'a queue: it delays instead of refusing',
}

/**
 * Number of requests that a limiter admits in each period in the long run. A period is a window or, for a token
 * bucket, the time between two tokens.
 */
export function requestsPerPeriod(kind: Kind, capacity: number): number {
  return limiterKinds[kind].hasWindow ? capacity : 1
}

/** Time in which a used-up limiter becomes fresh again, in milliseconds: one window, or until a bucket is full. */
export function windowOf(kind: Kind, capacity: number, period: number): number {
  return limiterKinds[kind].hasWindow ? period : capacity * period
}
