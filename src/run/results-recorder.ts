import type { CheckResult } from '../check/result.ts'
import type { BudgetUsed } from '../http/budget.ts'
import type { ResultsFile, SelectedRequirement } from '../results/results-file.ts'
import { Progress, type ProgressRun } from './progress.ts'

/** Receives the start and the end of each check. */
export interface CheckObserver {
  checkStarts(requirement: string): void
  checkEnds(result: CheckResult, used: BudgetUsed | undefined): void
}

/** Adds each result to results.json, and shows progress. */
export class ResultsRecorder implements CheckObserver {
  readonly #results: ResultsFile
  readonly #progress: Progress

  constructor(
    results: ResultsFile,
    requirements: readonly SelectedRequirement[],
    stream: NodeJS.WriteStream,
    run: ProgressRun,
  ) {
    this.#results = results
    this.#progress = new Progress(stream, requirements, run)
  }

  /** Receives the end of each pause in sending, in milliseconds since the epoch. */
  readonly onPause = (until: number): void => this.#progress.paused(until)

  start(): void {
    this.#progress.start()
  }

  checkStarts(requirement: string): void {
    this.#progress.begins(this.#results.selected(requirement))
  }

  checkEnds(result: CheckResult, used: BudgetUsed | undefined): void {
    this.#results.add(result, used)
    this.#progress.ended(this.#results.selected(result.requirement), result, used)
  }

  stop(): void {
    this.#progress.stop()
  }
}
