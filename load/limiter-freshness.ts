import { type EndpointName, endpoints } from './endpoints.ts'
import type { Engine } from './engine/engine.ts'
import type { LoadGuard } from './engine/guard.ts'
import { recoveryMsOf } from './limiter/index.ts'
import { identifiedIn, type ProbeName, type ProbeResult } from './result.ts'
import type { Step } from './workload.ts'

/** Probes that would give another result if the limiter still counted requests of earlier probes. */
const needFresh: ReadonlySet<ProbeName> = new Set(['limiter', 'anatomy', 'ramp', 'hold'])

/** Largest share of its remaining time that a probe waits for fresh limiters. */
const longestWaitShare = 0.6

/** The clock of an engine, and the remaining time of the probe. */
interface TimedEngine extends Pick<Engine, 'now'> {
  readonly guard: Pick<LoadGuard, 'remainingMs'>
}

/** Tracks when limiters are fresh again, that is, no longer count the requests of earlier probes. */
export class LimiterFreshness {
  /** When the limiter of each endpoint is fresh again; Infinity if no probe has identified the limiter. */
  readonly #freshAt = new Map<EndpointName, number>()
  readonly #recoveryMs = new Map<EndpointName, number>()

  /** @param endedAt end of the probe, in milliseconds on the clock of all probes */
  learn(result: Pick<ProbeResult, 'endpoint' | 'limiter' | 'shots'>, endedAt: number): void {
    const { endpoint, shots } = result
    const limiter = identifiedIn(result)
    if (limiter) this.#recoveryMs.set(endpoint, recoveryMsOf(limiter))
    if (shots.length === 0) return
    this.#freshAt.set(endpoint, endedAt + (this.#recoveryMs.get(endpoint) ?? Number.POSITIVE_INFINITY))
  }

  /**
   * How long a probe waits, in milliseconds, until the limiters of all endpoints are fresh: endpoints may share a
   * limiter.
   * @returns undefined if the wait is too long, or unknown: requests were sent, but no probe has identified the limiter
   */
  waitMs({ probe }: Pick<Step, 'probe'>, { guard, now }: TimedEngine): number | undefined {
    if (!needFresh.has(probe)) return 0
    const waitMs = Math.max(0, ...[...this.#freshAt.values()].map((freshAt) => freshAt - now()))
    return waitMs > guard.remainingMs * longestWaitShare ? undefined : waitMs
  }
}

/** Longest wait of the probe `limiter` after a login: in milliseconds, and as a share of its remaining time. */
const afterLogin = { ms: 20_000, share: 1 / 8 } as const

/**
 * How long the probe `limiter` waits after the requests of a login, in milliseconds. A limit per address counts these
 * requests, but a limit per user does not. So the windows of the two limits would start at different times, and
 * together they would look like another kind of limiter. After the wait, every window that is shorter than the wait
 * has ended.
 * @param earlier when the run sent requests before the probe, in milliseconds on the clock of all probes
 */
export function waitAfterLoginMs(
  { probe, endpoint }: Pick<Step, 'probe' | 'endpoint'>,
  earlier: readonly number[],
  { guard, now }: TimedEngine,
): number {
  if (probe !== 'limiter' || endpoints[endpoint].logins === 0) return 0
  const longestMs = Math.min(afterLogin.ms, guard.remainingMs * afterLogin.share)
  return Math.max(0, (earlier.at(-1) ?? Number.NEGATIVE_INFINITY) + longestMs - now())
}
