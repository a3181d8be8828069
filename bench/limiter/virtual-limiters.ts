// Limiters as servers write them, over a clock that is handed in. They share nothing with the models that the probe
// fits, and keep their state in another way wherever there are two.

/** What a limiter does with one request at `at` (milliseconds since the epoch). */
export interface Decision {
  readonly admitted: boolean
  /** How long a refused client has to wait, exactly. */
  readonly waitMs: number
  /** How long the answer is held back. */
  readonly delayMs: number
}

export interface VirtualLimiter {
  decide(at: number): Decision
}

const ADMITTED: Decision = { admitted: true, waitMs: 0, delayMs: 0 }
const refused = (waitMs: number): Decision => ({ admitted: false, waitMs, delayMs: 0 })

/** A counter that expires `windowMs` after it was made, as INCR and EXPIRE do. */
export function expiringCounter(capacity: number, windowMs: number): VirtualLimiter {
  let counter: { hits: number; readonly expiresAt: number } | undefined
  return {
    decide(at) {
      if (counter !== undefined && counter.expiresAt <= at) counter = undefined
      counter ??= { hits: 0, expiresAt: at + windowMs }
      counter.hits += 1
      return counter.hits <= capacity ? ADMITTED : refused(counter.expiresAt - at)
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
      return hits <= capacity ? ADMITTED : refused(windowMs)
    },
  }
}

/** A counter for each window of the clock, its key the rounded time. */
export function clockCounter(capacity: number, windowMs: number): VirtualLimiter {
  const hits = new Map<number, number>()
  return {
    decide(at) {
      const key = at - (at % windowMs)
      const count = (hits.get(key) ?? 0) + 1
      hits.set(key, count)
      return count <= capacity ? ADMITTED : refused(key + windowMs - at)
    },
  }
}

/** A sorted set of times, trimmed at each request. */
export function logOfTimes(capacity: number, windowMs: number, logsRefused = false): VirtualLimiter {
  let times: number[] = []
  return {
    decide(at) {
      times = times.filter((time) => time > at - windowMs)
      const admitted = times.length < capacity
      const wait = admitted ? 0 : (times[times.length - capacity] ?? at) + windowMs - at
      if (admitted || logsRefused) times.push(at)
      return admitted ? ADMITTED : refused(wait)
    },
  }
}

/** The estimate from two counters of the clock's windows. */
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
      if (admitted) return ADMITTED
      let wait = windowMs / 1000
      while (wait < 2 * windowMs && !fits(at + wait)) wait += windowMs / 1000
      return refused(wait)
    },
  }
}

/** Tokens as a fraction, topped up from the time that has passed. */
export function bucketOfTokens(capacity: number, perSecond: number): VirtualLimiter {
  let tokens = capacity
  let toppedUpAt: number | undefined
  return {
    decide(at) {
      tokens = Math.min(capacity, tokens + ((at - (toppedUpAt ?? at)) / 1000) * perSecond)
      toppedUpAt = at
      if (tokens < 1) return refused(((1 - tokens) / perSecond) * 1000)
      tokens -= 1
      return ADMITTED
    },
  }
}

/** A bucket that leaks: a request that would overflow it is refused. */
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
      return ADMITTED
    },
  }
}

/** A bucket that leaks: what is in it waits for its turn, what would overflow it is refused. */
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

/** A bucket topped up by a handful of tokens at once, at each interval since it was made. */
export function bucketInSteps(capacity: number, handful: number, everyMs: number): VirtualLimiter {
  let tokens = capacity
  let steppedAt: number | undefined
  return {
    decide(at) {
      steppedAt ??= at
      const steps = Math.floor((at - steppedAt) / everyMs)
      tokens = Math.min(capacity, tokens + steps * handful)
      steppedAt += steps * everyMs
      if (tokens === 0) return refused(steppedAt + everyMs - at)
      tokens -= 1
      return ADMITTED
    },
  }
}

/** A counter that expires, and a ban that begins anew with each request inside it. */
export function banning(capacity: number, windowMs: number, banMs: number): VirtualLimiter {
  const counter = expiringCounter(capacity, windowMs)
  let bannedUntil = 0
  return {
    decide(at) {
      if (at >= bannedUntil && counter.decide(at).admitted) return ADMITTED
      bannedUntil = at + banMs
      return refused(banMs)
    },
  }
}

/** Both have to admit. A request that one of them refuses may have counted at the other, as in most stacks. */
export function stacked(first: VirtualLimiter, second: VirtualLimiter): VirtualLimiter {
  return {
    decide(at) {
      const one = first.decide(at)
      if (!one.admitted) return one
      return second.decide(at)
    },
  }
}
