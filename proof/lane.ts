import { startProvider } from '../provider/index.ts'
import { launchBrowser } from '../src/browser/index.ts'
import type { CheckResult } from '../src/check/result.ts'
import { RunContext } from '../src/check/run-context.ts'
import { loadSuites } from '../src/check/suites.ts'
import { worst } from '../src/check/verdict.ts'
import { runDirectly } from '../src/run/direct-run.ts'
import { prepareRun } from '../src/run/prepare-run.ts'
import { targetFrom } from '../src/target/config.ts'
import { type Case, type CaseResult, executes } from './case.ts'

// A lane is a process that executes proof cases, with one browser for all of them.

const browser = await launchBrowser({ hosts: ['127.0.0.1:*'], headed: false })
const suites = await loadSuites()

process.on('message', async (message: Case | 'end') => {
  if (message === 'end') {
    await browser.close()
    process.disconnect()
    return
  }
  process.send?.(await prove(message))
})
// Without its parent process a lane has no reason to go on.
process.on('disconnect', () => process.exit())
process.send?.('ready')

async function prove(proofCase: Case): Promise<CaseResult> {
  const started = performance.now()
  const provider = await startProvider({
    faults: proofCase.kind === 'fault' ? [proofCase.name] : [],
    variants: proofCase.kind === 'variant' ? [proofCase.name] : [],
  })
  try {
    const run = await checked(proofCase, provider.variables)
    return { case: proofCase, wallMs: Math.round(performance.now() - started), ...run }
  } finally {
    await provider.close()
  }
}

/** The checks of a case, executed as a conformance run executes them, without a test runner and without files. */
async function checked(
  proofCase: Case,
  variables: Readonly<Record<string, string>>,
): Promise<Omit<CaseResult, 'case' | 'wallMs'>> {
  const target = targetFrom('embedded', { ...variables, ENABLE: proofCase.enable, SEED: '1' })
  const checks = suites.checks.filter(({ definition }) => executes(proofCase, definition))
  const prepared = await prepareRun({ target, checks, headed: false, browser })
  const run = new RunContext(prepared.run)
  const results: CheckResult[] = []
  try {
    await runDirectly(checks, run, {
      checkStarts: () => undefined,
      checkEnds: (result) => void results.push(result),
    })
  } finally {
    await run.close()
  }
  const verdicts = new Map(
    [...Map.groupBy(results, ({ requirement }) => requirement)].map(
      ([id, group]) => [id, worst(group.map(({ verdict }) => verdict))] as const,
    ),
  )
  const withVerdict = (wantedVerdict: string) =>
    [...verdicts].filter(([, verdict]) => verdict === wantedVerdict).map(([id]) => id)
  // A difference from behaviour described for reference is recorded; a fault has to be noticed all the same.
  const different = results.filter(({ observations }) =>
    observations.some(({ key, value }) => key.startsWith('reference.') && value === 'different'),
  )
  return {
    failed: [...withVerdict('fail'), ...new Set(different.map(({ requirement }) => requirement))],
    undecided: withVerdict('inconclusive'),
    passed: withVerdict('pass'),
    defects: results
      .filter(({ cause }) => cause === 'harness')
      .map(({ requirement, reason }) => `${requirement}: ${reason}`),
    requests: run.budget.requests,
    logins: run.budget.logins,
  }
}
