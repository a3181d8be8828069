import { setTimeout as sleep } from 'node:timers/promises'
import { type ClaimRecipe, loadClaimRecipe } from '../browser/claim-recipe.ts'
import type { ClaimPage } from '../browser/index.ts'
import { offsetBetween, offsetText, windowOver } from '../event-hub/clock-changes.ts'
import { type HubEvent, identityOf } from '../event-hub/event.ts'
import type { EventTimeZone } from '../event-hub/local-time.ts'
import { positionIn } from '../event-hub/window.ts'
import { applicationOf } from '../target/parts.ts'
import type { AuthorizationSteps } from './authorization/authorization-steps.ts'
import {
  type ClaimChange,
  changeEventOf,
  changeType,
  hasRestoration,
  hasSameSubscriber,
  isChangeOf,
  type NewEvents,
  subscriberOf,
} from './events/claim-change.ts'
import type { EventReadingSteps } from './events/reading-steps.ts'
import type { EventSearchSteps } from './events/search-steps.ts'
import type { CheckExecution } from './execution.ts'
import { unlessUndecided } from './obstacle.ts'
import { RunSteps } from './run-steps.ts'
import { TemporaryClaim, valuesOf, whileChanged } from './temporary-claim.ts'
import type { TokenSteps } from './tokens/token-steps.ts'
import { Inconclusive } from './verdict.ts'

/** Requests that a change, its restoration and the searches between them may need, with a reserve. */
const requestsNeeded = 30
/** Default deadline for the event, in seconds, if the recipe has none. */
const defaultWithinSeconds = 120
/** Pauses between searches for the event, in milliseconds: 250, 500, 1000 and so on, at most 15 000. */
const firstPauseMs = 250
const longestPauseMs = 15_000
/** Largest expected difference between the clocks of several machines, in milliseconds. */
const leewayMs = 60_000
/** Time to wait for the event of the restoration, beyond the time that the event of the change took, in milliseconds. */
const restorationGraceMs = 3000

/** The claim change of a run, and how checks recognise its events. */
export interface ClaimChangeMade extends ClaimChange {
  /** The change was saved between these times, in milliseconds since the epoch by the target's clock. */
  readonly saved: { readonly from: number; readonly until: number }
  /** The offset of the event from UTC in minutes, if it differs from EVENT_TIME_ZONE. */
  readonly actualOffset: number | undefined
  /** Whether the claim was changed back, which causes another event. */
  readonly wasRestored: boolean
  /** What to do by hand if the restoration failed. */
  readonly warning: string | undefined
}

interface Steps {
  readonly note: CheckExecution['note']
  readonly authorization: AuthorizationSteps
  readonly tokens: TokenSteps
  readonly events: EventSearchSteps
  readonly readings: EventReadingSteps
}

/** Changes a claim of the test user, restores it, and finds the events of the change and of the restoration. */
export class ClaimSteps extends RunSteps<Steps> {
  /**
   * Changes the claim as CLAIM_RECIPE describes, waits for the event of the change, and restores the claim; once per
   * run. A check that must act before the change registers that action with `RunContext.beforeClaimChange`. Events that
   * do not arrive in time are missing in the result.
   * @throws {Inconclusive} if the page is unusable
   */
  async change(): Promise<ClaimChangeMade> {
    const change = await this.run.once(this.change, () => this.#change())
    if (change.warning !== undefined) this.steps.note(change.warning)
    return change
  }

  /**
   * Reports a claim that was not restored. Checks call this at their end, so that a violation takes precedence.
   * @throws {Inconclusive} if the claim could not be restored
   */
  requireRestored({ warning }: ClaimChangeMade): void {
    if (warning !== undefined) throw new Inconclusive(warning, 'environment')
  }

  /** The event of the change. @throws {Inconclusive} if no event certainly belongs to the change */
  ownEvent(change: ClaimChangeMade): HubEvent {
    const event = changeEventOf(change)
    if (event) return event
    throw this.notFound(change)
  }

  /**
   * Requires the event of a restoration. Checks that need that event call this at their end. A missing event is no
   * violation, since the specification states no maximum delay.
   * @throws {Inconclusive} if no event of the restoration has the same subscriber as the event of the change
   */
  requireRestorationEvent(change: ClaimChangeMade): void {
    const { wasRestored, changed, restored } = change
    if (!wasRestored || hasRestoration(change)) return
    const waited = Math.round((restored.until - changed.until) / 1000)
    throw new Inconclusive(
      `the change of the claim has an event, but no event of its restoration with the same subscriber was found within ${waited} s`,
      {
        cause: 'environment',
        variables: ['CLAIM_RECIPE'],
        advice: 'if events take longer, set eventWithinSeconds in CLAIM_RECIPE',
      },
    )
  }

  /** The error for a check that needs the event of the change, if no such event was found. */
  notFound({ actualOffset, changed, saved }: ClaimChangeMade): Inconclusive {
    const { eventTimeZone } = this.run.target
    if (actualOffset !== undefined) {
      return new Inconclusive(
        `the time of the change event is in UTC${offsetText(actualOffset)}, but EVENT_TIME_ZONE is ${eventTimeZone}`,
        { variables: ['EVENT_TIME_ZONE'], advice: 'correct EVENT_TIME_ZONE' },
      )
    }
    const waited = Math.round((changed.until - saved.until) / 1000)
    return new Inconclusive(`no event of the changed claim was found within ${waited} s`, {
      cause: 'environment',
      variables: ['CLAIM_RECIPE'],
      advice:
        'check that the application receives the claim; if events take longer, set eventWithinSeconds in CLAIM_RECIPE',
    })
  }

  /**
   * The earliest and the latest time at which the target can have generated the events of the change, or of the change
   * and the restoration. Both are in milliseconds since the epoch by the target's clock, with a margin of 60 s for
   * clocks that differ.
   */
  madeBetween(
    { saved, ...change }: ClaimChangeMade,
    end: 'changed' | 'restored' = 'changed',
  ): { readonly from: number; readonly until: number } {
    return { from: saved.from - leewayMs, until: change[end].until + leewayMs }
  }

  async #change(): Promise<ClaimChangeMade> {
    const { target } = this.run
    const { recipe, page, subjects } = await this.#prepared()
    const deadlineMs = (recipe.eventWithinSeconds ?? defaultWithinSeconds) * 1000
    const claim = new TemporaryClaim(page, (present) => valuesOf(recipe, present))
    const startedAt = this.run.targetTime()
    const known = new Set((await this.#read(startedAt)).map(identityOf))
    // Restores the claim even if the run is interrupted.
    this.run.onClose(async () => {
      const { warning } = await claim.restore()
      if (warning !== undefined) console.error(warning)
    })

    const from = this.run.targetTime()
    const { outcome, warning, valueBefore } = await whileChanged(claim, async ({ own, other: value }) => {
      const until = this.run.targetTime()
      const changed = await this.#arrivals(startedAt, known, deadlineMs, (events) =>
        events.some((event) => isChangeOf(event, { subjects, value })),
      )
      return { until, changed, own, value }
    })
    const { until, changed, own, value } = outcome
    // If an earlier, interrupted run left the claim changed, both values are the normal one: this run only restores it.
    const isTemporary = value !== own
    if (changed.events.length === 0 && isTemporary && valueBefore === own) {
      throw new Inconclusive(
        'the page of CLAIM_RECIPE does not show the new value after save, so nothing was changed',
        {
          variables: ['CLAIM_RECIPE'],
          advice: 'correct `save` in CLAIM_RECIPE, or choose another value for `other`',
        },
      )
    }
    const wasRestored = warning === undefined && isTemporary
    const event = changeEventOf({ changed, subjects, value })
    const graceMs = changed.until - until + restorationGraceMs
    const withinMs = event ? Math.max(graceMs, deadlineMs) : graceMs
    const changeEvents = event ? [event] : changed.events
    const change = {
      claim: recipe.claim,
      value,
      subjects,
      application: applicationOf(target).id,
      changed,
      restored:
        wasRestored && changed.events.length > 0
          ? await this.#restorations(startedAt, known, changed, changeEvents, withinMs)
          : { events: [], until: changed.until },
      wasRestored,
      saved: { from, until },
      warning,
    }
    // If EVENT_TIME_ZONE is unknown, the search has covered all zones.
    const mayBeInOtherZone = subscriberOf(change) === 'unknown' && target.eventTimeZone !== 'unknown'
    return { ...change, actualOffset: mayBeInOtherZone ? await this.#offsetInOtherZone(change) : undefined }
  }

  /** The page that shows the claim to the signed-in user, after all preparations for a change. */
  async #prepared(): Promise<{ recipe: ClaimRecipe; page: ClaimPage; subjects: readonly string[] }> {
    const { target } = this.run
    if (target.claimRecipe === undefined || !target.allowedEffects.includes('claim-change'))
      throw new Error('a check changes a claim without declaring the effect claim-change')
    const recipe = loadClaimRecipe(target.claimRecipe, target)
    const { agent } = await this.steps.authorization.firstCode()
    const subjects = await this.#subjects()
    await this.steps.events.control()
    await this.run.prepareClaimChange()
    this.#requireBudget()
    return { recipe, page: agent.claimPage(recipe, recipe.url, target.user), subjects }
  }

  /**
   * Waits for new events after the restoration.
   * @param changeEvents events of the change: the wait ends when a change event has one of their subscribers
   */
  #restorations(
    startedAt: number,
    known: ReadonlySet<string>,
    changed: NewEvents,
    changeEvents: readonly HubEvent[],
    withinMs: number,
  ): Promise<NewEvents> {
    const seen = new Set([...known, ...changed.events.map(identityOf)])
    const isExpected = (event: HubEvent) =>
      event.members.type === changeType && changeEvents.some((other) => hasSameSubscriber(event, other))
    return this.#arrivals(startedAt, seen, withinMs, (events) => events.some(isExpected))
  }

  /** @throws {Inconclusive} if Plumbline might be unable to restore a changed claim */
  #requireBudget(): void {
    if (this.run.budget.remaining >= requestsNeeded) return
    throw new Inconclusive(
      `fewer than ${requestsNeeded} requests are left of the budget, too few to change a claim and restore it`,
      { variables: ['REQUEST_BUDGET'], advice: 'raise REQUEST_BUDGET' },
    )
  }

  /**
   * Searches all zones for an event of the change, since a wrong EVENT_TIME_ZONE would hide it.
   * @returns the offset of the event from UTC in minutes; undefined if the search finds no event, or an event that
   * arrived late and fits EVENT_TIME_ZONE
   */
  async #offsetInOtherZone({
    saved,
    ...change
  }: Omit<ClaimChangeMade, 'actualOffset'>): Promise<number | undefined> {
    const { eventTimeZone } = this.run.target
    const from = saved.from - leewayMs
    try {
      const events = (await this.#read(saved.from, 'unknown')).filter((event) => isChangeOf(event, change))
      const times = events.flatMap(({ time }) => time?.at ?? [])
      const expectedWindow =
        eventTimeZone !== 'unknown' && windowOver(eventTimeZone, from, this.run.targetTime() + leewayMs)
      if (expectedWindow && times.some((at) => positionIn(expectedWindow, at) === 'inside')) return undefined
      const offsets = times.map((at) => offsetBetween(at, from, saved.until + leewayMs))
      return offsets.find((offset) => offset !== undefined)
    } catch (error) {
      // No verdict depends on this search, which may find too many events to read.
      if (error instanceof Inconclusive) return undefined
      throw error
    }
  }

  async #subjects(): Promise<readonly string[]> {
    const tokens = [
      await this.steps.tokens.jwt('idToken'),
      // An access token shows the user only if it is a JWT; other checks judge that.
      await unlessUndecided(this.steps.tokens.jwt('accessToken')),
    ]
    const subjects = tokens.flatMap((token) =>
      typeof token?.claims.sub === 'string' ? [token.claims.sub] : [],
    )
    if (subjects.length > 0) return [...new Set(subjects)]
    throw new Inconclusive('the tokens have no sub', ['IDTOKEN-SUBJECT'])
  }

  /** The events from shortly before the change until now. */
  #read(startedAt: number, zone?: EventTimeZone): Promise<readonly HubEvent[]> {
    return this.steps.readings.around(startedAt, this.run.targetTime(), zone)
  }

  /** Searches again and again, until `enough` accepts the new events or `withinMs` milliseconds have passed. */
  async #arrivals(
    startedAt: number,
    known: ReadonlySet<string>,
    withinMs: number,
    enough: (events: readonly HubEvent[]) => boolean,
  ): Promise<NewEvents> {
    const deadline = Date.now() + withinMs
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      const events = (await this.#read(startedAt)).filter((event) => !known.has(identityOf(event)))
      const leftMs = deadline - Date.now()
      if (enough(events) || leftMs <= 0) return { events, until: this.run.targetTime() }
      await sleep(Math.min(pauseMs, leftMs))
    }
  }
}
