import { test as base, inject } from 'vitest'
import type { BudgetUsed } from '../../http/budget.ts'
import { type CheckBody, type CheckDefinition, onCheck } from '../catalogue.ts'
import { executeCheck } from '../execute.ts'
import { CheckExecution } from '../execution.ts'
import type { FixtureSet } from '../fixture-set.ts'
import type { CheckBase } from '../fixtures.ts'
import { type CheckResult, reasonText } from '../result.ts'
import { RunContext, type RunMessage } from '../run-context.ts'

/** What a check attaches to its Vitest task for the reporters. */
export interface PlumblineMeta {
  readonly requirement: string
  readonly name: string
  /** Absent until the check has ended. */
  readonly result?: CheckResult
  /** The budget used by then. */
  readonly budget?: BudgetUsed
}

declare module 'vitest' {
  interface TaskMeta {
    plumbline?: PlumblineMeta
  }
  interface ProvidedContext {
    run: RunMessage
    /** Ids of the requirements whose checks run; null for all. */
    selected: readonly string[] | null
  }
}

const selected = inject('selected')

/** Checks share sessions, tokens and one budget, so all suites of a worker have one run. */
let shared: RunContext | undefined

const test = base
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of fixtures from the parameter
  .extend('run', { scope: 'worker' }, ({}, { onCleanup }) => {
    const run = shared ?? RunContext.from(inject('run'))
    shared = run
    onCleanup(() => run.close())
    return run
  })
  .extend(
    'execution',
    { auto: true },
    ({ task }) => new CheckExecution(task.meta.plumbline?.requirement ?? ''),
  )

type Test = typeof test
type Body = Extract<Parameters<Test>[2], (...args: never) => unknown>

const tests = new Map<CheckDefinition['fixtures'], Test>()

/** Vitest's `test` with the fixtures of an area. */
function testWith(fixtures: FixtureSet<CheckBase, CheckBase>): Test {
  const known = tests.get(fixtures)
  if (known) return known
  let extended = test
  for (const [name, factory] of fixtures.factories)
    extended = extended.extend(name, factory as never) as unknown as Test
  tests.set(fixtures, extended)
  return extended
}

/** Vitest reads the names of the required fixtures from the source of a test: here from the body of the check. */
function asking(body: CheckBody, wrapper: Body): Body {
  return Object.assign(wrapper, { toString: () => body.toString() })
}

/** The finding as the error of the test: Vitest shows `expected` and `actual`, and the line of the suite. */
function errorOf(result: CheckResult, thrown: unknown): Error {
  const { verdict, cause, finding } = result
  const error = new Error(`${verdict} (${cause}): ${reasonText(result)}`)
  const stack = thrown instanceof Error ? (thrown.stack ?? '') : ''
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line) && !/[\\/]src[\\/]/.test(line))
  error.stack = [`${error.name}: ${error.message}`, ...frames].join('\n')
  return finding ? Object.assign(error, { expected: finding.expected, actual: finding.actual }) : error
}

onCheck((definition) => {
  const { requirement, name, fixtures, body } = definition
  if (selected !== null && !selected.includes(requirement)) return
  testWith(fixtures)(
    `${requirement}: ${name}`,
    { timeout: 0, meta: { plumbline: { requirement, name } } },
    asking(body, async (context) => {
      const { run, execution, task, skip } = context
      const result = await executeCheck(definition, task.file.name, run, execution, () =>
        // Vitest's own `expect` cannot be replaced in its context, so that of the check precedes it.
        body(Object.create(context, { expect: { value: execution.expect } }) as never),
      )
      task.meta.plumbline = { requirement, name, result, budget: run.budget.used }
      if (result.verdict === 'not-applicable') skip(result.reason ?? '')
      if (result.verdict === 'fail' || result.verdict === 'inconclusive')
        throw errorOf(result, execution.thrown)
    }),
  )
})
