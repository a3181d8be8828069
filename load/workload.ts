import { type Problem, SetupError } from '../src/target/problem.ts'
import { partnerApiOf, type Target } from '../src/target/target.ts'
import { counted, wrap } from '../src/text/format.ts'
import { type EndpointName, endpointNames, endpoints } from './endpoints.ts'
import { maxConnections } from './engine/connections.ts'
import { dimensionsOf, identitiesToPrepare } from './identities.ts'
import { heldRate } from './probes/hold.ts'
import { rampSeconds } from './probes/ramp.ts'
import { type ProbeName, probeNames } from './result.ts'

/** Longest wait for a whole response, in milliseconds. */
export const timeoutMs = 10_000

/** What a run of probes does: every probe at every endpoint. */
export interface Workload {
  readonly probes: readonly ProbeName[]
  readonly endpoints: readonly EndpointName[]
  /** Arrival rate of `hold` in requests per second; half of LOAD_MAX_RATE by default. */
  readonly rate?: number
}

/** One probe of one endpoint, with the most that it takes of the budget. */
export interface Step {
  readonly probe: ProbeName
  readonly endpoint: EndpointName
  readonly requests: number
  /** Includes waits for Retry-After; responses that are in flight at the end come on top. */
  readonly seconds: number
}

/** Questions that every target answers without a login. */
const defaults = {
  probes: ['ramp', 'limiter', 'recovery'],
  endpoints: ['event-search'],
} as const satisfies Workload

export interface WorkloadOptions {
  readonly probe?: readonly string[]
  readonly endpoint?: readonly string[]
  readonly rate?: string
  /** Host that belongs to the tester, so that its capacity may be measured. */
  readonly ownServer?: string
}

/**
 * The workload of a command, validated against the target and its safety profile.
 * @throws {SetupError} for names that do not exist, and for what is not allowed on this target
 */
export function workloadOf(target: Target, options: WorkloadOptions): Workload {
  const { maxRate, productionHosts } = target.load
  const problems: Problem[] = []
  const probes = known('--probe', options.probe ?? defaults.probes, probeNames, problems)
  const chosen = known('--endpoint', options.endpoint ?? defaults.endpoints, endpointNames, problems)
  const rate = options.rate === undefined ? undefined : Number(options.rate)
  if (rate !== undefined && !(rate > 0 && rate <= maxRate)) {
    problems.push({
      name: '--rate',
      what: `is ${options.rate}, but has to be a number above 0 and at most ${maxRate} (LOAD_MAX_RATE)`,
      example: String(Math.max(1, Math.floor(maxRate / 2))),
    })
  }
  const hosts = hostsOf(target, chosen)
  if (target.name === 'production')
    for (const host of hosts.filter((one) => !productionHosts.includes(one)))
      problems.push({
        name: 'ALLOW_PRODUCTION_LOAD',
        what: `does not name ${host}, so no load probe runs there`,
        example: host,
      })
  if (probes.includes('capacity') && target.name !== 'embedded')
    for (const host of hosts.filter((one) => one !== options.ownServer))
      problems.push({
        name: '--own-server',
        what: `does not name ${host}: the probe capacity paces nothing, and is for servers that belong to you alone`,
        example: host,
      })
  if (problems.length > 0) throw new SetupError(problems)
  return { probes, endpoints: chosen, ...(rate !== undefined && { rate }) }
}

function known<T extends string>(
  option: string,
  names: readonly string[],
  all: readonly T[],
  problems: Problem[],
): T[] {
  for (const name of names) {
    if (!all.some((one) => one === name))
      problems.push({
        name: option,
        what: `names ${JSON.stringify(name)}, which is not one of ${all.join(', ')}`,
      })
  }
  return all.filter((one) => names.includes(one))
}

/** Hosts of the endpoints. */
function hostsOf(target: Target, chosen: readonly EndpointName[]): string[] {
  const addresses = chosen.map((endpoint) => {
    if (endpoint === 'event-search') return partnerApiOf(target).url
    return endpoint === 'key-set' ? (target.jwksUrl ?? target.issuer) : target.issuer
  })
  return [...new Set(addresses.map((address) => new URL(address).host))]
}

/**
 * The probes one after the other. Each has an equal share of LOAD_MAX_REQUESTS, and of the time that earlier probes left
 * of LOAD_MAX_SECONDS: at most all of it.
 */
export function stepsOf({ probes, endpoints: chosen, rate }: Workload, { load }: Target): Step[] {
  const pairs = chosen.flatMap((endpoint) => probes.map((probe) => ({ probe, endpoint })))
  const requests = Math.floor(load.maxRequests / pairs.length)
  return pairs.map((pair, index) => {
    const share = load.maxSeconds / (pairs.length - index)
    // Only the first begins at once: later ones may have to wait for the Retry-After of earlier ones.
    const own = index === 0 ? scheduleSeconds(pair.probe, requests, load.maxRate, rate) : undefined
    return { ...pair, requests, seconds: Math.ceil(Math.min(share, own ?? share)) }
  })
}

/** Duration of the schedule of a probe; undefined where it depends on the target. */
function scheduleSeconds(probe: ProbeName, requests: number, maxRate: number, rate: number | undefined) {
  if (probe === 'ramp') return rampSeconds(requests, maxRate, timeoutMs / 1000)
  return probe === 'hold' ? requests / heldRate(maxRate, rate) : undefined
}

/** How often an endpoint is prepared: for the usual identity, and for others that a probe sends as. */
function preparations({ probes }: Workload, endpoint: EndpointName, target: Target): number {
  return 1 + (probes.includes('dimension') ? identitiesToPrepare(endpoint, target) : 0)
}

/** Typed logins of a workload, without retries. */
export function loginsOf(workload: Workload, target: Target): number {
  return workload.endpoints.reduce(
    (sum, endpoint) => sum + endpoints[endpoint].logins * preparations(workload, endpoint, target),
    0,
  )
}

/** Requests before the probes, without those of logins: the preflight of each host, and what requests need. */
function preparationOf(workload: Workload, target: Target): number {
  const hosts = new Set(workload.endpoints.map((endpoint) => endpoint === 'event-search'))
  return workload.endpoints.reduce(
    (sum, endpoint) => sum + endpoints[endpoint].requests(target) * preparations(workload, endpoint, target),
    hosts.size,
  )
}

/** What keeps a workload from beginning; undefined where nothing does. */
export function tooFewLogins(workload: Workload, target: Target): Problem | undefined {
  const logins = loginsOf(workload, target)
  if (logins <= target.loginBudget) return undefined
  return {
    name: 'LOGIN_BUDGET',
    what: `is ${target.loginBudget}, and these probes need ${counted(logins, 'login')}`,
    example: String(logins),
  }
}

/** The most that a workload does, for people, before anything is sent. @param width characters to a line */
export function workloadText(workload: Workload, target: Target, width = Number.POSITIVE_INFINITY): string {
  const { maxRate, maxRequests, maxSeconds } = target.load
  const logins = loginsOf(workload, target)
  const steps = stepsOf(workload, target)
  const seconds = steps.reduce((sum, step) => sum + step.seconds, 0)
  const lines = steps.map(({ probe, endpoint, requests, seconds }) => {
    const apart = dimensionsOf(endpoint, target).join(', ') || 'nothing'
    const keys = probe === 'dimension' ? `, told apart by ${apart}` : ''
    return `  ${probe.padEnd(10)} ${endpoint.padEnd(13)} at most ${requests} requests, ${seconds} s${keys}`
  })
  const text = [
    `Load probes of ${target.name} (${hostsOf(target, workload.endpoints).join(', ')})`,
    ...lines,
    `At most ${maxRequests} requests and reconnects in all (LOAD_MAX_REQUESTS), ${maxRate}/s (LOAD_MAX_RATE), ${maxConnections} connections`,
    `At most ${Math.min(maxSeconds, seconds)} s in all (LOAD_MAX_SECONDS is ${maxSeconds}), waits for Retry-After included; ${timeoutMs / 1000} s more where the last answers are slow${logins === 0 ? '' : ', and the time for logins'}`,
    `Before the probes ${counted(preparationOf(workload, target), 'request')} to prepare${logins === 0 ? '' : ', those of logins besides'}, more where the target throttles or fails; at most ${target.requestBudget} (REQUEST_BUDGET)`,
    `${loginsText(logins, target)}; ${retryAfterText(workload)}`,
  ]
  return `${text.flatMap((line) => wrap(line, width, 4)).join('\n')}\n`
}

function loginsText(logins: number, { loginBudget }: Target): string {
  if (logins === 0) return 'no login'
  return `${counted(logins, 'login')} with a password, each once more where the target throttles or fails on the way, at most ${loginBudget} in all (LOGIN_BUDGET)`
}

/** Names the one probe that does not wait. */
function retryAfterText({ probes }: Workload): string {
  if (!probes.includes('capacity')) return 'nothing before Retry-After is over'
  return 'capacity paces nothing and waits for no Retry-After, as the server is yours alone; all other probes do'
}
