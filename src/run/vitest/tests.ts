import { test as base, inject } from 'vitest'
import { executeCheck } from '../../check/execute.ts'
import { CheckExecution } from '../../check/execution.ts'
import { type CheckResult, reasonText } from '../../check/result.ts'
import { RunContext } from '../../check/run-context.ts'
import { loadSuites, type SuiteCheck } from '../../check/suites.ts'
import { projectRoot } from '../../project.ts'
import { prepareRun } from '../prepare-run.ts'
import { commandRun } from './command-run.ts'

const { checks } = await loadSuites()

/** The run of this worker if Vitest was started directly. All suites share its sessions, tokens and budget. */
let ownRun: Promise<RunContext> | undefined

async function startOwnRun(): Promise<RunContext> {
  const prepared = await prepareRun({ target: inject('target'), checks })
  const run = new RunContext(prepared.options)
  run.onClose(prepared.close)
  return run
}

/**
 * Vitest's `test` with the run and the execution as fixtures. `src/check/fixtures.ts` creates the fixtures of checks.
 */
const test = base
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of fixtures from the parameter
  .extend('endOfWorker', { scope: 'worker', auto: true }, ({}, { onCleanup }) => {
    onCleanup(async () => (await ownRun)?.close())
  })
  .extend('run', () => {
    const ofCommand = commandRun()
    if (ofCommand) return ofCommand.run
    ownRun ??= startOwnRun()
    return ownRun
  })
  .extend('execution', ({ task }) => new CheckExecution(task.meta.plumbline?.requirement ?? ''))

/** The finding as the error of the test: Vitest shows `expected` and `actual`, and the line of the suite. */
function errorOf(result: CheckResult, thrown: unknown): Error {
  const { verdict, cause, finding } = result
  const error = new Error(`${verdict} (${cause}): ${reasonText(result)}`)
  const stack = thrown instanceof Error ? (thrown.stack ?? '') : ''
  const frames = stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line) && !line.includes(`${projectRoot}/src/`))
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
  const { requirement, name } = check
  const options = { timeout: 0, meta: { plumbline: { requirement, name } } }
  test(`${requirement}: ${name}`, options, async ({ run, execution, task, skip }) => {
    const result = await executeCheck(check, run, execution)
    task.meta.plumbline = { requirement, name, result, budget: run.budget.used }
    if (result.verdict === 'not-applicable') skip(result.reason ?? '')
    if (result.verdict === 'fail' || result.verdict === 'inconclusive')
      throw errorOf(result, execution.thrown)
  })
}
