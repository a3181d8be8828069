import type { LaunchedBrowser } from '../src/browser/index.ts'
import type { CheckResult } from '../src/check/result.ts'
import { RunContext } from '../src/check/run-context.ts'
import type { SuiteCheck } from '../src/check/suites.ts'
import { requirementVerdict, type Verdict } from '../src/check/verdict.ts'
import { runDirectly } from '../src/run/direct-run.ts'
import { prepareRun } from '../src/run/prepare-run.ts'
import type { Target } from '../src/target/target.ts'

interface Executed {
  readonly results: readonly CheckResult[]
  readonly requests: number
  readonly logins: number
}

/**
 * Executes checks against a target like `plumbline check`, but without a test runner, and writes no files.
 * @param checks in the order of execution
 * @param browser a launched browser; by default, one is launched if a check needs it
 */
export async function executeChecks(
  checks: readonly SuiteCheck[],
  target: Target,
  browser?: LaunchedBrowser,
): Promise<Executed> {
  const prepared = await prepareRun({ target, checks, ...(browser && { browser }) })
  const run = new RunContext(prepared.options)
  const results: CheckResult[] = []
  try {
    await runDirectly(checks, run, {
      checkStarts: () => undefined,
      checkEnds: (result) => void results.push(result),
    })
  } finally {
    await run.close()
    await prepared.close()
  }
  return { results, requests: run.budget.requests, logins: run.budget.logins }
}

/** The verdict of each requirement. */
export function verdictsOf(results: readonly CheckResult[]): ReadonlyMap<string, Verdict> {
  const groups = Map.groupBy(results, ({ requirement }) => requirement)
  return new Map(
    [...groups].map(([id, group]) => [id, requirementVerdict(group.map(({ verdict }) => verdict))]),
  )
}
