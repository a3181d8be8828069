import { test as base, inject, expect as vitestExpect } from 'vitest'
import { onCheck } from './catalogue.ts'
import type { CheckResult } from './result.ts'
import { runCheck } from './run-check.ts'
import { World, type WorldOptions } from './world.ts'

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
    world: WorldOptions
    /** Ids of the requirements whose checks run. */
    selected: readonly string[]
  }
}

const selected = new Set(inject('selected'))

// biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of fixtures from the parameter
const test = base.extend('world', { scope: 'worker' }, async ({}, { onCleanup }) => {
  const world = new World(inject('world'))
  onCleanup(() => world.close())
  return world
})

/**
 * Runs every selected check as a vitest test. The verdict travels in the task's meta; the test itself
 * is passed, failed or skipped so that any vitest reporter shows something sensible.
 */
onCheck((definition) => {
  if (!selected.has(definition.requirement)) return
  test(`${definition.requirement}: ${definition.name}`, { timeout: 0 }, async ({ world, task, skip }) => {
    const result = await runCheck(definition, task.file.name, world)
    const { requests, logins, throttled } = world.gate
    task.meta.plumbline = { result, budget: { requests, logins, throttled } }
    if (result.verdict === 'not-applicable') skip(result.reason ?? '')
    if (result.verdict === 'fail' || result.verdict === 'inconclusive') {
      vitestExpect.unreachable(`${result.verdict} (${result.cause}): ${result.reason}`)
    }
  })
})
