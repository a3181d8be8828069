import { vi } from 'vitest'
import type { VirtualLimiter } from '../../bench/limiter/virtual-limiters.ts'
import type { Engine } from '../../load/engine/engine.ts'
import { type Caps, LoadGuard } from '../../load/engine/guard.ts'
import type { Shot, Source } from '../../load/engine/shot.ts'
import { pause } from '../../load/engine/timing.ts'
import { LimiterFreshness } from '../../load/limiter-freshness.ts'
import { anatomy } from '../../load/probes/anatomy.ts'
import { hold } from '../../load/probes/hold.ts'
import { limiter } from '../../load/probes/limiter.ts'
import { type Findings, type Probe, ProbeContext } from '../../load/probes/probe.ts'
import { ramp } from '../../load/probes/ramp.ts'
import { recovery } from '../../load/probes/recovery.ts'
import { get } from './site.ts'

export const probes = { limiter, anatomy, ramp, recovery, hold: hold(4) } satisfies Record<string, Probe>
export type VirtualProbe = keyof typeof probes

const latencyMs = 8
const source: Source = { next: () => get({ url: new URL('http://127.0.0.1/') }) }
const { signal } = new AbortController()

/** Runs probes one after the other against a limiter, in virtual time. @param sent receives all requests */
export async function runVirtually(
  names: readonly VirtualProbe[],
  target: VirtualLimiter,
  caps: Partial<Caps> = {},
  sent: Shot[] = [],
): Promise<Findings[]> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'], now: 1_790_000_000_123 })
  try {
    let isOver = false
    const findings = inOrder(names, target, caps, sent).finally(() => {
      isOver = true
    })
    while (!isOver) await vi.advanceTimersToNextTimerAsync()
    return await findings
  } finally {
    vi.useRealTimers()
  }
}

async function inOrder(
  names: readonly VirtualProbe[],
  target: VirtualLimiter,
  caps: Partial<Caps>,
  sent: Shot[],
): Promise<Findings[]> {
  const began = performance.now()
  const now = () => performance.now() - began
  let pausedUntil = 0
  const budget = {
    get pauseMs() {
      return Math.max(0, pausedUntil - now())
    },
    pauseFor(ms: number) {
      pausedUntil = Math.max(pausedUntil, now() + ms)
    },
  }
  const guard = new LoadGuard({ maxRequests: 5000, maxSeconds: 3600, maxRate: 20, ...caps }, budget, now)
  const freshness = new LimiterFreshness()
  const all: Findings[] = []
  for (const name of names) {
    guard.allot(1000, 900)
    const engine = virtualEngine(guard, now, target)
    await pause(budget.pauseMs, signal)
    const step = { probe: name, endpoint: 'event-search' } as const
    const freshMs = freshness.waitMs(step, engine)
    await pause(freshMs ?? 0, signal)
    const findings = await probes[name](
      new ProbeContext({ engine, source, signal, startsFresh: freshMs !== undefined }),
    )
    freshness.learn(
      { ...step, shots: engine.shots, ...(findings.limiter && { limiter: findings.limiter }) },
      now(),
    )
    all.push(findings)
    sent.push(...engine.shots)
  }
  return all
}

/** Sends requests to the limiter instead of over connections. */
function virtualEngine(guard: LoadGuard, now: () => number, target: VirtualLimiter): Engine {
  const shots: Shot[] = []
  let ended: string | undefined
  const engine: Pick<Engine, 'guard' | 'now' | 'shots' | 'ended' | 'send'> = {
    guard,
    now,
    shots,
    get ended() {
      return ended ?? guard.endReason
    },
    async send(_request, { intendedAt, patient }) {
      for (let refusal = guard.admit(); refusal; refusal = guard.admit()) {
        if (refusal.kind === 'ended') ended = refusal.reason
        if (refusal.kind === 'ended' || !(patient || refusal.because === 'rate')) return undefined
        await pause(Math.ceil(refusal.until - now()), signal)
      }
      const sentAt = now()
      await pause(latencyMs / 2, signal)
      const { admitted, waitMs } = target.decide(Date.now())
      await pause(latencyMs / 2, signal)
      const retryAfterMs = 1000 * Math.max(1, Math.ceil(waitMs / 1000))
      if (!admitted) guard.pauseFor(retryAfterMs)
      const times = { intendedAt, sentAt, endedAt: now() }
      const shot: Shot = admitted ? { ...times, status: 200 } : { ...times, status: 429, retryAfterMs }
      shots.push(shot)
      return { shot, response: { status: admitted ? 200 : 429, headers: {}, text: '' } }
    },
  }
  return engine as Engine
}
