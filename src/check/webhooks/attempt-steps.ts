import { setTimeout as sleep } from 'node:timers/promises'
import { canonical } from '../../event-hub/event.ts'
import { advanceClock } from '../../webhook/clock.ts'
import { attemptTimes, type LaterAttempt, lastAttempt, longAfter } from '../../webhook/schedule.ts'
import type { CheckContext } from '../context.ts'
import { describe } from '../expect.ts'
import type { RunContext } from '../run-context.ts'
import { Inconclusive, NotApplicable } from '../verdict.ts'
import { failing, type TargetName } from './receivers.ts'
import { type Arrival, idOf } from './registry.ts'
import { type Scenario, scenarioOf } from './scenario.ts'

/** Slots of the log of arrivals around the time of an attempt. */
interface AttemptSlots {
  /** Too early for it. */
  readonly early: number
  /** The time in which it has to come. */
  readonly due: number
}

const attemptIds = {
  2: 'WEBHOOK-RETRY-SECOND',
  3: 'WEBHOOK-RETRY-THIRD',
  4: 'WEBHOOK-RETRY-FOURTH',
  5: 'WEBHOOK-RETRY-FIFTH',
} as const satisfies Readonly<Record<LaterAttempt, string>>

/** Steps with the attempts after the first (planned): time goes on until they are due, and they are counted. */
export class AttemptSteps {
  readonly #run: RunContext
  readonly #context: CheckContext

  constructor(run: RunContext, context: CheckContext) {
    this.#run = run
    this.#context = context
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

  /**
   * Deliveries that came too early for an attempt, and in its time, to those who fail. Whichever of these fails in
   * a way that is not tried again is a matter of its own.
   * @throws {Inconclusive} where an attempt before it did not come in its time, from which others may be counted
   */
  async made(attempt: LaterAttempt): Promise<{ readonly early: number; readonly due: number }> {
    await this.#failed()
    if (attempt > 2) await this.cameInTime((attempt - 1) as LaterAttempt)
    const { early, due } = await this.reached(attempt)
    const arrivals = await this.#failed()
    const inSlot = (wanted: number) => arrivals.filter(({ slot }) => slot === wanted).length
    return { early: inSlot(early), due: inSlot(due) }
  }

  /** @throws {Inconclusive} where an attempt, or one before it, did not come in its time */
  async cameInTime(attempt: LaterAttempt): Promise<void> {
    const { early, due } = await this.made(attempt)
    if (early === 0 && due > 0) return
    throw new Inconclusive(`attempt ${attempt} did not come in its time`, {
      dependsOn: [attemptIds[attempt]],
    })
  }

  /** How many of the five attempts came in their time to one target. */
  async inTime(name: TargetName): Promise<number> {
    await this.reached(lastAttempt)
    const later = await Promise.all(([2, 3, 4, 5] as const).map((attempt) => this.reached(attempt)))
    const slots = new Set((await this.#context.deliveries.to(name)).map(({ slot }) => slot))
    return [0, ...later.map(({ due }) => due)].filter((slot) => slots.has(slot)).length
  }

  /** How often events came to those who fail: at most to one of them, for each time that it came at first. */
  async most(): Promise<number> {
    const counts = await Promise.all(
      failing.map(async (name) => {
        const arrivals = await this.#context.deliveries.to(name)
        const first = arrivals.filter(({ slot }) => slot === 0).length
        return first === 0 ? 0 : arrivals.length / first
      }),
    )
    return Math.max(...counts)
  }

  /** Attempts after the first, to whoever got any, and how many of them carry something else than the first did. */
  async repetitions(): Promise<{ readonly repeated: number; readonly strange: number }> {
    let [repeated, strange] = [0, 0]
    for (const name of failing) {
      const arrivals = await this.#context.deliveries.to(name)
      const first = new Set(arrivals.filter(({ slot }) => slot === 0).map(contentOf))
      const later = arrivals.filter(({ slot }) => slot > 0)
      repeated += later.length
      strange += later.filter((arrival) => !first.has(contentOf(arrival))).length
    }
    return { repeated, strange }
  }

  /** How many events that were delivered in vain the Event Hub has. */
  async failedInHub(): Promise<{ readonly wanted: number; readonly found: number }> {
    const vain = await this.#context.deliveries.cameTo('always failing')
    const ids = new Set(vain.flatMap((arrival) => idOf(arrival) ?? []))
    const { change, startedAt } = await this.#scenario()
    const events = await this.#context.readings.around(change.saved.from, this.#run.targetTime(startedAt))
    const held = new Set(events.map(({ members }) => members.id))
    return { wanted: ids.size, found: [...ids].filter((id) => held.has(id)).length }
  }

  /** Every delivery so far to those who fail. @throws {Inconclusive} where there was none at first */
  async #failed(): Promise<readonly Arrival[]> {
    const arrivals = (await Promise.all(failing.map((name) => this.#context.deliveries.to(name)))).flat()
    if (arrivals.some(({ slot }) => slot === 0)) return arrivals
    throw new Inconclusive('nothing was delivered to those who fail', {
      dependsOn: ['WEBHOOK-DELIVERY-POST'],
    })
  }

  /** @throws {NotApplicable} with what would let the time come */
  #timeCanCome(attempt: LaterAttempt): void {
    const { webhookClockUrl, allowedEffects } = this.#run.target
    if (webhookClockUrl !== undefined) return
    if (attempt > 2) {
      throw new NotApplicable(
        `attempt ${attempt} comes ${Math.ceil(attemptTimes[attempt].notAfter / 60)} minutes after the first at the latest, longer than a run waits; WEBHOOK_CLOCK_URL would let it come sooner`,
      )
    }
    if (!allowedEffects.includes('slow')) {
      throw new NotApplicable(
        `the second attempt takes up to ${attemptTimes[2].notAfter} s; WEBHOOK_CLOCK_URL would let it come sooner, and ENABLE=slow lets the run wait`,
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
      throw new Inconclusive(
        `the clock could not be moved: it was answered ${describe(response)}; check WEBHOOK_CLOCK_URL`,
        'configuration',
      )
    }
    scenario.advanced += more
    return slot
  }

  #scenario(): Promise<Scenario> {
    return scenarioOf(this.#run, this.#context)
  }
}

/** The event of a delivery, however it is written; the bytes where they are no event. */
function contentOf({ event, delivery }: Arrival): string {
  return event ? canonical(event) : delivery.body.toString('latin1')
}
