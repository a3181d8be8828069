import { setTimeout as sleep } from 'node:timers/promises'
import { describe } from '../../src/check/expect.ts'
import type { RunContext } from '../../src/check/run-context.ts'
import { Inconclusive, NotApplicable } from '../../src/check/verdict.ts'
import { advanceClock } from '../../src/webhook/clock.ts'
import { attemptTimes, type LaterAttempt, lastAttempt, longAfter } from '../../src/webhook/schedule.ts'
import type { Scenario } from './scenario.ts'

/** Slots of the log of arrivals around the time of an attempt. */
interface AttemptSlots {
  /** Too early for it. */
  readonly early: number
  /** The time in which it has to come. */
  readonly due: number
}

/** The clock of deliveries (planned): it is moved, or waited for, until later attempts are due. */
export class RetryClock {
  readonly #run: RunContext
  readonly #scenario: () => Promise<Scenario>

  constructor(run: RunContext, scenario: () => Promise<Scenario>) {
    this.#run = run
    this.#scenario = scenario
  }

  /**
   * Moves the clock of deliveries, or waits, past the time of an attempt, and of all before it.
   * @throws {NotApplicable} where the time cannot come
   */
  async reached(attempt: LaterAttempt): Promise<AttemptSlots> {
    const scenario = await this.#scenario()
    if (attempt > 2) await this.reached((attempt - 1) as LaterAttempt)
    this.#timeCanCome(attempt)
    return this.#run.shared(`webhook attempt ${attempt}`, async () => {
      const { notBefore, notAfter } = attemptTimes[attempt]
      const early = await this.#moveTo(scenario, notBefore)
      const due = await this.#moveTo(scenario, notAfter)
      return { early, due }
    })
  }

  /** Moves the clock a day past the last attempt. */
  async exhausted(): Promise<void> {
    const scenario = await this.#scenario()
    await this.reached(lastAttempt)
    await this.#run.shared('webhook attempts exhausted', () =>
      this.#moveTo(scenario, attemptTimes[lastAttempt].notAfter + longAfter),
    )
  }

  /** Moves the clock as far as this target allows, at least past the second attempt. */
  async latest(): Promise<void> {
    if (this.#run.target.webhookClockUrl === undefined) await this.reached(2)
    else await this.exhausted()
  }

  /** @throws {NotApplicable} with what would let the time come */
  #timeCanCome(attempt: LaterAttempt): void {
    const { webhookClockUrl, allowedEffects } = this.#run.target
    if (webhookClockUrl !== undefined) return
    if (attempt > 2) {
      throw new NotApplicable(
        `attempt ${attempt} is up to ${Math.ceil(attemptTimes[attempt].notAfter / 60)} minutes after the first, longer than a run waits; WEBHOOK_CLOCK_URL makes it sooner`,
      )
    }
    if (!allowedEffects.includes('slow')) {
      throw new NotApplicable(
        `the second attempt takes up to ${attemptTimes[2].notAfter} s; WEBHOOK_CLOCK_URL makes it sooner, and ENABLE=slow lets the run wait`,
      )
    }
  }

  /** @returns the slot that lasts from where time was to where it is then */
  async #moveTo(scenario: Scenario, seconds: number): Promise<number> {
    const { registry } = scenario
    const { webhookClockUrl } = this.#run.target
    const elapsed = (Date.now() - scenario.startedAt) / 1000 + scenario.advanced
    const more = Math.max(0, Math.ceil(seconds - elapsed))
    registry.slot += 1
    const { slot } = registry
    if (webhookClockUrl === undefined) {
      await sleep(more * 1000)
      return slot
    }
    const response = await advanceClock(this.#run.http, webhookClockUrl, more)
    if (response.status !== 200) {
      throw new Inconclusive(`the clock cannot be moved: the response was ${describe(response)}`, {
        variables: ['WEBHOOK_CLOCK_URL'],
      })
    }
    scenario.advanced += more
    return slot
  }
}
