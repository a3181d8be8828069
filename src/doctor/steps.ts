import { type Finding, finding, type Topic } from './finding.ts'
import { troubleOf } from './troubles.ts'

/** The steps of an examination, which rest on each other, and what they found. */
export class Steps {
  readonly #found: Finding[] = []
  readonly #onFinding: (finding: Finding) => void
  readonly #signal: AbortSignal | undefined

  /**
   * @param onFinding hears of each finding as it is made
   * @param signal when it is aborted, no further step is taken
   */
  constructor(onFinding: (finding: Finding) => void, signal: AbortSignal | undefined) {
    this.#onFinding = onFinding
    this.#signal = signal
  }

  /**
   * Looks at a topic; what keeps it from its end is a finding.
   * @param variables those that it rests on, where an error names none
   * @param after topics without which it is not tried
   */
  async take(
    topic: Topic,
    variables: readonly string[],
    after: readonly Topic[],
    look: () => Promise<Finding | readonly Finding[]>,
  ): Promise<void> {
    if (this.#signal?.aborted) return
    const missing = after.find((other) => !this.#isWell(other))
    if (missing !== undefined) return this.skip(topic, `${missing} comes first`)
    try {
      this.tell([await look()].flat())
    } catch (error) {
      if (this.#signal?.aborted) return
      this.tell(troubleOf(topic, error, variables))
    }
  }

  /** @param since why a topic is not looked at */
  skip(topic: Topic, since: string): void {
    this.tell([finding(topic, 'skipped', `not tried, since ${since}`)])
  }

  tell(found: readonly Finding[]): void {
    this.#found.push(...found)
    found.forEach(this.#onFinding)
  }

  /** Whether a topic was looked at and nothing is wrong with it. */
  #isWell(topic: Topic): boolean {
    const severities = this.#found.filter((one) => one.topic === topic).map(({ severity }) => severity)
    return (
      severities.some((severity) => severity !== 'skipped') &&
      !severities.some((severity) => severity === 'error' || severity === 'unanswered')
    )
  }
}
