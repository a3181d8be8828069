import type { Browser } from 'playwright'
import {
  connectBrowser,
  type LaunchedBrowser,
  launchBrowser,
  UserAgent,
  type UserAgentOptions,
} from '../../src/browser/index.ts'
import type { Exchange } from '../../src/evidence/exchange.ts'
import { Recorder } from '../../src/evidence/recorder.ts'
import { Gate, type GateOptions } from '../../src/http/gate.ts'
import { redirectUri } from './login-site.ts'

/** One browser for a file of tests. It may reach any port of 127.0.0.1 that a test names to it as a host. */
export class TestBrowser {
  readonly #launched: LaunchedBrowser
  readonly browser: Browser

  private constructor(launched: LaunchedBrowser, browser: Browser) {
    this.#launched = launched
    this.browser = browser
  }

  static async start(hosts: readonly string[]): Promise<TestBrowser> {
    const launched = await launchBrowser({ hosts })
    return new TestBrowser(launched, await connectBrowser(launched.wsEndpoint))
  }

  /** An agent with a gate and a recorder of its own. */
  async agent(
    hosts: readonly string[],
    {
      gate: limits,
      ...options
    }: Partial<Omit<UserAgentOptions, 'gate'>> & { readonly gate?: Partial<GateOptions> } = {},
  ): Promise<TestAgent> {
    const gate = new Gate({
      hosts,
      requestsPerSecond: Number.POSITIVE_INFINITY,
      requestBudget: 200,
      loginBudget: 5,
      ...limits,
    })
    const recorder = new Recorder()
    const exchanges: Exchange[] = []
    let stop = () => {}
    const recording = new Promise<void>((resolve) => {
      stop = resolve
    })
    const recorded = recorder.during(() => recording, exchanges)
    const agent = await UserAgent.open(this.browser, {
      gate,
      recorder,
      hosts,
      redirectUris: [redirectUri],
      timeoutMs: 8000,
      ...options,
    })
    return {
      agent,
      gate,
      exchanges,
      async [Symbol.asyncDispose]() {
        stop()
        await recorded
        await agent.close()
      },
    }
  }

  async close(): Promise<void> {
    await this.browser.close()
    await this.#launched.close()
  }
}

export interface TestAgent extends AsyncDisposable {
  readonly agent: UserAgent
  readonly gate: Gate
  /** Everything recorded so far. */
  readonly exchanges: readonly Exchange[]
}
