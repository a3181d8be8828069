import { setTimeout as sleep } from 'node:timers/promises'
import { type ClaimPage, JourneyFailure, loadClaimRecipe } from '../browser/index.ts'
import { windowsOver } from '../event-hub/clock-changes.ts'
import { type HubEvent, identityOf } from '../event-hub/event.ts'
import type { CheckContext } from './context.ts'
import { Unfinished } from './transient.ts'
import { Inconclusive } from './verdict.ts'
import type { World } from './world.ts'

/** Requests that a change, its restoration and the searches between them may take, with some to spare. */
const requestsNeeded = 30
/** How long the event may take where the recipe does not say, in seconds. */
const defaultWithinSeconds = 120
/** Between searches for the event, in milliseconds: doubled each time, up to the longest. */
const firstPauseMs = 250
const longestPauseMs = 15_000
/** How far the hub's clock may be off what its Date headers say, and events' times off it, in milliseconds. */
const marginMs = 15 * 60_000
/** How much longer than the event of the change that of its restoration is waited for, in milliseconds. */
const secondGraceMs = 3000

/** The claim was given another value, and its own again. Everything that other checks need to find traces of it. */
export interface ClaimChange {
  /** Name of the claim, where the recipe tells it. */
  readonly claim: string | undefined
  /** The value it had for a moment. Never to be shown. */
  readonly value: string
  /** What tokens of the application call the user: one, unless they disagree. */
  readonly subjects: readonly string[]
  /** When the change was saved: between these, in milliseconds since the epoch by the target's clock. */
  readonly saved: { readonly from: number; readonly until: number }
  /** Events that were not there before, up to the restoration. Some may be of other people. */
  readonly changed: Arrivals
  /** Events that came with the restoration. */
  readonly restored: Arrivals
  /** What to do by hand, where the restoration did not work. */
  readonly left: string | undefined
}

export interface Arrivals {
  readonly events: readonly HubEvent[]
  /** When they had been found, in milliseconds since the epoch by the target's clock. */
  readonly until: number
}

/** Steps with a claim of the test user. */
export class ClaimSteps {
  readonly #world: World
  readonly #context: CheckContext

  constructor(world: World, context: CheckContext) {
    this.#world = world
    this.#context = context
  }

  /**
   * Changes a claim of the test user as CLAIM_RECIPE says, waits for its event, and restores it; once a run.
   * `World.beforeClaimChange` registers what has to be ready before it. Events that do not come in time are no
   * failure here.
   * @throws {Inconclusive} where the page cannot be used
   */
  async change(): Promise<ClaimChange> {
    const change = await this.#world.shared('claim change', () => this.#change())
    if (change.left !== undefined) this.#context.note(change.left)
    return change
  }

  /**
   * For the end of a check that found nothing wrong: a claim that was left changed has to be seen.
   * @throws {Inconclusive} where the claim could not be restored
   */
  restored({ left }: ClaimChange): void {
    if (left !== undefined) throw new Inconclusive(left, 'environment')
  }

  async #change(): Promise<ClaimChange> {
    const { target, gate } = this.#world
    if (target.claimRecipe === undefined || !target.allowedEffects.includes('claim-change'))
      throw new Error('a check that changes a claim does not declare it')
    const recipe = loadClaimRecipe(target.claimRecipe, target)
    const { agent } = await this.#context.identity.firstCode()
    const subjects = await this.#subjects()
    await this.#context.events.control()
    await this.#world.prepareClaimChange(this.#context)
    if (gate.remaining < requestsNeeded) {
      throw new Inconclusive(
        `fewer than ${requestsNeeded} requests of REQUEST_BUDGET are left, too few to change a claim and restore it`,
        'configuration',
      )
    }
    const page = agent.claimPage(recipe, recipe.url, target.user)
    const present = await finished(page.read())
    if (present === recipe.other && recipe.normal === undefined) {
      throw new Inconclusive(
        'the claim holds the value other of CLAIM_RECIPE already, perhaps since an earlier run was broken off; set it back by hand, and name its value as normal in CLAIM_RECIPE',
        'configuration',
      )
    }
    const startedAt = this.#now()
    const known = await this.#recent(startedAt)
    const value = present === recipe.other ? (recipe.normal ?? '') : recipe.other
    const own = present === recipe.other ? value : present
    const restore = once(() => restored(page, own))
    // A run that is broken off restores the claim before it lets the browser go.
    this.#world.onClose(async () => void (await restore()))

    const from = this.#now()
    let until = from
    let changed: Arrivals | undefined
    let failure: unknown
    try {
      await finished(page.write(value))
      until = this.#now()
      const within = (recipe.eventWithinSeconds ?? defaultWithinSeconds) * 1000
      changed = await this.#arrivals(startedAt, known, within, (events) =>
        events.some((event) => isChangeOf(event, subjects, value)),
      )
    } catch (error) {
      failure = error
    }
    const left = await restore()
    if (!changed) throw left === undefined ? failure : unrestored(failure, left)
    const seen = new Set([...known, ...changed.events.map(identityOf)])
    const subscribers = changed.events.map(({ members }) => members.subscriber)
    const again =
      left === undefined && value !== own && changed.events.length > 0
        ? await this.#arrivals(startedAt, seen, changed.until - until + secondGraceMs, (events) =>
            events.some(({ members }) => subscribers.includes(members.subscriber)),
          )
        : { events: [], until: changed.until }
    return {
      claim: recipe.claim,
      value,
      subjects,
      saved: { from, until },
      changed,
      restored: again,
      left,
    }
  }

  async #subjects(): Promise<readonly string[]> {
    const { identity } = this.#context
    const tokens = [
      await identity.jwt('idToken'),
      // Access tokens are a matter of their own; only where they are JWTs do they name a user.
      await identity.jwt('accessToken').catch((error: unknown) => {
        if (error instanceof Inconclusive) return undefined
        throw error
      }),
    ]
    const subjects = tokens.flatMap((token) =>
      typeof token?.claims.sub === 'string' ? [token.claims.sub] : [],
    )
    if (subjects.length > 0) return [...new Set(subjects)]
    throw new Inconclusive('the tokens have no sub; see IDTOKEN-SUBJECT')
  }

  /** By the target's clock, in milliseconds since the epoch. */
  #now(): number {
    return Date.now() + (this.#world.http.clockOffsetMs ?? 0)
  }

  /** What is in the hub around the change, by identity. */
  async #recent(startedAt: number): Promise<Set<string>> {
    return new Set((await this.#read(startedAt)).map(identityOf))
  }

  async #read(startedAt: number): Promise<HubEvent[]> {
    const { eventTimeZone } = this.#world.target
    const windows = windowsOver(eventTimeZone, startedAt - marginMs, this.#now() + marginMs)
    const readings: HubEvent[][] = []
    for (const window of windows) readings.push([...(await this.#context.events.everythingIn(window))])
    return readings.flat()
  }

  /** Searches again and again, with growing pauses, for events that are not known. */
  async #arrivals(
    startedAt: number,
    known: ReadonlySet<string>,
    withinMs: number,
    enough: (events: readonly HubEvent[]) => boolean,
  ): Promise<Arrivals> {
    const deadline = Date.now() + withinMs
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      const events = (await this.#read(startedAt)).filter((event) => !known.has(identityOf(event)))
      const leftMs = deadline - Date.now()
      if (enough(events) || leftMs <= 0) return { events, until: this.#now() }
      await sleep(Math.min(pauseMs, leftMs))
    }
  }
}

/** Whether an event can only be that of the change: of the user, or with the very value. */
export function isChangeOf({ members }: HubEvent, subjects: readonly string[], value: string): boolean {
  if (members.type !== 'ClaimValuesChanged') return false
  return subjects.some((subject) => subject === members.subscriber) || claimsOf(members).includes(value)
}

/** Values under `claims` in a payload. */
export function claimsOf({ payload }: HubEvent['members']): unknown[] {
  const { claims } = Object(payload)
  return claims !== null && typeof claims === 'object' ? Object.values(claims) : []
}

/** Puts the claim's own value back and looks whether it is there. @returns what to do by hand where it is not */
async function restored(page: ClaimPage, own: string): Promise<string | undefined> {
  let reason = 'the page does not show its own value after it was saved'
  // The page may have had a hiccup; a third attempt would be of no more use.
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      if ((await page.read()) === own) return undefined
      await page.write(own)
      if ((await page.read()) === own) return undefined
    } catch (error) {
      reason = error instanceof Error ? error.message : 'the page could not be used'
    }
  }
  return `THE CLAIM OF THE TEST USER WAS NOT RESTORED (${reason}): it may still hold the value other of CLAIM_RECIPE; set it back by hand`
}

async function finished<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw error instanceof JourneyFailure ? new Unfinished(error.landing) : error
  }
}

function unrestored(failure: unknown, left: string): Inconclusive {
  const reason = failure instanceof Error ? failure.message : 'the claim could not be changed'
  return new Inconclusive(`${reason}. ${left}`, 'environment')
}

/** A function that does its work on the first call and gives the same result to later ones. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => {
    result ??= work()
    return result
  }
}
