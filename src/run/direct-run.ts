import { executeCheck } from '../check/execute.ts'
import type { CheckResult } from '../check/result.ts'
import type { RunContext } from '../check/run-context.ts'
import type { SuiteCheck } from '../check/suites.ts'
import type { BudgetUsed } from '../http/budget.ts'

/** Receives the start and the end of each check. */
export interface CheckObserver {
  /** @param requirement the id of its requirement */
  checkStarts(requirement: string): void
  /** @param used the budget that the run has used so far; undefined if the check crashed before it recorded this */
  checkEnds(result: CheckResult, used: BudgetUsed | undefined): void
}

/**
 * Executes checks in order in this process, without a test runner, for the proof and other programs.
 * @param signal ends the run after the current check
 */
export async function runDirectly(
  checks: readonly SuiteCheck[],
  run: RunContext,
  observer: CheckObserver,
  signal?: AbortSignal,
): Promise<void> {
  for (const check of checks) {
    if (signal?.aborted) return
    observer.checkStarts(check.requirement)
    const result = await executeCheck(check, run)
    observer.checkEnds(result, run.budget.used)
  }
}
