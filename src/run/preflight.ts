import { setTimeout as sleep } from 'node:timers/promises'
import { Temporal } from 'temporal-polyfill'
import type { Host } from '../check/requirement.ts'
import type { UnusableHost } from '../check/run-context.ts'
import { partnerHeaders, queryString, type SearchQuery } from '../event-hub/search.ts'
import type { Exchange } from '../evidence/exchange.ts'
import { Recorder } from '../evidence/recorder.ts'
import type { Budget } from '../http/budget.ts'
import { causeOf, HttpFailure, whyUnreachable } from '../http/failures.ts'
import { Http } from '../http/http.ts'
import type { HttpRequest } from '../http/request.ts'
import { endpoint } from '../oauth/endpoints.ts'
import { partnerApiOf } from '../target/parts.ts'
import { type Problem, SetupError } from '../target/problem.ts'
import type { Target } from '../target/target.ts'

/**
 * Time limit for each request of the preflight, including its retries, in milliseconds. Without it, a response that
 * arrives byte by byte could take minutes.
 */
const longestMs = 15_000

/** For each unreachable host: the reason that checks state, and the problem that the command prints. */
type UnreachableHosts = Readonly<Partial<Record<Host, UnusableHost & { readonly problem: Problem }>>>

/**
 * Sends one harmless request to each host that the checks need, so that an unreachable host is reported once, not by
 * each check. If the request fails, Plumbline tries the root of the host, and then an endpoint that checks need. A
 * host is unreachable if all three requests fail. Any response counts as success, even an error or a 429. If the
 * identity provider and the partner API have the same origin, a successful first request covers both.
 */
export async function preflight(
  target: Target,
  hosts: ReadonlySet<Host>,
  budget: Budget,
): Promise<UnreachableHosts> {
  const unreachable: { -readonly [Name in Host]?: NonNullable<UnreachableHosts[Name]> } = {}
  const reached = new Set<string>()
  for (const host of hosts) {
    const { name, firstUrl, neededEndpoint } = requestsTo(host, target)
    if (reached.has(firstUrl.origin)) continue
    const failure = await failureOf(target, budget, { url: firstUrl, retry: 'safe' })
    if (failure === undefined) {
      reached.add(firstUrl.origin)
      continue
    }
    // Another path may respond: the path in the configuration may be wrong, or a gateway may drop requests to it.
    const responds = async (request: PreflightRequests['neededEndpoint']) =>
      (await failureOf(target, budget, { ...request, retry: 'after-429-or-503' })) === undefined
    if ((await responds({ url: new URL('/', firstUrl) })) || (await responds(neededEndpoint))) continue
    const { what, ...advice } = whyUnreachable(failure, target.proxy !== undefined)
    const problem = { name, what: `points to ${firstUrl.host}, which ${what}`, ...advice }
    unreachable[host] = { problem, reason: `${name} ${problem.what}`, cause: unreachableCause(failure) }
  }
  return unreachable
}

/** Requests of the preflight to one host. */
interface PreflightRequests {
  /** The variable that contains the address of the host. */
  readonly name: 'IDP_BASE_URL' | 'PARTNER_API_URL'
  /** Address of the first request, which sends no credentials. */
  readonly firstUrl: URL
  /** Request to an endpoint that checks need; the last attempt, after the root of the host. */
  readonly neededEndpoint: Pick<HttpRequest, 'url' | 'headers'>
}

function requestsTo(host: Host, target: Target): PreflightRequests {
  if (host === 'identity-provider') {
    return {
      name: 'IDP_BASE_URL',
      firstUrl: endpoint(target, 'discovery'),
      neededEndpoint: { url: endpoint(target, 'authorization') },
    }
  }
  const { url, credentials } = partnerApiOf(target)
  const search = new URL(`${url}/events/search`)
  search.search = queryString(hourTwoDaysAgo())
  // A search without credentials is not valid, so the first request goes to the base address.
  return {
    name: 'PARTNER_API_URL',
    firstUrl: new URL(url),
    neededEndpoint: { url: search, headers: partnerHeaders(credentials) },
  }
}

/** An hour that is in the past in every time zone, because a search states local times without a zone. */
function hourTwoDaysAgo(): SearchQuery {
  const to = Temporal.Now.plainDateTimeISO('UTC').subtract({ days: 2 })
  return { from: to.subtract({ hours: 1 }), to }
}

/**
 * Prevents a run that could check nothing. If only some hosts are unreachable, the run starts, and the checks that
 * need these hosts are inconclusive.
 * @param advice a sentence that applies to all hosts
 * @throws {SetupError} if every host is unreachable, and the configuration is the cause for at least one
 */
export function requireReachable(
  unreachable: UnreachableHosts,
  hosts: ReadonlySet<Host>,
  advice?: string,
): void {
  const failures = Object.values(unreachable)
  const isMisconfigured = failures.some(({ cause }) => cause === 'configuration')
  if (isMisconfigured && failures.length === hosts.size) throw unreachableError(unreachable, advice)
}

export function unreachableError(unreachable: UnreachableHosts, advice?: string): SetupError {
  const problems = Object.values(unreachable).map(({ problem }) => problem)
  return new SetupError(problems, advice)
}

/** The advice when a run cannot start, for `requireReachable`. */
export function nothingChecked({ name }: Target): string {
  return `Nothing was checked. To examine the connection, run \`npx plumbline doctor --target ${name}\`.`
}

/** Sends a request. @returns the failure if the host did not respond; undefined after any response */
async function failureOf(
  target: Target,
  budget: Budget,
  request: Pick<HttpRequest, 'url' | 'headers' | 'retry'>,
): Promise<HttpFailure | undefined> {
  const recorder = new Recorder()
  /** The attempts so far. */
  const exchanges: Exchange[] = []
  const http = new Http(budget, recorder, target.proxy)
  const ended = new AbortController()
  const timeout = sleep(longestMs, undefined, { signal: ended.signal }).then(() => {
    // A host that throttled an attempt has responded, even if the retry still waits for its Retry-After.
    if (exchanges.some(({ response }) => response !== undefined)) return
    throw new HttpFailure('timed-out', `no complete response within ${longestMs / 1000} s`)
  })
  // Either `timeout` or `sent` may still fail after the race below: ignore that error.
  timeout.catch(() => undefined)
  const sent = recorder.collectInto(exchanges, () => http.send({ method: 'GET', ...request }))
  sent.catch(() => undefined)
  try {
    await Promise.race([sent, timeout])
    return undefined
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    // A target that throttles or returns errors is reachable. The checks report these failures.
    return error.kind === 'unreachable' || error.kind === 'timed-out' ? error : undefined
  } finally {
    ended.abort()
    // After the time limit, this ends the pending request. A retry that still waits is not sent.
    await http.close()
  }
}

/** The environment if the host does not respond in time; otherwise the configuration, such as a wrong host name. */
function unreachableCause(failure: HttpFailure): UnusableHost['cause'] {
  return failure.kind === 'timed-out' ? causeOf(failure) : 'configuration'
}
