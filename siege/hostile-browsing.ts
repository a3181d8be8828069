import { type Landing, type LaunchedBrowser, launchBrowser } from '../src/browser/index.ts'
import { Recorder } from '../src/evidence/recorder.ts'
import { Budget } from '../src/http/budget.ts'
import { type Answer, type CountingServer, startCountingServer } from './counting-server.ts'

/** A browser that may reach servers on this machine. */
export function launchSiegeBrowser(): Promise<LaunchedBrowser> {
  return launchBrowser({ hosts: ['127.0.0.1:*', 'localhost:*'], headed: false })
}

/** The result of one authorization request to a hostile server. */
interface Visit {
  readonly landing: Landing
  /** Requests that the budget counted. */
  readonly counted: number
  /** The counts of the server. */
  readonly server: Pick<CountingServer, 'requests' | 'datagrams' | 'silent'>
  readonly seconds: number
}

interface VisitOptions {
  readonly requestBudget: number
  readonly timeoutMs?: number
}

/** Sends one authorization request to a hostile server, and types nothing. */
export async function visit(
  { openAgent }: LaunchedBrowser,
  answer: Answer,
  { requestBudget, timeoutMs = 4000 }: VisitOptions,
): Promise<Visit> {
  const server = await startCountingServer(answer)
  const hosts = [server.host, server.host.replace('127.0.0.1', 'localhost')]
  const budget = new Budget({ hosts, requestsPerSecond: 1000, requestBudget, loginBudget: 1 })
  const redirectUri = 'https://app.invalid/callback'
  const options = { budget, recorder: new Recorder(), hosts, redirectUris: [redirectUri], timeoutMs }
  const agent = await openAgent(options)
  const began = performance.now()
  const landing = await agent.authorize(new URL('/storm', server.origin), { redirectUri, act: 'stop' })
  const seconds = (performance.now() - began) / 1000
  await agent.close()
  // The last requests may still be under way.
  await new Promise((resolve) => setTimeout(resolve, 100))
  await server.close()
  return { landing, counted: budget.requests, server, seconds }
}
