import { createContext } from '../src/check/fixtures.ts'
import type { RunContext } from '../src/check/run-context.ts'
import { Inconclusive } from '../src/check/verdict.ts'
import { HttpFailure } from '../src/http/failures.ts'
import { withAdvice } from '../src/text/format.ts'
import { type EndpointName, endpoints } from './endpoints.ts'
import { Engine } from './engine/engine.ts'
import { LoadGuard } from './engine/guard.ts'
import type { Answer, LoadRequest, Shot, Source } from './engine/shot.ts'
import { others } from './others.ts'
import { type LoadPlan, type Step, stepsOf, timeoutMs } from './plan.ts'
import { anatomy } from './probes/anatomy.ts'
import { Bench, type Findings, type Probe } from './probes/bench.ts'
import { capacity } from './probes/capacity.ts'
import { dimension } from './probes/dimension.ts'
import { hold } from './probes/hold.ts'
import { limiter } from './probes/limiter.ts'
import { ramp } from './probes/ramp.ts'
import { recovery } from './probes/recovery.ts'
import type { Standing } from './progress.ts'
import { limitValues, type ProbeName, type ProbeResult, type Span } from './result.ts'

/** What happens while probes run, for whoever shows or records it. */
export interface Watcher {
  begins(step: Step): void
  /** The probe goes on to something else, told in a few words. */
  phase(text: string): void
  /** After each request. */
  shot(shot: Shot, standing: Standing): void
  throttled(request: LoadRequest, answer: Answer, shot: Shot): void
  ends(step: Step, result: ProbeResult): Promise<void>
}

/**
 * Runs probes one after the other, all behind one guard.
 * A probe that cannot be prepared is a result like every other: it says why.
 */
export async function runProbes(
  run: RunContext,
  plan: LoadPlan,
  watcher: Watcher,
  signal: AbortSignal,
): Promise<void> {
  const steps = stepsOf(plan, run.target)
  const sources = new Map<EndpointName, Promise<Source>>()
  const sourceOf = (endpoint: EndpointName) => {
    const known = sources.get(endpoint) ?? endpoints[endpoint].prepare(createContext(run, limitValues))
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
      signal.throwIfAborted()
      if (guard) run.budget.pauseFor(guard.pauseMs)
      source = await sourceOf(step.endpoint)
    } catch (error) {
      await watcher.ends(step, unprepared(step, startedAt, signal.aborted ? stopped() : error))
      continue
    }
    // The time for logins is not the probes'.
    guard ??= new LoadGuard(capsOf(run), clock)
    keepHold(guard, run)
    guard.allot(step.requests, guard.remainingInAllMs / 1000 / (steps.length - steps.indexOf(step)))
    await watcher.ends(
      step,
      await runStep({ step, startedAt, run, plan, guard, source, watcher, signal, clock }),
    )
  }
}

/** What the run was asked to wait while it prepared itself holds for its probes too. */
function keepHold(guard: LoadGuard, { budget }: RunContext): void {
  if (budget.pauseMs > 0) guard.pauseFor(budget.pauseMs)
}

function stopped(): Inconclusive {
  return new Inconclusive('the probe was stopped')
}

interface StepOptions {
  readonly step: Step
  readonly startedAt: Date
  readonly run: RunContext
  readonly plan: LoadPlan
  readonly guard: LoadGuard
  readonly source: Source
  readonly watcher: Watcher
  readonly signal: AbortSignal
  /** Milliseconds since all probes began. */
  readonly clock: () => number
}

async function runStep({ step, startedAt, run, plan, guard, source, watcher, signal, clock }: StepOptions) {
  const { load, proxy } = run.target
  const shots: Shot[] = []
  const engineAt = (localAddress?: string) =>
    new Engine({
      guard,
      now: clock,
      signal,
      timeoutMs,
      shots,
      onShot: (shot) => watcher.shot(shot, { left: guard.remainingInAll, pauseMs: guard.pauseMs }),
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
    const probe = await probeFor(step, plan, run, engine, elsewhere, signal)
    keepHold(guard, run)
    await engine.rest()
    const findings = await probe.run(
      new Bench({
        endpoint: step.endpoint,
        engine,
        source,
        signal,
        before: run.budget.requests,
        onPhase: (text) => watcher.phase(text),
      }),
    )
    return resultOf({
      step,
      startedAt,
      from,
      shots,
      findings:
        engine.brokenOff || elsewhere?.brokenOff || shots.length === 0
          ? asFarAsSeen(findings, shots)
          : findings,
      requests: guard.spent - spent,
      ended: engine.ended,
    })
  } catch (error) {
    const why = signal.aborted ? stopped() : error
    return unprepared(step, startedAt, why, { shots: sinceOf(shots, from), requests: guard.spent - spent })
  } finally {
    await Promise.all([engine.close(), elsewhere?.close()])
  }
}

async function probeFor(
  { probe, endpoint }: Step,
  { rate }: LoadPlan,
  run: RunContext,
  engine: Engine,
  elsewhere: Engine | undefined,
  signal: AbortSignal,
): Promise<Probe> {
  if (probe === 'dimension') return dimension(await others(endpoint, run, engine, elsewhere, signal))
  if (probe === 'hold') return hold(rate)
  return { anatomy, ramp, limiter, recovery, capacity }[
    probe satisfies Exclude<ProbeName, 'dimension' | 'hold'>
  ]
}

/** What a probe that was broken off knows: without a 429 it has found no limit, and may not say that there is none. */
function asFarAsSeen(findings: Findings, shots: readonly Shot[]): Findings {
  if (shots.length === 0) return { finding: 'nothing was sent', observations: {} }
  return shots.some(({ status }) => status === 429) ? findings : { ...findings, observations: {} }
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
  const shots = sinceOf(made.shots, from)
  return {
    probe: step.probe,
    endpoint: step.endpoint,
    startedAt: startedAt.toISOString(),
    finding: findings.finding,
    ended: ended ?? null,
    requests,
    shots,
    holds: holdsOf(shots),
    stages: (findings.stages ?? []).map((stage) => since(stage, from, ['from', 'until'])),
    observations: Object.entries(findings.observations).map(([key, value]) => ({
      key: `limits.${step.endpoint}.${step.probe}.${key}`,
      value,
    })),
    ...(findings.limiter && { limiter: findings.limiter }),
  }
}

/** Moments counted from another one on. */
function since<T extends object>(value: T, from: number, members: readonly (keyof T)[]): T {
  return Object.assign(
    { ...value },
    Object.fromEntries(members.map((name) => [name, Number(value[name]) - from])),
  )
}

function sinceOf(shots: readonly Shot[], from: number): Shot[] {
  return shots.map((shot) => since(shot, from, ['intendedAt', 'sentAt', 'endedAt']))
}

/** When the target had asked to be left alone. */
function holdsOf(shots: readonly Shot[]): Span[] {
  return shots.flatMap(({ status, endedAt, retryAfterMs }) =>
    (status === 429 || status === 503) && retryAfterMs
      ? [{ from: endedAt, until: endedAt + retryAfterMs }]
      : [],
  )
}

/** A probe that could not go on, and why, with what it had sent: whoever made it impossible is named by the sentence. */
function unprepared(
  { probe, endpoint }: Step,
  startedAt: Date,
  error: unknown,
  { shots, requests }: Pick<ProbeResult, 'shots' | 'requests'> = { shots: [], requests: 0 },
): ProbeResult {
  if (!(error instanceof Inconclusive) && !(error instanceof HttpFailure)) throw error
  return {
    probe,
    endpoint,
    startedAt: startedAt.toISOString(),
    finding: 'nothing was found',
    ended: `it could not ${shots.length === 0 ? 'begin' : 'go on'}: ${withAdvice(error.message, error.advice)}`,
    requests,
    shots,
    holds: holdsOf(shots),
    stages: [],
    observations: [],
  }
}

function capsOf({ target: { load } }: RunContext) {
  return { maxRequests: load.maxRequests, maxSeconds: load.maxSeconds, maxRate: load.maxRate }
}
