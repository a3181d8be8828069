import type { EndpointName } from '../endpoints.ts'
import type { Engine, Sent } from '../engine/engine.ts'
import { type Pace, type Paced, paced } from '../engine/pacer.ts'
import { pause } from '../engine/pause.ts'
import type { Shot, Source } from '../engine/shot.ts'
import type { Characterisation } from '../limiter/index.ts'
import { isAccepted, outcomeOf } from '../output/outcome.ts'
import type { ObservedValue, ProbeName, Span } from '../result.ts'

/** What a probe found, beside the shots that the engine kept. */
export interface Findings {
  /** One sentence. */
  readonly finding: string
  readonly stages?: readonly (Span & { readonly ratePerSecond: number })[]
  /** By key, without the prefix that probes of this endpoint share. */
  readonly observations: Readonly<Record<string, ObservedValue>>
  readonly limiter?: Characterisation
}

/** One way to ask an endpoint about its limits. */
export interface Probe {
  readonly name: ProbeName
  /** What it answers, for people. */
  readonly question: string
  run(bench: Bench): Promise<Findings>
}

interface BenchOptions {
  readonly endpoint: EndpointName
  readonly engine: Engine
  readonly source: Source
  readonly signal: AbortSignal
  readonly before?: number
  readonly onPhase?: (text: string) => void
}

/** What a probe works with: one endpoint, the engine that sends, and its share of the budget. */
export class Bench {
  readonly endpoint: EndpointName
  readonly engine: Engine
  readonly source: Source
  readonly signal: AbortSignal
  /** Requests in any second at most (LOAD_MAX_RATE). */
  readonly maxRate: number
  /** Requests that the run had sent before its probes. */
  readonly before: number

  readonly #onPhase: ((text: string) => void) | undefined

  constructor({ endpoint, engine, source, signal, before = 0, onPhase }: BenchOptions) {
    this.endpoint = endpoint
    this.engine = engine
    this.source = source
    this.signal = signal
    this.before = before
    this.maxRate = engine.guard.caps.maxRate
    this.#onPhase = onPhase
  }

  /** Says what the probe does from now on, in a few words, to who watches it. */
  phase(text: string): void {
    this.#onPhase?.(text)
  }

  /** Requests that are left for this probe. */
  get remaining(): number {
    return this.engine.guard.remaining
  }

  /**
   * Sends one request and waits for what becomes of it; after a 429 it waits as long as it is asked to first.
   * @param intendedAt not before, in milliseconds since the probe began; at once by default
   * @returns undefined where the budget is spent or the probe has ended
   */
  async one(intendedAt: number = this.engine.now()): Promise<Sent | undefined> {
    const request = this.source.next()
    if (!request) return undefined
    await pause(intendedAt - this.engine.now(), this.signal)
    const sent = await this.engine.send(request, { intendedAt, patient: true })
    this.source.learn(request, sent?.answer)
    return sent
  }

  /** One request after another, as fast as answers come and LOAD_MAX_RATE allows, until one is throttled. */
  async untilThrottled(most: number = this.remaining): Promise<{ admitted: number; last: Sent | undefined }> {
    let last: Sent | undefined
    for (let admitted = 0; admitted < most; admitted += 1) {
      const sent = await this.one()
      if (!sent) return { admitted, last }
      last = sent
      if (sent.shot.status === 429) return { admitted, last }
    }
    return { admitted: most, last }
  }

  /**
   * Whether a request was let through: 2xx or 3xx, or what the first request was answered already. A 403 after a hundred
   * times 200 may well be another way to throttle.
   */
  wasLetThrough(shot: Shot): boolean {
    const [first] = this.engine.shots
    return isAccepted(shot) || (outcomeOf(shot) === 'client-error' && shot.status === first?.status)
  }

  /** How many shots were neither throttled nor let through, in words; undefined where none was. */
  otherwise(shots: readonly Shot[]): string | undefined {
    const odd = shots.filter(
      (shot) => shot.status !== undefined && shot.status !== 429 && !this.wasLetThrough(shot),
    )
    if (odd.length === 0) return undefined
    const statuses = [...new Set(odd.map(({ status }) => status))].join(', ')
    return `${odd.length} of ${shots.length} were answered otherwise than at first (${statuses}): that may be throttling, too`
  }

  /** Requests at a constant rate, until the schedule ends or `goOn` says so. */
  paced(pace: Pace, goOn: (shot: Shot) => boolean): Promise<Paced> {
    return paced(this.engine, pace, this.source, goOn, this.signal)
  }
}
