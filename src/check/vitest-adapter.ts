import { test as base, inject, expect as vitestExpect } from 'vitest'
import { onCheck } from './catalogue.ts'
import { executeCheck } from './execute.ts'
import type { CheckResult } from './result.ts'
import { RunContext, type RunOptions } from './run-context.ts'

/** What a check leaves on its vitest task for the reporters. */
export interface PlumblineMeta {
  readonly result: CheckResult
  readonly budget: { readonly requests: number; readonly logins: number; readonly throttled: number }
}

declare module 'vitest' {
  interface TaskMeta {
    plumbline?: PlumblineMeta
  }
  interface ProvidedContext {
    run: RunOptions
    /** Ids of the requirements whose checks run. */
    selected: readonly string[]
  }
}

const selected = new Set(inject('selected'))

// biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of fixtures from the parameter
const test = base.extend('run', { scope: 'worker' }, async ({}, { onCleanup }) => {
  const run = new RunContext(inject('run'))
  onCleanup(() => run.close())
  return run
})

/**
 * Runs every selected check as a vitest test. The verdict travels in the task's meta; the test itself
 * is passed, failed or skipped so that any vitest reporter shows something sensible.
 */
onCheck((definition) => {
  if (!selected.has(definition.requirement)) return
  test(`${definition.requirement}: ${definition.name}`, { timeout: 0 }, async ({ run, task, skip }) => {
    const result = await executeCheck(definition, task.file.name, run)
    const { requests, logins, throttled } = run.budget
    task.meta.plumbline = { result, budget: { requests, logins, throttled } }
    if (result.verdict === 'not-applicable') skip(result.reason ?? '')
    if (result.verdict === 'fail' || result.verdict === 'inconclusive') {
      vitestExpect.unreachable(`${result.verdict} (${result.cause}): ${result.reason}`)
    }
  })
})
