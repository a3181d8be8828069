import type { CheckResult } from '../check/result.ts'
import type { BudgetUsed } from '../http/budget.ts'

/** Receives the start and the end of each check. */
export interface CheckObserver {
  checkStarts(requirement: string): void
  checkEnds(result: CheckResult, used: BudgetUsed | undefined): void
}
