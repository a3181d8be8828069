import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { executeChecks } from '../proof/execute-checks.ts'
import type { LaunchedBrowser } from '../src/browser/index.ts'
import type { CheckResult } from '../src/check/result.ts'
import type { SuiteCheck } from '../src/check/suites.ts'
import { targetFrom } from '../src/target/config.ts'

/** A run against one implementation. */
export interface LawfulRun {
  readonly results: readonly CheckResult[]
  readonly requests: number
  readonly logins: number
  readonly seconds: number
}

/**
 * Starts an implementation in a separate process, and executes all checks that apply to it.
 * @param browser shared by all runs
 */
export async function runAgainst(
  name: string,
  checks: readonly SuiteCheck[],
  browser: LaunchedBrowser,
): Promise<LawfulRun> {
  const started = performance.now()
  const { variables, crash, close } = await serve(name)
  try {
    const executed = await executeChecks(checks, targetFrom('uat', variables), browser)
    const crashed = crash()
    if (crashed) throw crashed
    return { ...executed, seconds: (performance.now() - started) / 1000 }
  } finally {
    await close()
  }
}

/**
 * Starts `serve.ts` for an implementation.
 * @returns `crash`: an error if the process has ended; undefined while it runs
 */
async function serve(name: string) {
  const child = fork(join(import.meta.dirname, 'serve.ts'), [name], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let errors = ''
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    errors = (errors + text).slice(-4000)
  })
  const exit = once(child, 'exit')
  const endedError = () => new Error(`${name} ended with ${child.exitCode ?? child.signalCode}:\n${errors}`)
  const [variables] = (await Promise.race([
    once(child, 'message'),
    exit.then(() => Promise.reject(endedError())),
  ])) as [Record<string, string>]
  return {
    variables,
    crash: () => (child.exitCode === null && child.signalCode === null ? undefined : endedError()),
    close: async () => {
      child.kill()
      await exit
    },
  }
}
