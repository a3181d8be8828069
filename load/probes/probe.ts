import type { Observation } from '../../src/check/result.ts'
import type { Engine, Sent } from '../engine/engine.ts'
import { type Paced, paced, type Schedule } from '../engine/pacer.ts'
import { is429, type Shot, type Source } from '../engine/shot.ts'
import { pause } from '../engine/timing.ts'
import type { Characterisation } from '../limiter/index.ts'
import { isAccepted, shotOutcome, statusesOf } from '../output/outcome.ts'
import type { Stage } from '../result.ts'

/** The findings of a probe. Its shots (sent requests and their outcomes) are in its engine. */
export interface Findings {
  /** The result, in one or more sentences. */
  readonly finding: string
  /** A title for a long finding. */
  readonly headline?: string
  readonly stages?: readonly Stage[]
  /** Values by the last part of their key, such as `rate` for `limits.token.hold.rate`. */
  readonly observations: Readonly<Record<string, Observation['value']>>
  readonly limiter?: Characterisation
}

/** Joins clauses to a finding. The first clause is also the title. */
export function findingOf(
  headline: string,
  ...details: readonly string[]
): Pick<Findings, 'finding' | 'headline'> {
  return { finding: [headline, ...details].join('; '), headline }
}

/** Answers one question about the limits of an endpoint. */
export type Probe = (context: ProbeContext) => Promise<Findings>

type ProbeContextOptions = Pick<ProbeContext, 'engine' | 'source' | 'signal'> &
  Partial<Pick<ProbeContext, 'earlier' | 'startsFresh' | 'phase' | 'command'>>

/** The API of probes: requests of one endpoint, and the engine that sends them. */
export class ProbeContext {
  readonly engine: Engine
  readonly source: Source
  readonly signal: AbortSignal
  /** When the run sent other requests than probes, such as logins, in milliseconds on the clock of the engine. */
  readonly earlier: readonly number[]
  /** Whether the limiter counts no requests of earlier probes. True if the probe gives the same result either way. */
  readonly startsFresh: boolean
  readonly phase: (text: string) => void
  /** The command that runs this probe alone. */
  readonly command: string

  constructor({
    engine,
    source,
    signal,
    earlier = [],
    startsFresh = true,
    phase = () => undefined,
    command = 'npx plumbline probe',
  }: ProbeContextOptions) {
    this.engine = engine
    this.source = source
    this.signal = signal
    this.earlier = earlier
    this.startsFresh = startsFresh
    this.phase = phase
    this.command = command
  }

  /** A note for findings: earlier probes may have caused a 429. Empty if the limiter was fresh at the start. */
  get unfreshNotes(): string[] {
    return this.startsFresh
      ? []
      : ['the limiter was in an unknown state at the start, since requests of earlier probes may count']
  }

  /** Largest number of requests in any second (LOAD_MAX_RATE). */
  get maxRate(): number {
    return this.engine.guard.caps.maxRate
  }

  get remaining(): number {
    return this.engine.guard.remaining
  }

  /**
   * Waits for Retry-After, sends one request, and waits for its outcome.
   * @param intendedAt earliest start, in milliseconds on the clock of the engine; by default now
   * @returns undefined if the probe has ended, or has no request to send
   */
  async sendOne(intendedAt: number = this.engine.now()): Promise<Sent | undefined> {
    const request = this.source.next()
    if (!request) return undefined
    // A timer may fire a little early, so this looks at the clock again.
    while (this.engine.now() < intendedAt && !this.signal.aborted)
      await pause(Math.ceil(intendedAt - this.engine.now()), this.signal)
    const sent = await this.engine.send(request, { intendedAt, patient: true })
    this.source.learn?.(request, sent?.response)
    return sent
  }

  /** Sends one request after another, as fast as responses and LOAD_MAX_RATE allow, until the first 429. */
  async until429(): Promise<{ sentBefore429: number; last: Sent | undefined }> {
    const most = this.remaining
    let last: Sent | undefined
    let sentBefore429 = 0
    for (; sentBefore429 < most; sentBefore429 += 1) {
      const sent = await this.sendOne()
      last = sent ?? last
      if (!sent || is429(sent.shot)) break
    }
    return { sentBefore429, last }
  }

  /**
   * Whether the limiter admitted a request: 2xx or 3xx, or the same 4xx as the first response. Another 4xx may be
   * throttling, such as a 403 after a hundred 200s.
   */
  wasAdmitted(shot: Shot): boolean {
    const [first] = this.engine.shots
    return isAccepted(shot) || (shotOutcome(shot) === 'client-error' && shot.status === first?.status)
  }

  /** Describes responses that are neither 429 nor admitted; undefined if there are none. */
  differing(shots: readonly Shot[]): string | undefined {
    const odd = shots.filter((shot) => shot.status !== undefined && !is429(shot) && !this.wasAdmitted(shot))
    if (odd.length === 0) return undefined
    return `${odd.length} of ${shots.length} responses ${odd.length === 1 ? 'differs' : 'differ'} from the first one (status ${statusesOf(odd)}): this may be throttling too`
  }

  /** Sends requests at a constant arrival rate, until the schedule ends or `goOn` returns false. */
  paced(schedule: Schedule, goOn: (shot: Shot) => boolean): Promise<Paced> {
    return paced(this.engine, schedule, this.source, goOn, this.signal)
  }
}
