import type { CheckContext } from '../../src/check/fixtures.ts'
import { RunSteps } from '../../src/check/run-steps.ts'
import { Inconclusive } from '../../src/check/verdict.ts'
import { failing, type ReceiverName } from '../../src/check/webhooks/receivers.ts'
import { type Arrival, idOf } from '../../src/check/webhooks/registry.ts'
import { canonical } from '../../src/event-hub/event.ts'
import { attemptTimes, type LaterAttempt, lastAttempt } from '../../src/webhook/schedule.ts'
import { attemptsByEvent, type EventAttempts, isRetried, startOf, timesOf } from './attempts-by-event.ts'
import type { DeliverySteps } from './delivery-steps.ts'
import type { RetryClock } from './retry-clock.ts'
import type { Scenario } from './scenario.ts'

const attemptIds = {
  2: 'WEBHOOK-RETRY-SECOND',
  3: 'WEBHOOK-RETRY-THIRD',
  4: 'WEBHOOK-RETRY-FOURTH',
  5: 'WEBHOOK-RETRY-FIFTH',
} as const satisfies Readonly<Record<LaterAttempt, string>>

interface Steps extends CheckContext {
  readonly scenario: () => Promise<Scenario>
  readonly clock: RetryClock
  readonly deliveries: DeliverySteps
}

/** First attempts at one event within this many seconds count as simultaneous, whatever their targets. */
const simultaneous = 5

/** Steps that wait until later attempts (planned) are due, and count these attempts. */
export class AttemptSteps extends RunSteps<Steps> {
  /**
   * Number of deliveries to failing receivers before an attempt was due (`early`), and on schedule (`due`). Other
   * checks judge deliveries that are not retried.
   * @throws {Inconclusive} if an earlier attempt was not on schedule, because later delays may count from it
   */
  async made(attempt: LaterAttempt): Promise<{ readonly early: number; readonly due: number }> {
    await this.#failed()
    if (attempt > 2) await this.requireOnSchedule((attempt - 1) as LaterAttempt)
    const { early, due } = await this.steps.clock.advancePast(attempt)
    const arrivals = await this.#failed()
    const inSlot = (wanted: number) => arrivals.filter(({ slot }) => slot === wanted).length
    return { early: inSlot(early), due: inSlot(due) }
  }

  /** @throws {Inconclusive} if this attempt or an earlier attempt was not on schedule */
  async requireOnSchedule(attempt: LaterAttempt): Promise<void> {
    const { early, due } = await this.made(attempt)
    if (early === 0 && due > 0) return
    throw new Inconclusive(`attempt ${attempt} was not on schedule`, [attemptIds[attempt]])
  }

  /**
   * Number of events whose second attempt to one target was already due (`events`), and how many of these had no second
   * attempt (`without`). The clock must be past the second attempt.
   */
  async withoutRetry(name: ReceiverName): Promise<{ readonly events: number; readonly without: number }> {
    const { advanced } = await this.steps.scenario()
    const elapsed = (start: number) => (Date.now() - start) / 1000 + advanced
    const judged = (await this.#byEvent(name)).filter(
      (attempts) => elapsed(startOf(attempts)) >= attemptTimes[2].notAfter - simultaneous,
    )
    return { events: judged.length, without: judged.filter((attempts) => !isRetried(attempts)).length }
  }

  /** For each event that one target received, the number of attempts at different times. */
  async counts(name: ReceiverName): Promise<readonly number[]> {
    await this.steps.clock.advancePast(lastAttempt)
    return (await this.#byEvent(name)).map(timesOf)
  }

  /** The maximum number of attempts at one event at one failing receiver, per first attempt. */
  async maxAttempts(): Promise<number> {
    const attempts = (await Promise.all(failing.map((name) => this.#byEvent(name)))).flat()
    return Math.max(0, ...attempts.map(({ own, first }) => own.length / first.length))
  }

  async #byEvent(name: ReceiverName): Promise<readonly EventAttempts[]> {
    return attemptsByEvent(await this.steps.deliveries.to(name))
  }

  /** Number of retries to all failing targets, and how many of these retries differ from every first attempt. */
  async repetitions(): Promise<{ readonly retries: number; readonly differing: number }> {
    let [retries, differing] = [0, 0]
    for (const name of failing) {
      const arrivals = await this.steps.deliveries.to(name)
      const first = new Set(arrivals.filter(({ slot }) => slot === 0).map(contentOf))
      const later = arrivals.filter(({ slot }) => slot > 0)
      retries += later.length
      differing += later.filter((arrival) => !first.has(contentOf(arrival))).length
    }
    return { retries, differing }
  }

  /** Number of events without a successful delivery (`wanted`), and how many of these the Event Hub has (`found`). */
  async failedInHub(): Promise<{ readonly wanted: number; readonly found: number }> {
    const failed = await this.steps.deliveries.deliveredTo('always failing')
    const ids = new Set(failed.flatMap((arrival) => idOf(arrival) ?? []))
    const { change, startedAt } = await this.steps.scenario()
    const events = await this.steps.readings.around(change.saved.from, this.run.targetTime(startedAt))
    const idsInHub = new Set(events.map(({ members }) => members.id))
    return { wanted: ids.size, found: [...ids].filter((id) => idsInHub.has(id)).length }
  }

  /**
   * Every delivery to failing receivers so far.
   * @throws {Inconclusive} if there was no first delivery
   */
  async #failed(): Promise<readonly Arrival[]> {
    const arrivals = (await Promise.all(failing.map((name) => this.steps.deliveries.to(name)))).flat()
    if (arrivals.some(({ slot }) => slot === 0)) return arrivals
    throw new Inconclusive('nothing was delivered to the failing targets', ['WEBHOOK-DELIVERY-POST'])
  }
}

/** The event of a delivery, independent of its JSON form; the body if it is not an event. */
function contentOf({ event, delivery }: Arrival): string {
  return event ? canonical(event) : delivery.body.toString('latin1')
}
