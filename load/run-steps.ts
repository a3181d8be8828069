import { createContext } from '../src/check/fixtures.ts'
import { obstacleOf } from '../src/check/obstacle.ts'
import { reasonText } from '../src/check/result.ts'
import type { RunContext } from '../src/check/run-context.ts'
import { Inconclusive } from '../src/check/verdict.ts'
import { counted } from '../src/text/format.ts'
import { type EndpointName, endpoints } from './endpoints.ts'
import { Engine } from './engine/engine.ts'
import { LoadGuard } from './engine/guard.ts'
import { is429, type Shot, type Source, shotSince } from './engine/shot.ts'
import { pause } from './engine/timing.ts'
import { otherIdentities } from './identities.ts'
import type { Characterisation } from './limiter/index.ts'
import { LimiterFreshness, waitAfterLoginMs } from './limiter-freshness.ts'
import { isRefusedByLimiter } from './output/outcome.ts'
import type { ProbeRecorder } from './probe-recorder.ts'
import { anatomy } from './probes/anatomy.ts'
import { capacity } from './probes/capacity.ts'
import { dimension } from './probes/dimension.ts'
import { hold } from './probes/hold.ts'
import { limiter } from './probes/limiter.ts'
import { type Findings, type Probe, ProbeContext } from './probes/probe.ts'
import { ramp } from './probes/ramp.ts'
import { recovery } from './probes/recovery.ts'
import { longWaitMs, type ProbeProgress } from './progress.ts'
import { limitObservations, limitValuesId, type ProbeName, type ProbeResult, waitsOf } from './result.ts'
import { type Step, stepCommand, stepsOf, timeoutMs, type Workload } from './workload.ts'

type ProbeObserver = Pick<ProbeRecorder, 'begins' | 'throttled' | 'ends'> & {
  readonly progress: Pick<ProbeProgress, 'phase' | 'shot'>
}

/** What all probes of a run share. */
interface Probing {
  readonly run: RunContext
  readonly workload: Workload
  readonly observer: ProbeObserver
  readonly signal: AbortSignal
  /** The clock of all probes: milliseconds since `runSteps` was called. */
  readonly clock: () => number
  readonly freshness: LimiterFreshness
}

/**
 * Runs the probes of a workload in order. One guard enforces the caps, such as LOAD_MAX_REQUESTS, for all of them.
 * If a probe cannot start, its result states why.
 */
export async function runSteps(
  run: RunContext,
  workload: Workload,
  observer: ProbeObserver,
  signal: AbortSignal,
): Promise<void> {
  const steps = stepsOf(workload, run.target)
  const sources = new Map<EndpointName, Promise<Source>>()
  /** Prepares an endpoint, for example with a login, unless an earlier probe has prepared it. */
  const sourceOf = (endpoint: EndpointName) => {
    const known = sources.get(endpoint) ?? endpoints[endpoint].prepare(createContext(run, limitValuesId))
    sources.set(endpoint, known)
    return known
  }
  const began = performance.now()
  const clock = () => performance.now() - began
  const freshness = new LimiterFreshness()
  const probing = { run, workload, observer, signal, clock, freshness }
  let guard: LoadGuard | undefined
  for (const step of steps) {
    observer.begins(step)
    const startedAt = new Date()
    let result: ProbeResult
    try {
      signal.throwIfAborted()
      const source = await sourceOf(step.endpoint)
      // LOAD_MAX_SECONDS starts here: it includes later logins, but not the preparation of the first endpoint.
      guard ??= new LoadGuard(run.target.load, run.budget, clock)
      guard.allot(Math.floor(guard.totalRemaining * step.share), (guard.totalRemainingMs / 1000) * step.share)
      // The first probe takes at most the time of its schedule. A later probe may first have to wait for an earlier
      // Retry-After, so its limit is the remaining time.
      const seconds = Math.min(guard.remainingMs / 1000, step === steps[0] ? step.seconds : Infinity)
      observer.progress.phase(
        `started, at most ${counted(guard.remaining, 'request')} in ${Math.round(seconds)} s`,
      )
      result = await runStep(step, startedAt, source, guard, probing)
    } catch (error) {
      result = failed({ step, startedAt, from: 0, shots: [], requests: 0 }, error, signal)
    }
    freshness.learn(result, clock())
    await observer.ends(step, result)
  }
}

async function runStep(
  step: Step,
  startedAt: Date,
  source: Source,
  guard: LoadGuard,
  probing: Probing,
): Promise<ProbeResult> {
  const { run, workload, observer, signal, clock, freshness } = probing
  const shots: Shot[] = []
  const [ownAddress, otherAddress] = run.target.load.addresses
  const engine = engineAt(ownAddress, shots, guard, probing)
  // Only the probe `dimension` sends from the second source address.
  const elsewhere = otherAddress === undefined ? undefined : engineAt(otherAddress, shots, guard, probing)
  let start = { startedAt, from: clock() }
  const spentBefore = guard.spent
  const phase = (text: string) => observer.progress.phase(text)
  const wait = (ms: number, why: string) => {
    if (ms > 0) phase(`waiting ${Math.ceil(ms / 1000)} s, ${why}`)
    return pause(ms, signal)
  }
  const sent = () => ({ step, ...start, shots, requests: guard.spent - spentBefore })
  try {
    if (guard.pauseMs >= longWaitMs)
      phase(`waiting ${Math.ceil(guard.pauseMs / 1000)} s, as an earlier 429 or 503 requires`)
    await engine.rest()
    const probe = await probeFunctionOf(step, workload, run, engine, elsewhere)
    // `probeFunctionOf` may have sent logins of other identities, which may have been throttled.
    await engine.rest()
    // In milliseconds since the epoch.
    const clockStart = performance.timeOrigin + performance.now() - clock()
    // When the run sent requests other than those of probes, on the clock of all probes.
    const earlier = run.budget.admittedAt.map((at) => at - clockStart)
    await wait(
      waitAfterLoginMs(step, earlier, engine),
      'so that short windows no longer count the requests of the login',
    )
    const freshMs = freshness.waitMs(step, engine)
    // Undefined: the limiter recovers too late or at an unknown time, so the probe does not wait.
    const startsFresh = freshMs !== undefined
    await wait(freshMs ?? 0, 'until the limit has fully recovered')
    // The times of the probe, and its chart, start after these waits.
    start = { startedAt: new Date(), from: clock() }
    const command = stepCommand(run.target, step)
    const findings = await probe(
      new ProbeContext({ engine, source, signal, earlier, startsFresh, phase, command }),
    )
    const mayBeIncomplete = engine.isStoppedEarly || elsewhere?.isStoppedEarly || shots.length === 0
    return resultOf(
      sent(),
      mayBeIncomplete ? dropUnprovenObservations(findings, shots) : findings,
      engine.ended,
    )
  } catch (error) {
    return failed(sent(), error, signal)
  } finally {
    await Promise.all([engine.close(), elsewhere?.close()])
  }
}

/** @param localAddress source address, if the machine has several */
function engineAt(
  localAddress: string | undefined,
  shots: Shot[],
  guard: LoadGuard,
  { run, observer, signal, clock }: Probing,
): Engine {
  const { proxy } = run.target
  return new Engine({
    guard,
    now: clock,
    signal,
    timeoutMs,
    shots,
    onShot: (shot) => observer.progress.shot(shot, guard),
    onThrottled: (request, response, shot) => observer.throttled(request, response, shot),
    ...(proxy && { proxy }),
    ...(localAddress !== undefined && { localAddress }),
  })
}

async function probeFunctionOf(
  { probe, endpoint }: Step,
  { rate }: Workload,
  run: RunContext,
  engine: Engine,
  elsewhere: Engine | undefined,
): Promise<Probe> {
  if (probe === 'dimension') return dimension(await otherIdentities(endpoint, run, engine, elsewhere))
  if (probe === 'hold') return hold(rate)
  return { anatomy, ramp, limiter, recovery, capacity }[
    probe satisfies Exclude<ProbeName, 'dimension' | 'hold'>
  ]
}

/**
 * Drops the observations of a probe that ended early without a refused request: it may not have reached the limit.
 * For the probe `limiter`, other statuses than 429 may be refusals too.
 */
export function dropUnprovenObservations(findings: Findings, shots: readonly Shot[]): Findings {
  if (shots.length === 0) return { finding: 'no request was sent', observations: {} }
  const isRefused = findings.limiter ? (shot: Shot) => isRefusedByLimiter(shot, shots[0]) : is429
  return shots.some(isRefused) ? findings : { ...findings, observations: {} }
}

/** Converts `windowStart` from the clock of all probes to milliseconds since the probe began to send. */
function relativeTo(from: number, found: Characterisation): Characterisation {
  if (found.result !== 'identified' || found.windowStart === undefined) return found
  return { ...found, windowStart: found.windowStart - from }
}

interface SentByStep {
  readonly step: Step
  readonly startedAt: Date
  /** The start of the probe, on the clock of all probes. */
  readonly from: number
  /** On the clock of all probes. */
  readonly shots: readonly Shot[]
  /** Requests and reconnects. */
  readonly requests: number
}

/** The result of a probe that failed to start or to continue. @throws if the error is a defect */
function failed(sent: SentByStep, error: unknown, signal: AbortSignal): ProbeResult {
  const obstacle = signal.aborted ? new Inconclusive('the probe was interrupted') : error
  const reason = reasonText(obstacleOf(obstacle))
  const ended = `the probe could not ${sent.shots.length === 0 ? 'start' : 'continue'}: ${reason}`
  return resultOf(sent, { finding: 'no result', observations: {} }, ended)
}

function resultOf(sent: SentByStep, findings: Findings, ended: string | undefined): ProbeResult {
  const { startedAt, from, requests } = sent
  const { probe, endpoint } = sent.step
  const shots = sent.shots.map((shot) => shotSince(from, shot))
  return {
    probe,
    endpoint,
    startedAt: startedAt.toISOString(),
    finding: findings.finding,
    ...(findings.headline !== undefined && { headline: findings.headline }),
    ended: ended ?? null,
    requests,
    shots,
    waits: waitsOf(shots),
    stages: (findings.stages ?? []).map((stage) => ({
      ...stage,
      from: stage.from - from,
      until: stage.until - from,
    })),
    observations: limitObservations(endpoint, probe, findings.observations),
    ...(findings.limiter && { limiter: relativeTo(from, findings.limiter) }),
  }
}
