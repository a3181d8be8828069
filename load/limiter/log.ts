import type { Experiment, Limits } from './characterise.ts'
import type { Observation } from './observation.ts'
import type { Surroundings } from './starts.ts'

/** What was asked and answered, and how much more may be. */
export class Log {
  /** Those of before, and then what was asked. */
  readonly observations: Observation[]
  readonly #earlier: number
  readonly #experiment: Experiment
  readonly #limits: Limits
  readonly #startedAt: number
  #ended = false
  /** Longest wait that was asked for and was more than the time left, in milliseconds. */
  refusedWaitMs: number | undefined

  constructor(experiment: Experiment, limits: Limits) {
    this.#experiment = experiment
    this.#limits = limits
    this.#startedAt = experiment.now()
    this.observations = [...(experiment.earlier ?? [])]
    this.#earlier = this.observations.length
  }

  get asked(): readonly Observation[] {
    return this.observations.slice(this.#earlier)
  }

  get last(): Observation | undefined {
    return this.observations.at(-1)
  }

  get elapsedMs(): number {
    return this.#experiment.now() - this.#startedAt
  }

  /** How long the last refusals in a row last, the promise of a Retry-After included (milliseconds). */
  get refusedMs(): number {
    const { last } = this
    if (last?.outcome !== 'throttled') return 0
    const first =
      this.observations[this.observations.findLastIndex(({ outcome }) => outcome !== 'throttled') + 1]
    return last.endedAt + (last.retryAfterMs ?? 0) - (first?.endedAt ?? last.endedAt)
  }

  /** Whether the experiment has nothing left to ask with. */
  get over(): boolean {
    return (
      this.#ended || this.asked.length >= this.#limits.maxRequests || this.elapsedMs >= this.#limits.maxMs
    )
  }

  /** Asks once, not before `at`. undefined: the budget does not allow it, or the probe was ended. */
  async ask(at: number): Promise<Observation | undefined> {
    const when = Math.max(at, this.#earliest())
    if (when - this.#startedAt > this.#limits.maxMs) {
      this.#ended = true
      this.refusedWaitMs = when - this.#experiment.now()
      return undefined
    }
    const answer = await this.#experiment.ask(when)
    if (answer === undefined) this.#ended = true
    else this.observations.push(answer)
    return answer
  }

  /** The next request at the earliest: now, or when the last Retry-After is over. */
  #earliest(): number {
    const { last } = this
    const after = last?.retryAfterMs === undefined ? 0 : last.endedAt + last.retryAfterMs
    return Math.max(this.#experiment.now(), after)
  }

  /** What plans are made with. */
  surroundings(): Surroundings {
    const times = this.asked.map(({ sentAt, endedAt }) => endedAt - sentAt).sort((a, b) => a - b)
    return {
      earliest: this.#earliest(),
      serviceMs: Math.max(1, times[Math.floor(times.length / 2)] ?? 1),
      requestsLeft: this.#limits.maxRequests - this.asked.length,
      msLeft: Math.max(1, this.#limits.maxMs - this.elapsedMs),
    }
  }
}
