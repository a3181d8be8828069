import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node'
import { defect, placeOf } from '../../check/defect.ts'
import type { PlumblineMeta } from '../../report/allure/test-meta.ts'
import { inconclusiveResult } from '../../results/check-record.ts'
import type { Stopped } from '../../results/results-file.ts'
import type { CheckObserver } from '../direct-run.ts'

/** Forwards Vitest's events to an observer of checks. A test without a result is a defect of Plumbline. */
export class VitestReporter implements Reporter {
  readonly #observer: CheckObserver
  readonly #crashed: string[] = []

  constructor(observer: CheckObserver) {
    this.#observer = observer
  }

  onTestCaseReady(test: TestCase): void {
    const { plumbline }: { plumbline?: PlumblineMeta } = test.meta()
    if (plumbline) this.#observer.checkStarts(plumbline.requirement)
  }

  onTestCaseResult(test: TestCase): void {
    const { plumbline }: { plumbline?: PlumblineMeta } = test.meta()
    const result = plumbline?.result ?? withoutResult(test, plumbline)
    if (result) this.#observer.checkEnds(result, plumbline?.budget)
  }

  onTestModuleEnd(module: TestModule): void {
    const errors = module.errors()
    if (errors.length > 0) this.#crashed.push(`${module.relativeModuleId} (${crash(errors)})`)
  }

  onTestRunEnd(_modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    if (unhandled.length > 0) this.#crashed.push(`the run (${crash(unhandled)})`)
  }

  /** Why checks have no result, for `ResultsFile.finish`; undefined if no suite crashed. */
  stopped(): Stopped | undefined {
    if (this.#crashed.length === 0) return undefined
    return { cause: 'harness', reason: defect(`${this.#crashed.join(', ')} crashed`) }
  }
}

/**
 * The result of a test that recorded none: a defect of Plumbline. Undefined for a skipped test, and for a test that is
 * not a check.
 */
function withoutResult(test: TestCase, check: PlumblineMeta | undefined) {
  const { state, errors } = test.result()
  if (!check || state === 'skipped' || state === 'pending') return undefined
  return inconclusiveResult(
    {
      requirement: check.requirement,
      name: check.name,
      file: test.module.relativeModuleId,
      durationMs: Math.round(test.diagnostic()?.duration ?? 0),
    },
    'harness',
    defect(`the check ended without a result (${crash(errors ?? [])})`),
  )
}

function crash([error]: readonly { readonly name?: string; readonly stack?: string }[]): string {
  return error ? placeOf(error) : 'no error reported'
}
