import { describe } from '../../src/check/expect.ts'
import { RunSteps } from '../../src/check/run-steps.ts'
import { Inconclusive, NotApplicable } from '../../src/check/verdict.ts'
import {
  advanceClock,
  attemptTimes,
  endOfScheduleSeconds,
  type LaterAttempt,
  lastAttempt,
} from '../../src/webhook/schedule.ts'
import type { Scenario } from './scenario.ts'

/**
 * Two slots around the time of an attempt. A slot is a period between two moves of the clock, and its number marks each
 * arrival in it.
 */
interface AttemptSlots {
  /** Slot before the attempt is due. */
  readonly early: number
  /** Slot in which the attempt is on schedule. */
  readonly due: number
}

/** The clock of deliveries (planned). Plumbline advances it, or waits, until later attempts are due. */
export class RetryClock extends RunSteps<{ readonly scenario: () => Promise<Scenario> }> {
  /**
   * Advances the clock of deliveries, or waits, past the times of an attempt and of all earlier attempts.
   * @throws {NotApplicable} if that time cannot be reached
   */
  async advancePast(attempt: LaterAttempt): Promise<AttemptSlots> {
    const scenario = await this.steps.scenario()
    if (attempt > 2) await this.advancePast((attempt - 1) as LaterAttempt)
    this.#requireReachable(attempt)
    return this.run.once([this.advancePast, attempt], async () => {
      const { notBefore, notAfter } = attemptTimes[attempt]
      const early = await this.#moveTo(scenario, notBefore)
      const due = await this.#moveTo(scenario, notAfter)
      return { early, due }
    })
  }

  /** Advances the clock to one day after the last attempt. */
  async advancePastAll(): Promise<void> {
    const scenario = await this.steps.scenario()
    await this.advancePast(lastAttempt)
    await this.run.once(this.advancePastAll, () =>
      this.#moveTo(scenario, attemptTimes[lastAttempt].notAfter + endOfScheduleSeconds),
    )
  }

  /** Advances the clock as far as this target allows, at least past the second attempt. */
  async advanceAsAllowed(): Promise<void> {
    if (this.run.target.webhookClockUrl === undefined) await this.advancePast(2)
    else await this.advancePastAll()
  }

  /** @throws {NotApplicable} with the setting that makes the time reachable */
  #requireReachable(attempt: LaterAttempt): void {
    const { webhookClockUrl, allowedEffects } = this.run.target
    if (webhookClockUrl !== undefined) return
    if (attempt > 2) {
      throw new NotApplicable(
        `attempt ${attempt} is up to ${Math.ceil(attemptTimes[attempt].notAfter / 60)} minutes after the first, longer than a run waits; set WEBHOOK_CLOCK_URL to advance the clock`,
      )
    }
    if (!allowedEffects.includes('slow')) {
      throw new NotApplicable(
        `the second attempt takes up to ${attemptTimes[2].notAfter} s; set WEBHOOK_CLOCK_URL to advance the clock, or add slow to ENABLE to wait`,
      )
    }
  }

  /**
   * Advances the clock, or waits, until `seconds` after the first delivery.
   * @returns the slot that ends at this time
   */
  async #moveTo(scenario: Scenario, seconds: number): Promise<number> {
    const { registry } = scenario
    const { webhookClockUrl } = this.run.target
    const elapsed = (Date.now() - scenario.startedAt) / 1000 + scenario.advanced
    const advanceSeconds = Math.max(0, Math.ceil(seconds - elapsed))
    registry.slot += 1
    const { slot } = registry
    if (webhookClockUrl === undefined) {
      await this.run.wait(advanceSeconds * 1000, 'for the next delivery attempt')
      return slot
    }
    const response = await advanceClock(this.run.http, webhookClockUrl, advanceSeconds)
    if (response.status !== 200) {
      throw new Inconclusive(`the clock cannot be moved: the response was ${describe(response)}`, {
        variables: ['WEBHOOK_CLOCK_URL'],
      })
    }
    scenario.advanced += advanceSeconds
    return slot
  }
}
