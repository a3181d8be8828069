import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node'
import { defect, placeOf } from '../check/defect.ts'
import type { PlumblineMeta } from '../check/vitest-adapter.ts'
import { undecided } from '../results/check-record.ts'
import type { ResultsFile, SelectedRequirement, Stop } from '../results/results-file.ts'
import { Progress, type ProgressRun } from './progress.ts'

/** The check a vitest test stands for: its name is `<requirement>: <name of the check>`. */
export function checkOf(name: string): { requirement: string; name: string } | undefined {
  const [, requirement, check] = /^([A-Z][A-Z0-9-]+): (.+)$/s.exec(name) ?? []
  return requirement && check ? { requirement, name: check } : undefined
}

function crash([error]: readonly { readonly name?: string; readonly stack?: string }[]): string {
  return error ? placeOf(error) : 'it left no error'
}

/**
 * Vitest's view of a run turned into results: every finished test becomes a finished check in
 * results.json, and a test that ended without a result becomes a defect of the harness.
 */
export class PlumblineReporter implements Reporter {
  readonly #results: ResultsFile
  readonly #progress: Progress
  readonly #unloadable: string[] = []

  constructor(
    results: ResultsFile,
    selection: readonly SelectedRequirement[],
    stream: NodeJS.WriteStream,
    run: ProgressRun,
  ) {
    this.#results = results
    this.#progress = new Progress(stream, selection, run)
  }

  onTestRunStart(): void {
    this.#progress.start()
  }

  onTestCaseReady(test: TestCase): void {
    const check = checkOf(test.name)
    if (check) this.#progress.begins(this.#results.selected(check.requirement))
  }

  onTestCaseResult(test: TestCase): void {
    const { plumbline }: { plumbline?: PlumblineMeta } = test.meta()
    const result = plumbline?.result ?? this.#withoutResult(test)
    if (!result) return
    this.#results.add(result, plumbline?.budget)
    this.#progress.ended(this.#results.selected(result.requirement), result, plumbline?.budget)
  }

  onTestModuleEnd(module: TestModule): void {
    const errors = module.errors()
    if (errors.length > 0) this.#unloadable.push(`${module.relativeModuleId} (${crash(errors)})`)
  }

  onTestRunEnd(_modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    this.#progress.stop()
    if (unhandled.length > 0) this.#unloadable.push(`the worker (${crash(unhandled)})`)
  }

  /** Why checks of this run may have no result, as far as vitest can tell; for `ResultsFile.finish`. */
  stopped(): Stop | undefined {
    if (this.#unloadable.length === 0) return undefined
    return {
      cause: 'harness',
      reason: defect(`${this.#unloadable.join(', ')} broke`),
    }
  }

  /** A test that was skipped before it began says nothing; one that ran must leave a result. */
  #withoutResult(test: TestCase) {
    const check = checkOf(test.name)
    const outcome = test.result()
    if (!check || outcome.state === 'skipped' || outcome.state === 'pending') return undefined
    return undecided(
      {
        ...check,
        file: test.module.relativeModuleId,
        durationMs: Math.round(test.diagnostic()?.duration ?? 0),
      },
      'harness',
      defect(`the check ended without a result (${crash(outcome.errors ?? [])})`),
    )
  }
}
