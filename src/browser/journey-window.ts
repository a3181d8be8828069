import type { Page } from 'playwright'
import type { Budget } from '../http/budget.ts'
import type { JourneyTraffic } from './journey-traffic.ts'
import type { LoginRecipe } from './recipe.ts'

/** The window of a user agent during one journey. */
export interface JourneyWindow {
  readonly page: Page
  readonly traffic: JourneyTraffic
  /** Sends a navigation without the page if it may need none. @returns whether the response ended the journey */
  readonly tryWithoutPage: (url: string) => Promise<boolean>
  readonly budget: Budget
  readonly recipe?: LoginRecipe
  /** Time limit for each response of the target, in milliseconds. */
  readonly timeoutMs: number
  /** Aborted when the journey ends, so that none of its work continues in the next one. */
  readonly signal: AbortSignal
}
