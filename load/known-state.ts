import type { EndpointName } from './endpoints.ts'
import type { Identified } from './limiter/index.ts'
import type { ProbeResult } from './result.ts'

/** What earlier probes of a run leave behind: a probe that measures a limit needs to know whether it is fresh. */
export class KnownState {
  #lastEndedAt: number | undefined
  readonly #recoveryMs = new Map<EndpointName, number>()

  /** @param endedAt end of the probe, on the clock of all probes (milliseconds) */
  learn(
    { endpoint, limiter, shots }: Pick<ProbeResult, 'endpoint' | 'limiter' | 'shots'>,
    endedAt: number,
  ): void {
    if (shots.length > 0) this.#lastEndedAt = endedAt
    if (limiter?.result === 'identified') this.#recoveryMs.set(endpoint, recoveryMsOf(limiter))
  }

  /**
   * Milliseconds until the limiter of an endpoint is fresh, 0 at the start of a run.
   * @returns undefined: unknown, since earlier requests may count, and no probe has identified the limiter
   */
  freshIn(endpoint: EndpointName, now: number): number | undefined {
    if (this.#lastEndedAt === undefined) return 0
    const recoveryMs = this.#recoveryMs.get(endpoint)
    return recoveryMs === undefined ? undefined : Math.max(0, this.#lastEndedAt + recoveryMs - now)
  }
}

/** The longest time in which an identified limiter becomes fresh again, in milliseconds. */
export function recoveryMsOf(found: Identified): number {
  const { kind, capacity, capacityInterval, rateInterval, windowMs, windowInterval } = found
  const perRequest = 1000 / rateInterval.low
  // All responses of a queue have been received: at most one place is taken.
  if (windowMs === undefined) return perRequest * (capacityInterval?.high ?? capacity ?? 1)
  const window = windowInterval?.high ?? windowMs
  // The previous window counts until the end of the current one.
  return kind === 'sliding-counter' ? 2 * window : window
}
