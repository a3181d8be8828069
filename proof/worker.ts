import { startProvider } from '../provider/index.ts'
import { launchBrowser } from '../src/browser/index.ts'
import { isDifference } from '../src/check/execution.ts'
import { loadSuites } from '../src/check/suites.ts'
import { targetFrom } from '../src/target/config.ts'
import { type Case, type CaseResult, executes } from './cases.ts'
import { executeChecks, verdictsOf } from './execute-checks.ts'
import { FormAgent } from './form-agent.ts'
import type { ProveMessage, ResultMessage } from './messages.ts'
import { recyclingWindows } from './recycled-windows.ts'
import { captureNoStacks } from './stacks.ts'

// A process of the proof. It runs one case of each lane at a time, with one browser for all cases.

captureNoStacks()
const browser = recyclingWindows(await launchBrowser({ hosts: ['127.0.0.1:*'] }))
const formAgents = { ...browser, openAgent: FormAgent.open }
const suites = await loadSuites()

process.on('message', async (message: ProveMessage | 'end') => {
  if (message !== 'end') {
    const { lane, proofCase } = message
    process.send?.({ lane, result: await prove(proofCase) } satisfies ResultMessage)
    return
  }
  await browser.close()
  process.disconnect()
})
// The process ends with its parent process.
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

/** Executes the checks of a case. */
async function checked(
  proofCase: Case,
  variables: Readonly<Record<string, string>>,
): Promise<Omit<CaseResult, 'case' | 'wallMs'>> {
  const checks = suites.checks.filter((check) => executes(proofCase, check))
  const target = targetFrom('embedded', { SEED: '1', ...variables, ENABLE: proofCase.enable })
  const { results, requests, logins } = await executeChecks(
    checks,
    target,
    proofCase.needsBrowser ? browser : formAgents,
  )
  const verdicts = verdictsOf(results)
  const withVerdict = (wantedVerdict: string) =>
    [...verdicts].filter(([, verdict]) => verdict === wantedVerdict).map(([id]) => id)
  // A difference from a `reference` requirement is only an observation, but the proof counts it as red.
  const different = results.filter(({ observations }) => observations.some(isDifference))
  return {
    failed: [...withVerdict('fail'), ...new Set(different.map(({ requirement }) => requirement))],
    inconclusive: withVerdict('inconclusive'),
    passed: withVerdict('pass'),
    defects: results
      .filter(({ cause }) => cause === 'harness')
      .map(({ requirement, reason }) => `${requirement}: ${reason}`),
    reasons: Object.fromEntries(
      results
        .filter(({ verdict }) => verdict === 'fail' || verdict === 'inconclusive')
        .map(({ requirement, reason }) => [requirement, reason ?? '']),
    ),
    requests,
    logins,
  }
}
