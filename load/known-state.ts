import type { EndpointName } from './endpoints.ts'
import type { Engine } from './engine/engine.ts'
import { pause } from './engine/timing.ts'
import { type Identified, limiterKinds } from './limiter/index.ts'
import type { ProbeName, ProbeResult } from './result.ts'
import type { Step } from './workload.ts'

/** What earlier probes of a run leave behind: a probe that measures a limit needs to know whether it is fresh. */
export class KnownState {
  /** By endpoint: when its limiter is fresh again, undefined if no probe has identified it. Limiters may be shared. */
  readonly #freshAt = new Map<EndpointName, number | undefined>()
  readonly #recoveryMs = new Map<EndpointName, number>()

  /** @param endedAt end of the probe, on the clock of all probes (milliseconds) */
  learn(
    { endpoint, limiter, shots }: Pick<ProbeResult, 'endpoint' | 'limiter' | 'shots'>,
    endedAt: number,
  ): void {
    if (limiter?.result === 'identified') this.#recoveryMs.set(endpoint, recoveryMsOf(limiter))
    if (shots.length === 0) return
    const recoveryMs = this.#recoveryMs.get(endpoint)
    this.#freshAt.set(endpoint, recoveryMs === undefined ? undefined : endedAt + recoveryMs)
  }

  /** Milliseconds until every limiter is fresh. @returns undefined: unknown, since an unidentified one has counted requests */
  freshIn(now: number): number | undefined {
    let waitMs = 0
    for (const freshAt of this.#freshAt.values()) {
      if (freshAt === undefined) return undefined
      waitMs = Math.max(waitMs, freshAt - now)
    }
    return waitMs
  }
}

/** The longest time in which an identified limiter becomes fresh again, in milliseconds. */
function recoveryMsOf(found: Identified): number {
  const { kind, capacity, capacityInterval, rateInterval, windowMs, windowInterval } = found
  const perRequest = 1000 / rateInterval.low
  // All responses of a queue have been received: at most one place is taken.
  if (windowMs === undefined) return perRequest * (capacityInterval?.high ?? capacity ?? 1)
  const window = windowInterval?.high ?? windowMs
  // The previous window counts until the end of the current one.
  return limiterKinds[kind].countsPreviousWindow ? 2 * window : window
}

/** Probes whose result depends on requests that were sent before them. */
const needFresh: ReadonlySet<ProbeName> = new Set(['limiter', 'anatomy', 'ramp', 'hold'])

/** Largest part of the time of a probe to spend on waiting until the limiter is fresh. */
const longestWaitShare = 0.6

/** Waits until the limiter is fresh. @returns false: it may not be, because it is unknown or the wait too long */
export async function becomesFresh(
  { probe }: Pick<Step, 'probe'>,
  state: KnownState,
  { guard, now }: Pick<Engine, 'guard' | 'now'>,
  signal: AbortSignal,
  onPhase: (text: string) => void,
): Promise<boolean> {
  if (!needFresh.has(probe)) return true
  const waitMs = state.freshIn(now())
  if (waitMs === undefined || waitMs > guard.remainingMs * longestWaitShare) return false
  if (waitMs > 0) onPhase(`waiting ${Math.ceil(waitMs / 1000)} s, until the limit has fully recovered`)
  await pause(waitMs, signal)
  return true
}
