import type { Page } from 'playwright'
import type { Budget } from '../http/budget.ts'
import type { JourneyTraffic } from './journey-traffic.ts'
import type { LoginRecipe } from './recipe.ts'

/** The window of a user agent, as one journey has it. */
export interface BrowserWindow {
  readonly page: Page
  readonly traffic: JourneyTraffic
  readonly budget: Budget
  readonly recipe?: LoginRecipe
  /** For each answer of the target, in milliseconds. */
  readonly timeoutMs: number
  /** Aborted when the journey ends, so that nothing of it goes on in the next one. */
  readonly signal: AbortSignal
}
