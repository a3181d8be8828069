import { test as base, inject } from 'vitest'
import type { CheckBody, CheckDefinition } from '../../check/catalogue.ts'
import { executeCheck } from '../../check/execute.ts'
import { CheckExecution } from '../../check/execution.ts'
import type { FixtureSet } from '../../check/fixture-set.ts'
import type { CheckBase } from '../../check/fixtures.ts'
import { type CheckResult, reasonText } from '../../check/result.ts'
import { RunContext } from '../../check/run-context.ts'
import { loadSuites, type SuiteCheck } from '../../check/suites.ts'
import { prepareRun } from '../prepare-run.ts'
import { commandRun } from './command-run.ts'

const { checks } = await loadSuites()

/** The run of this worker, if Vitest was started directly: all suites share its sessions, tokens and budget. */
let ownRun: Promise<RunContext> | undefined

async function startOwnRun(): Promise<RunContext> {
  const prepared = await prepareRun({ target: inject('target'), checks })
  const run = new RunContext(prepared.options)
  run.onClose(prepared.close)
  return run
}

const test = base
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of fixtures from the parameter
  .extend('endOfWorker', { scope: 'worker', auto: true }, ({}, { onCleanup }) => {
    onCleanup(async () => (await ownRun)?.close())
  })
  .extend('run', () => {
    const given = commandRun()
    if (given) return given.run
    ownRun ??= startOwnRun()
    return ownRun
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
function withParametersOf(body: CheckBody, wrapper: Body): Body {
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

/** Defines a Vitest test for each selected check of a suite. @param file path of the suite, relative to the project */
export function defineTests(file: string): void {
  const selectedIds = commandRun()?.selectedIds
  for (const check of checks)
    if (check.file === file && selectedIds?.has(check.requirement) !== false) defineTest(check)
}

function defineTest(check: SuiteCheck): void {
  const { requirement, name, fixtures, body } = check
  testWith(fixtures)(
    `${requirement}: ${name}`,
    { timeout: 0, meta: { plumbline: { requirement, name } } },
    withParametersOf(body, async (context) => {
      const { run, execution, task, skip } = context
      const result = await executeCheck(check, run, execution, () =>
        // Vitest's own `expect` cannot be replaced in its context, so that of the check precedes it.
        body(Object.create(context, { expect: { value: execution.expect } }) as never),
      )
      task.meta.plumbline = { requirement, name, result, budget: run.budget.used }
      if (result.verdict === 'not-applicable') skip(result.reason ?? '')
      if (result.verdict === 'fail' || result.verdict === 'inconclusive')
        throw errorOf(result, execution.thrown)
    }),
  )
}
