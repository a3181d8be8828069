import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { faults, startProvider } from '../provider/index.ts'
import type { LaunchedBrowser } from '../src/browser/index.ts'
import { RunContext } from '../src/check/run-context.ts'
import { loadSuites, type SuiteCheck } from '../src/check/suites.ts'
import { type Random, randomFrom, shuffled } from '../src/random.ts'
import { runDirectly } from '../src/run/direct-run.ts'
import { prepareRun } from '../src/run/prepare-run.ts'
import { targetFrom } from '../src/target/config.ts'
import { startCountingServer } from './counting-server.ts'
import { startFront } from './front.ts'
import { launchSiegeBrowser } from './hostile-browsing.ts'
import { type Misbehave, status } from './misbehaviours.ts'
import type { Attempt, Subject } from './subject.ts'

const runs = 200
const checksOfRun = 15
/** Longest time in which a request that is under way arrives, in milliseconds. */
const underWayMs = 300
/** How long the server counts requests after a run was stopped, in milliseconds. */
const countedMs = 2000

/** Arrival of a throttled request, and the time when its Retry-After has elapsed, in milliseconds. */
interface Throttled {
  readonly at: number
  readonly until: number
}

/** Observes the requests of one run. */
class Observer {
  readonly arrivals: number[] = []
  readonly throttled: Throttled[] = []
  passwords = 0
  readonly #random: Random
  readonly #elsewhere: string

  /** @param elsewhere the address of a host that is not configured */
  constructor(random: Random, elsewhere: string) {
    this.#random = random
    this.#elsewhere = elsewhere
  }

  /** Throttles one request in 15, and sends one in 40 to another host. */
  readonly intercept = (request: IncomingMessage): Misbehave | undefined => {
    const at = performance.now()
    this.arrivals.push(at)
    const odds = this.#random()
    const throttles = odds < 1 / 15
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      // The retry of a throttled login is not a new login.
      const isLogin = /(?:^|&)password=[^&]/.test(body) && !/grant_type/.test(body)
      if (isLogin && !throttles) this.passwords += 1
    })
    if (throttles) {
      const seconds = 1 + Math.floor(this.#random() * 2)
      this.throttled.push({ at, until: at + seconds * 1000 })
      return status(429, { 'retry-after': String(seconds) })
    }
    if (odds > 1 - 1 / 40)
      return (_, response) => void response.writeHead(302, { location: this.#elsewhere }).end()
    return undefined
  }

  /** Number of requests before Retry-After had elapsed. */
  get early(): number {
    return this.arrivals.filter((arrival) =>
      this.throttled.some(({ at, until }) => arrival > at + underWayMs && arrival < until),
    ).length
  }

  after(stoppedAt: number): number {
    return this.arrivals.filter((arrival) => arrival > stoppedAt + underWayMs).length
  }
}

/** Random checks against providers with random faults, within random small budgets. */
export async function harmless(): Promise<Subject> {
  const { checks } = await loadSuites()
  const browser = await launchSiegeBrowser()
  const names = Array.from({ length: runs }, (_, index) => `seed ${index + 1}`)
  return {
    name: 'harmless',
    promise:
      'A run sends at most REQUEST_BUDGET requests and LOGIN_BUDGET passwords, none before Retry-After has elapsed, none to a host that is not configured, and none after it is stopped.',
    method: `A server counts the requests of ${checksOfRun} random checks against a provider with random faults, which throttles one request in 15 and redirects one in 40 to another host; every fourth run is stopped at a random moment.`,
    attempts: new Map(names.map((name) => [name, () => attempt(checks, browser, randomFrom(1, name))])),
    parallel: 4,
    close: () => browser.close(),
  }
}

async function attempt(
  all: readonly SuiteCheck[],
  browser: LaunchedBrowser,
  random: Random,
): Promise<Attempt> {
  const usable = faults.filter(({ proofWaits, variants }) => !proofWaits && !variants)
  const names = shuffled(usable, random).slice(0, 1 + Math.floor(random() * 3))
  const provider = await startProvider({ faults: names.map(({ name }) => name) })
  const elsewhere = await startCountingServer((_, response) => response.end('{}'))
  const observer = new Observer(random, `${elsewhere.origin}/`)
  const front = await startFront(provider, observer.intercept)
  const chosen = new Set(shuffled(all, random).slice(0, checksOfRun))
  const [requests, logins] = [5 + Math.floor(random() * 60), 1 + Math.floor(random() * 2)]
  const stopsAfterMs = random() < 1 / 4 ? random() * 4000 : undefined
  const target = targetFrom('embedded', {
    ...front.variables,
    REQUEST_BUDGET: String(requests),
    LOGIN_BUDGET: String(logins),
    REQUESTS_PER_SECOND: '50',
    SEED: '1',
  })
  const stop = new AbortController()
  let stoppedAt = Number.POSITIVE_INFINITY
  const timer = setTimeout(() => {
    stoppedAt = performance.now()
    stop.abort()
  }, stopsAfterMs ?? 1e6)
  try {
    await execute(
      [...all].filter((check) => chosen.has(check)),
      target,
      browser,
      stop.signal,
    )
  } finally {
    clearTimeout(timer)
    await sleep(stopsAfterMs === undefined ? underWayMs : countedMs)
    front.close()
    await Promise.all([provider.close(), elsewhere.close()])
  }
  const sent = observer.arrivals.length
  const late = observer.after(stoppedAt)
  const sentElsewhere = elsewhere.requests.length + elsewhere.silent
  const isWithin = sent <= requests && observer.passwords <= logins
  // A run without requests proves nothing, unless it was meant to be stopped.
  const hasBegun = sent > 0 || stopsAfterMs !== undefined
  return {
    held: isWithin && hasBegun && observer.early === 0 && late === 0 && sentElsewhere === 0,
    measured: `${sent} of ${requests} requests, ${observer.passwords} of ${logins} logins, ${observer.throttled.length} throttled, ${observer.early} early, ${sentElsewhere} elsewhere${stopsAfterMs === undefined ? '' : `, ${late} after the stop`}`,
  }
}

async function execute(
  checks: readonly SuiteCheck[],
  target: ReturnType<typeof targetFrom>,
  browser: LaunchedBrowser,
  signal: AbortSignal,
): Promise<void> {
  try {
    const prepared = await prepareRun({ target, checks, browser, signal })
    const run = new RunContext(prepared.options)
    const observer = { checkStarts: () => undefined, checkEnds: () => undefined }
    await runDirectly(checks, run, observer, signal).finally(() => run.close())
  } catch (error) {
    // Stopping a run makes its waiting requests fail.
    if (!signal.aborted) throw error
  }
}
