import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { startProvider } from '../provider/index.ts'
import { launchBrowser } from '../src/browser/index.ts'
import { checkRun } from '../src/run/check-run.ts'
import { targetFrom } from '../src/target/config.ts'
import type { Case, CaseResult } from './case.ts'

// A lane is a process that makes one proof run after the other, with one browser for all of them.

const browser = await launchBrowser({ hosts: ['127.0.0.1:*'], headed: false })
const reports = await mkdtemp(join(tmpdir(), 'plumbline-proof-'))
const silence = new Writable({ write: (_chunk, _encoding, done) => done() }) as NodeJS.WriteStream

process.on('message', async (message: Case | 'end') => {
  if (message === 'end') {
    await browser.close()
    await rm(reports, { recursive: true, force: true })
    process.disconnect()
    return
  }
  process.send?.(await prove(message))
})
// Without the process that asks there is nobody to prove anything to.
process.on('disconnect', () => process.exit())
process.send?.('ready')

async function prove(proofCase: Case): Promise<CaseResult> {
  const started = performance.now()
  const provider = await startProvider({
    faults: proofCase.kind === 'fault' ? [proofCase.name] : [],
    variants: proofCase.kind === 'variant' ? [proofCase.name] : [],
  })
  try {
    const { results } = await checkRun({
      target: targetFrom('embedded', {
        ...provider.variables,
        REPORT_DIR: reports,
        ENABLE: proofCase.enable,
        SEED: '1',
      }),
      selection: { only: proofCase.only, areas: [] },
      report: false,
      headed: false,
      output: silence,
      browserEndpoint: browser.wsEndpoint,
    })
    const withVerdict = (verdict: string) =>
      results.requirements.filter((requirement) => requirement.verdict === verdict).map(({ id }) => id)
    return {
      case: proofCase,
      failed: withVerdict('fail'),
      undecided: withVerdict('inconclusive'),
      passed: withVerdict('pass'),
      defects: results.requirements.flatMap(({ id, checks }) =>
        checks.filter(({ cause }) => cause === 'harness').map(({ reason }) => `${id}: ${reason}`),
      ),
      wallMs: Math.round(performance.now() - started),
      requests: results.budget.requests,
      logins: results.budget.logins,
    }
  } finally {
    await provider.close()
  }
}
