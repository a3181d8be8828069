// Limiters as servers implement them; the caller passes the time in milliseconds. They share no code with the models
// that the limiter probe fits. If possible, they also store their state differently.

interface LimiterDecision {
  readonly admitted: boolean
  /** Milliseconds until the limiter would admit a rejected request. */
  readonly waitMs: number
  /** Milliseconds by which the limiter delays the response. */
  readonly delayMs: number
  /** Size of the response; absent if all responses have the same size. */
  readonly bytes?: number
}

export interface VirtualLimiter {
  decide(at: number): LimiterDecision
}

const admittedAtOnce: LimiterDecision = { admitted: true, waitMs: 0, delayMs: 0 }
const refused = (waitMs: number): LimiterDecision => ({ admitted: false, waitMs, delayMs: 0 })

/** A counter that expires `windowMs` after its creation, like INCR and EXPIRE. */
export function expiringCounter(capacity: number, windowMs: number): VirtualLimiter {
  let counter: { hits: number; readonly expiresAt: number } | undefined
  return {
    decide(at) {
      if (counter !== undefined && counter.expiresAt <= at) counter = undefined
      counter ??= { hits: 0, expiresAt: at + windowMs }
      counter.hits += 1
      return counter.hits <= capacity ? admittedAtOnce : refused(counter.expiresAt - at)
    },
  }
}

/** A counter that expires `windowMs` after the last request, admitted or not. */
export function renewing(capacity: number, windowMs: number): VirtualLimiter {
  let hits = 0
  let expiresAt = 0
  return {
    decide(at) {
      if (expiresAt <= at) hits = 0
      expiresAt = at + windowMs
      hits += 1
      return hits <= capacity ? admittedAtOnce : refused(windowMs)
    },
  }
}

/** A counter for each window of the clock. The key of a counter is the rounded time. */
export function clockCounter(capacity: number, windowMs: number): VirtualLimiter {
  const hits = new Map<number, number>()
  return {
    decide(at) {
      const key = at - (at % windowMs)
      const count = (hits.get(key) ?? 0) + 1
      hits.set(key, count)
      return count <= capacity ? admittedAtOnce : refused(key + windowMs - at)
    },
  }
}

/** A log of the times of admitted requests, or of all requests with `logsRefused`. Each request removes old times. */
export function logOfTimes(capacity: number, windowMs: number, logsRefused = false): VirtualLimiter {
  let times: number[] = []
  return {
    decide(at) {
      times = times.filter((time) => time > at - windowMs)
      const admitted = times.length < capacity
      const wait = admitted ? 0 : (times[times.length - capacity] ?? at) + windowMs - at
      if (admitted || logsRefused) times.push(at)
      return admitted ? admittedAtOnce : refused(wait)
    },
  }
}

/**
 * An estimate from the counters of two windows of the clock. The estimate may be fractional: at 9.5 of 10, the limiter
 * admits a new request by default, but not with `whole`.
 */
export function twoCounters(
  capacity: number,
  windowMs: number,
  form: { readonly whole?: boolean; readonly countsRefused?: boolean } = {},
): VirtualLimiter {
  const hits = new Map<number, number>()
  const fits = (at: number) => {
    const index = Math.floor(at / windowMs)
    const elapsed = at / windowMs - index
    const estimate = (hits.get(index - 1) ?? 0) * (1 - elapsed) + (hits.get(index) ?? 0)
    return form.whole ? estimate + 1 <= capacity : estimate < capacity
  }
  return {
    decide(at) {
      const index = Math.floor(at / windowMs)
      const admitted = fits(at)
      if (admitted || form.countsRefused) hits.set(index, (hits.get(index) ?? 0) + 1)
      if (admitted) return admittedAtOnce
      let wait = windowMs / 1000
      while (wait < 2 * windowMs && !fits(at + wait)) wait += windowMs / 1000
      return refused(wait)
    },
  }
}

/** A token bucket with fractional tokens, refilled in proportion to the elapsed time. */
export function bucketOfTokens(capacity: number, perSecond: number): VirtualLimiter {
  let tokens = capacity
  let toppedUpAt: number | undefined
  return {
    decide(at) {
      tokens = Math.min(capacity, tokens + ((at - (toppedUpAt ?? at)) / 1000) * perSecond)
      toppedUpAt = at
      if (tokens < 1) return refused(((1 - tokens) / perSecond) * 1000)
      tokens -= 1
      return admittedAtOnce
    },
  }
}

/** A leaky bucket as a meter: a request that would overflow the bucket is rejected. */
export function leakyMeter(capacity: number, perSecond: number): VirtualLimiter {
  let level = 0
  let leakedAt: number | undefined
  return {
    decide(at) {
      level = Math.max(0, level - ((at - (leakedAt ?? at)) / 1000) * perSecond)
      leakedAt = at
      const over = level + 1 - capacity
      if (over > 1e-9) return refused((over / perSecond) * 1000)
      level += 1
      return admittedAtOnce
    },
  }
}

/** A leaky bucket as a queue: requests wait for their turn, and a request that would overflow the queue is rejected. */
export function leakyQueue(capacity: number, perSecond: number): VirtualLimiter {
  let nextTurn = 0
  return {
    decide(at) {
      const turn = Math.max(at, nextTurn)
      const waiting = ((turn - at) / 1000) * perSecond
      if (waiting > capacity) return refused(((waiting - capacity) / perSecond) * 1000)
      nextTurn = turn + 1000 / perSecond
      return { admitted: true, waitMs: 0, delayMs: turn - at }
    },
  }
}

/** A bucket that is refilled with several tokens at once, at a fixed interval. */
export function bucketInSteps(capacity: number, tokensPerStep: number, everyMs: number): VirtualLimiter {
  let tokens = capacity
  let steppedAt: number | undefined
  return {
    decide(at) {
      steppedAt ??= at
      const steps = Math.floor((at - steppedAt) / everyMs)
      tokens = Math.min(capacity, tokens + steps * tokensPerStep)
      steppedAt += steps * everyMs
      if (tokens === 0) return refused(steppedAt + everyMs - at)
      tokens -= 1
      return admittedAtOnce
    },
  }
}

/** An expiring counter. A request above the capacity starts a ban, and each request during the ban restarts it. */
export function banning(capacity: number, windowMs: number, banMs: number): VirtualLimiter {
  const counter = expiringCounter(capacity, windowMs)
  let bannedUntil = 0
  return {
    decide(at) {
      if (at >= bannedUntil && counter.decide(at).admitted) return admittedAtOnce
      bannedUntil = at + banMs
      return refused(banMs)
    },
  }
}

/** A counter of bytes that expires `windowMs` after its creation. The responses have `sizes` in turn. */
export function expiringBytes(maxBytes: number, windowMs: number, sizes: readonly number[]): VirtualLimiter {
  let counter: { bytes: number; readonly expiresAt: number } | undefined
  let next = 0
  return {
    decide(at) {
      if (counter !== undefined && counter.expiresAt <= at) counter = undefined
      counter ??= { bytes: 0, expiresAt: at + windowMs }
      if (counter.bytes >= maxBytes) return refused(counter.expiresAt - at)
      const bytes = sizes[next++ % sizes.length] ?? 0
      counter.bytes += bytes
      return { ...admittedAtOnce, bytes }
    },
  }
}

/** Both limiters must admit a request. The tighter limiter also counts a request that the wider limiter refuses. */
export function withWiderLimit(tighter: VirtualLimiter, wider: VirtualLimiter): VirtualLimiter {
  return {
    decide(at) {
      const one = tighter.decide(at)
      if (!one.admitted) return one
      return wider.decide(at)
    },
  }
}

/**
 * A counter for each of several keys of a request, such as address, client and user. All counters have the same
 * capacity, but their windows begin at different times. If a counter refuses a request, later counters do not count it.
 * @param begun for each key: how long before the first request its window began, and the number of requests since then
 */
export function countersPerKey(
  capacity: number,
  windowMs: number,
  begun: readonly { readonly agoMs: number; readonly hits: number }[],
): VirtualLimiter {
  let counters: { hits: number; expiresAt: number }[] | undefined
  return {
    decide(at) {
      counters ??= begun.map(({ agoMs, hits }) => ({ hits, expiresAt: at - agoMs + windowMs }))
      for (const counter of counters) {
        if (counter.expiresAt <= at) Object.assign(counter, { hits: 0, expiresAt: at + windowMs })
        counter.hits += 1
        if (counter.hits > capacity) return refused(counter.expiresAt - at)
      }
      return admittedAtOnce
    },
  }
}

/** As `countersPerKey`, but with windows of the clock. Each key has its own phase in milliseconds. */
export function gridsPerKey(capacity: number, windowMs: number, phases: readonly number[]): VirtualLimiter {
  const grids = phases.map((phase) => ({ phase, limiter: clockCounter(capacity, windowMs) }))
  return {
    decide(at) {
      for (const { phase, limiter } of grids) {
        const decision = limiter.decide(at + phase)
        if (!decision.admitted) return decision
      }
      return admittedAtOnce
    },
  }
}

/** A log of the bytes of the last `windowMs`. The responses have `sizes` in turn. */
export function logOfBytes(bytes: number, windowMs: number, sizes: readonly number[]): VirtualLimiter {
  let log: { readonly at: number; readonly size: number }[] = []
  let next = 0
  return {
    decide(at) {
      log = log.filter((one) => one.at > at - windowMs)
      let total = log.reduce((sum, { size }) => sum + size, 0)
      if (total < bytes) {
        const size = sizes[next++ % sizes.length] ?? 0
        log.push({ at, size })
        return { ...admittedAtOnce, bytes: size }
      }
      let until = at
      for (const one of log) {
        if (total < bytes) break
        total -= one.size
        until = one.at + windowMs
      }
      return refused(until - at)
    },
  }
}

/** A bucket of bytes, refilled by the elapsed time. A response may take more bytes than the bucket contains. */
export function bucketOfBytes(bytes: number, windowMs: number, sizes: readonly number[]): VirtualLimiter {
  let available = bytes
  let refilledAt: number | undefined
  let next = 0
  return {
    decide(at) {
      available = Math.min(bytes, available + ((at - (refilledAt ?? at)) * bytes) / windowMs)
      refilledAt = at
      if (available <= 0) return refused((-available * windowMs) / bytes)
      const size = sizes[next++ % sizes.length] ?? 0
      available -= size
      return { ...admittedAtOnce, bytes: size }
    },
  }
}
