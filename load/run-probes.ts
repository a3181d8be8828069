import { CheckContext } from '../src/check/context.ts'
import { Inconclusive } from '../src/check/verdict.ts'
import type { World } from '../src/check/world.ts'
import { HttpFailure } from '../src/http/failures.ts'
import { type EndpointName, endpoints } from './endpoints.ts'
import { Engine } from './engine/engine.ts'
import { LoadGuard } from './engine/guard.ts'
import type { Answer, LoadRequest, Shot, Source } from './engine/shot.ts'
import { others } from './others.ts'
import { type LoadPlan, type Step, stepsOf } from './plan.ts'
import { anatomy } from './probes/anatomy.ts'
import { Bench, type Findings, type Probe } from './probes/bench.ts'
import { capacity } from './probes/capacity.ts'
import { dimension } from './probes/dimension.ts'
import { hold } from './probes/hold.ts'
import { limiter } from './probes/limiter.ts'
import { ramp } from './probes/ramp.ts'
import { recovery } from './probes/recovery.ts'
import type { ProbeName, ProbeResult, Span } from './result.ts'

/** Longest wait for a whole answer, in milliseconds. */
const timeoutMs = 10_000

/** What happens while probes run, for whoever shows or records it. */
export interface Watcher {
  begins(step: Step): void
  /** After each request: the shot, and what is left of LOAD_MAX_REQUESTS. */
  shot(shot: Shot, left: number): void
  throttled(request: LoadRequest, answer: Answer, shot: Shot): void
  ends(step: Step, result: ProbeResult): Promise<void>
}

/**
 * Runs probes one after the other, all behind one guard.
 * A probe that cannot be prepared is a result like every other: it says why.
 */
export async function runProbes(
  world: World,
  plan: LoadPlan,
  watcher: Watcher,
  signal: AbortSignal,
): Promise<void> {
  const steps = stepsOf(plan, world.target)
  const sources = new Map<EndpointName, Promise<Source>>()
  const sourceOf = (endpoint: EndpointName) => {
    const known = sources.get(endpoint) ?? endpoints[endpoint].prepare(contextOf(world))
    sources.set(endpoint, known)
    return known
  }
  const began = performance.now()
  const clock = () => performance.now() - began
  let guard: LoadGuard | undefined
  for (const step of steps) {
    watcher.begins(step)
    const startedAt = new Date()
    let source: Source
    try {
      source = await sourceOf(step.endpoint)
    } catch (error) {
      await watcher.ends(step, unprepared(step, startedAt, error))
      continue
    }
    // The time for logins is not the probes'.
    guard ??= new LoadGuard(capsOf(world), clock)
    guard.allot(step.requests, guard.remainingInAllMs / 1000 / (steps.length - steps.indexOf(step)))
    await watcher.ends(
      step,
      await runStep({ step, startedAt, world, plan, guard, source, watcher, signal, clock }),
    )
  }
}

interface StepOptions {
  readonly step: Step
  readonly startedAt: Date
  readonly world: World
  readonly plan: LoadPlan
  readonly guard: LoadGuard
  readonly source: Source
  readonly watcher: Watcher
  readonly signal: AbortSignal
  /** Milliseconds since all probes began. */
  readonly clock: () => number
}

async function runStep({ step, startedAt, world, plan, guard, source, watcher, signal, clock }: StepOptions) {
  const { load, proxy } = world.target
  const shots: Shot[] = []
  const engineAt = (localAddress?: string) =>
    new Engine({
      guard,
      now: clock,
      signal,
      timeoutMs,
      shots,
      onShot: (shot) => watcher.shot(shot, guard.remainingInAll),
      onThrottled: (request, answer, shot) => watcher.throttled(request, answer, shot),
      ...(proxy && { proxy }),
      ...(localAddress !== undefined && { localAddress }),
    })
  const [usual, other] = load.addresses
  const engine = engineAt(usual)
  const elsewhere = other === undefined ? undefined : engineAt(other)
  const from = clock()
  const spent = guard.spent
  try {
    await engine.rest()
    const probe = await probeFor(step, plan, world, engine, elsewhere)
    const findings = await probe.run(new Bench(step.endpoint, engine, source, signal, world.gate.requests))
    return resultOf({
      step,
      startedAt,
      from,
      shots,
      findings,
      requests: guard.spent - spent,
      ended: engine.ended,
    })
  } catch (error) {
    return { ...unprepared(step, startedAt, error), requests: guard.spent - spent }
  } finally {
    await Promise.all([engine.close(), elsewhere?.close()])
  }
}

async function probeFor(
  { probe, endpoint }: Step,
  { rate }: LoadPlan,
  world: World,
  engine: Engine,
  elsewhere: Engine | undefined,
): Promise<Probe> {
  if (probe === 'dimension') return dimension(await others(endpoint, world, engine, elsewhere))
  if (probe === 'hold') return hold(rate)
  return { anatomy, ramp, limiter, recovery, capacity }[
    probe satisfies Exclude<ProbeName, 'dimension' | 'hold'>
  ]
}

function resultOf(made: {
  readonly step: Step
  readonly startedAt: Date
  readonly from: number
  readonly shots: readonly Shot[]
  readonly findings: Findings
  readonly requests: number
  readonly ended: string | undefined
}): ProbeResult {
  const { step, startedAt, from, findings, requests, ended } = made
  const since = <T extends object>(value: T, members: readonly (keyof T)[]): T =>
    Object.assign({ ...value }, Object.fromEntries(members.map((name) => [name, Number(value[name]) - from])))
  const shots = made.shots.map((shot) => since(shot, ['intendedAt', 'sentAt', 'endedAt']))
  return {
    probe: step.probe,
    endpoint: step.endpoint,
    startedAt: startedAt.toISOString(),
    finding: findings.finding,
    ended: ended ?? null,
    requests,
    shots,
    holds: holdsOf(shots),
    stages: (findings.stages ?? []).map((stage) => since(stage, ['from', 'until'])),
    observations: Object.entries(findings.observations).map(([key, value]) => ({
      key: `limits.${step.endpoint}.${step.probe}.${key}`,
      value,
    })),
    ...(findings.limiter && { limiter: findings.limiter }),
  }
}

/** When the target had asked to be left alone. */
function holdsOf(shots: readonly Shot[]): Span[] {
  return shots.flatMap(({ status, endedAt, retryAfterMs }) =>
    (status === 429 || status === 503) && retryAfterMs
      ? [{ from: endedAt, until: endedAt + retryAfterMs }]
      : [],
  )
}

/** A probe that never began, and why: whoever made it impossible is named by the sentence. */
function unprepared({ probe, endpoint }: Step, startedAt: Date, error: unknown): ProbeResult {
  if (!(error instanceof Inconclusive) && !(error instanceof HttpFailure)) throw error
  return {
    probe,
    endpoint,
    startedAt: startedAt.toISOString(),
    finding: 'nothing was found',
    ended: `it could not begin: ${error.message}`,
    requests: 0,
    shots: [],
    holds: [],
    stages: [],
    observations: [],
  }
}

function capsOf({ target: { load } }: World) {
  return { maxRequests: load.maxRequests, maxSeconds: load.maxSeconds, maxRate: load.maxRate }
}

function contextOf(world: World): CheckContext {
  return new CheckContext(world, 'PLATFORM-LIMIT-VALUES')
}
