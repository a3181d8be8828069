import type { Browser } from 'playwright'
import { launchBrowser, newWindows, UserAgent, type UserAgentOptions } from '../../src/browser/index.ts'
import type { Exchange } from '../../src/evidence/exchange.ts'
import { Recorder } from '../../src/evidence/recorder.ts'
import { Budget, type BudgetOptions } from '../../src/http/budget.ts'
import { redirectUri } from './login-site.ts'

/** One browser for the tests of a file. It can reach only the hosts that the tests name. */
export class TestBrowser {
  readonly browser: Browser

  private constructor(browser: Browser) {
    this.browser = browser
  }

  static async start(hosts: readonly string[]): Promise<TestBrowser> {
    const { browser } = await launchBrowser({ hosts })
    return new TestBrowser(browser)
  }

  /** An agent with a budget and a recorder of its own. */
  async agent(
    hosts: readonly string[],
    {
      budget: limits,
      ...options
    }: Partial<Omit<UserAgentOptions, 'budget'>> & { readonly budget?: Partial<BudgetOptions> } = {},
  ): Promise<TestAgent> {
    const budget = new Budget({
      hosts,
      requestsPerSecond: Number.POSITIVE_INFINITY,
      requestBudget: 200,
      loginBudget: 5,
      ...limits,
    })
    const recorder = new Recorder()
    const exchanges: Exchange[] = []
    const recording = Promise.withResolvers<void>()
    const recorded = recorder.collectInto(exchanges, () => recording.promise)
    const agent = await UserAgent.open(newWindows(this.browser), {
      budget,
      recorder,
      hosts,
      redirectUris: [redirectUri],
      timeoutMs: 8000,
      ...options,
    })
    return {
      agent,
      budget,
      exchanges,
      async [Symbol.asyncDispose]() {
        recording.resolve()
        await recorded
        await agent.close()
      },
    }
  }

  close(): Promise<void> {
    return this.browser.close()
  }
}

interface TestAgent extends AsyncDisposable {
  readonly agent: UserAgent
  readonly budget: Budget
  /** Everything recorded so far. */
  readonly exchanges: readonly Exchange[]
}
