import { type EndpointName, endpoints } from './endpoints.ts'
import type { Engine } from './engine/engine.ts'
import type { LoadGuard } from './engine/guard.ts'
import { recoveryMsOf } from './limiter/index.ts'
import { identifiedIn, type ProbeName, type ProbeResult } from './result.ts'
import type { Step } from './workload.ts'

/** Probes whose result depends on requests that were sent before them. */
const needFresh: ReadonlySet<ProbeName> = new Set(['limiter', 'anatomy', 'ramp', 'hold'])

/** Largest part of the time of a probe to spend on waiting until the limiter is fresh. */
const longestWaitShare = 0.6

/** The clock of an engine, and the time that the guard leaves. */
interface TimedEngine extends Pick<Engine, 'now'> {
  readonly guard: Pick<LoadGuard, 'remainingMs'>
}

/** Whether the limiters of a run are fresh: earlier probes may have used up a part of a limit that another probe measures. */
export class LimiterFreshness {
  /**
   * By endpoint: when its limiter is fresh again, Infinity if no probe has identified it. Endpoints may share a
   * limiter, so `waitMs` is for all.
   */
  readonly #freshAt = new Map<EndpointName, number>()
  readonly #recoveryMs = new Map<EndpointName, number>()

  /** @param endedAt end of the probe, on the clock of all probes (milliseconds) */
  learn(result: Pick<ProbeResult, 'endpoint' | 'limiter' | 'shots'>, endedAt: number): void {
    const { endpoint, shots } = result
    const limiter = identifiedIn(result)
    if (limiter) this.#recoveryMs.set(endpoint, recoveryMsOf(limiter))
    if (shots.length === 0) return
    this.#freshAt.set(endpoint, endedAt + (this.#recoveryMs.get(endpoint) ?? Number.POSITIVE_INFINITY))
  }

  /**
   * How long a probe waits until every limiter is fresh, in milliseconds.
   * @returns undefined if some limiter may not be fresh: it has counted requests and is not identified, or the wait is too long
   */
  waitMs({ probe }: Pick<Step, 'probe'>, { guard, now }: TimedEngine): number | undefined {
    if (!needFresh.has(probe)) return 0
    const waitMs = Math.max(0, ...[...this.#freshAt.values()].map((freshAt) => freshAt - now()))
    return waitMs > guard.remainingMs * longestWaitShare ? undefined : waitMs
  }
}

/** Longest wait before the probe `limiter` after a login, in milliseconds, and as a part of its time. */
const afterLogin = { ms: 20_000, share: 1 / 8 } as const

/**
 * How long the probe `limiter` of an endpoint that needs a login waits after the last request of the run, in milliseconds:
 * a limit per address counts the requests of the login, and a limit per user does not. Their windows then start at
 * different times, and together they look like a limiter of another kind. After the wait, all windows shorter than the wait
 * have ended.
 * @param earlier when the run sent requests before the probe, on the clock of all probes (milliseconds)
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
