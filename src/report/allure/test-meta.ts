import type { CheckResult } from '../../check/result.ts'
import type { BudgetUsed } from '../../http/budget.ts'

/** What a check attaches to its Vitest test, for the reporters. */
export interface PlumblineMeta {
  readonly requirement: string
  readonly name: string
  /** Absent until the check has ended. */
  readonly result?: CheckResult
  /** The budget that the run has used when the check ends. */
  readonly budget?: BudgetUsed
}

declare module 'vitest' {
  interface TaskMeta {
    plumbline?: PlumblineMeta
  }
}
