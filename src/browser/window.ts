import type { Page } from 'playwright'
import type { Budget } from '../http/budget.ts'
import type { LoginRecipe } from './recipe.ts'
import type { Traffic } from './traffic.ts'

/** The window of a user agent, one journey at a time. */
export interface BrowserWindow {
  readonly page: Page
  readonly traffic: Traffic
  readonly budget: Budget
  readonly recipe?: LoginRecipe
  /** For one journey, in milliseconds. */
  readonly timeoutMs: number
}
