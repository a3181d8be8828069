import { expect, onTestFinished, test } from 'vitest'
import { FormAgent } from '../../../proof/form-agent.ts'
import { startProvider } from '../../../provider/index.ts'
import { RunContext } from '../../../src/check/run-context.ts'
import { loadSuites } from '../../../src/check/suites.ts'
import { runDirectly } from '../../../src/run/direct-run.ts'
import { targetFrom } from '../../../src/target/config.ts'
import { profiles } from '../../../src/target/profiles.ts'

interface Sent {
  readonly code: string
  /** In milliseconds since the epoch. */
  readonly at: number
}

/** Runs the token checks that UAT allows. @returns the codes that the provider received, and when it had accepted which */
async function exchangesWith(fault: string): Promise<{ received: Sent[]; accepted: Sent[] }> {
  const received: Sent[] = []
  const provider = await startProvider({
    faults: [fault],
    delay: ({ form, at }) => {
      const code = form?.get('code')
      if (code) received.push({ code, at })
      return 0
    },
  })
  onTestFinished(() => provider.close())
  const target = targetFrom('embedded', { SEED: '1', ...provider.variables })
  const allowedEffects = profiles.uat.allowed
  const run = new RunContext({ target: { ...target, allowedEffects }, openAgent: FormAgent.open })
  onTestFinished(() => run.close())
  const { checks } = await loadSuites()
  const ofToken = checks.filter(({ area }) => area === 'token')
  await runDirectly(ofToken, run, { checkStarts: () => undefined, checkEnds: () => undefined })
  const accepted = run.provider.log.issued.flatMap(({ form, response: { exchange } }) => {
    const code = form.find(([name]) => name === 'code')?.[1]
    return code === undefined ? [] : [{ code, at: exchange.sentAt + exchange.durationMs }]
  })
  return { received, accepted }
}

test.each(['missing-redirect-uri-accepted', 'duplicate-code-verifier-accepted'])(
  'without the effect token-destruction, no code is sent after an exchange, even an invalid one: %s',
  async (fault) => {
    const { received, accepted } = await exchangesWith(fault)
    expect(accepted.length).toBeGreaterThan(1)
    const again = accepted.filter(({ code, at }) =>
      received.some((sent) => sent.code === code && sent.at > at),
    )
    expect(again).toEqual([])
  },
)
