import type { Host } from '../src/check/requirement.ts'
import { issuerOf, partnerApiOf } from '../src/target/parts.ts'
import { type Problem, SetupError } from '../src/target/problem.ts'
import type { Target } from '../src/target/target.ts'
import { counted, wrap } from '../src/text/format.ts'
import { type EndpointName, endpointNames, endpoints } from './endpoints.ts'
import { maxConnections } from './engine/connections.ts'
import { dimensionsOf, identitiesToPrepare } from './identities.ts'
import { heldRate } from './probes/hold.ts'
import { rampSeconds } from './probes/ramp.ts'
import { type ProbeName, probeNames } from './result.ts'

/** Time limit for a complete response, in milliseconds. */
export const timeoutMs = 10_000

/** The probes of a run: every probe at every endpoint. */
export interface Workload {
  readonly probes: readonly ProbeName[]
  readonly endpoints: readonly EndpointName[]
  /** Arrival rate of `hold` in requests per second; half of LOAD_MAX_RATE by default. */
  readonly rate?: number
}

/** The command that runs the probes of a workload again. */
export function probeCommand(target: Pick<Target, 'name'>, { probes, endpoints }: Workload): string {
  return `npx plumbline probe --target ${target.name} --probe ${probes.join(' ')} --endpoint ${endpoints.join(' ')}`
}

/** One probe of one endpoint, with its share of the budget. */
export interface Step {
  readonly probe: ProbeName
  readonly endpoint: EndpointName
  /** Share of the requests and the time that earlier probes left, from 0 to 1. */
  readonly share: number
  /** Largest number of requests, reached only if earlier probes sent none. */
  readonly requests: number
  /** Largest duration, with waits for Retry-After, but without the last responses in flight. */
  readonly seconds: number
}

/** The command that runs one probe again. */
export function stepCommand(target: Pick<Target, 'name'>, { probe, endpoint }: Step): string {
  return probeCommand(target, { probes: [probe], endpoints: [endpoint] })
}

/** The default probes need no login. */
const defaults = {
  probes: ['limiter', 'ramp', 'recovery'],
  endpoints: ['event-search'],
} as const satisfies Workload

export interface WorkloadOptions {
  readonly probe?: readonly string[]
  readonly endpoint?: readonly string[]
  readonly rate?: string
  /** The only host, apart from the embedded provider, that `capacity` may load: a server reserved for the tester. */
  readonly ownServer?: string
}

/**
 * The workload of a command, validated against the target and its safety profile.
 * @throws {SetupError} for unknown names, and for probes that are not allowed on this target
 */
export function workloadOf(target: Target, options: WorkloadOptions): Workload {
  const { maxRate, productionHosts } = target.load
  const problems: Problem[] = []
  const probes = validNames('--probe', options.probe ?? defaults.probes, probeNames, problems)
  const chosen = validNames('--endpoint', options.endpoint ?? defaults.endpoints, endpointNames, problems)
  const rate = options.rate === undefined ? undefined : Number(options.rate)
  if (rate !== undefined && !(rate > 0 && rate <= maxRate)) {
    problems.push({
      name: '--rate',
      what: `is ${options.rate}, but must be a number above 0 and at most ${maxRate} (LOAD_MAX_RATE)`,
      example: String(Math.max(1, Math.floor(maxRate / 2))),
    })
  }
  const hosts = hostsOf(target, chosen)
  if (target.name === 'production')
    for (const host of hosts.filter((one) => !productionHosts.includes(one)))
      problems.push({
        name: 'ALLOW_PRODUCTION_LOAD',
        what: `does not contain ${host}, so load probes are not allowed there`,
        example: host,
      })
  if (probes.includes('capacity') && target.name !== 'embedded')
    for (const host of hosts.filter((one) => one !== options.ownServer))
      problems.push({
        name: '--own-server',
        what: `is not ${host}: the probe capacity has no pacing, and is allowed only on servers that only you use`,
        example: host,
      })
  if (problems.length > 0) throw new SetupError(problems)
  return { probes, endpoints: chosen, ...(rate !== undefined && { rate }) }
}

function validNames<T extends string>(
  option: string,
  names: readonly string[],
  all: readonly T[],
  problems: Problem[],
): T[] {
  for (const name of names) {
    if (!all.some((one) => one === name))
      problems.push({
        name: option,
        what: `${JSON.stringify(name)} is not one of ${all.join(', ')}`,
      })
  }
  return all.filter((one) => names.includes(one))
}

/** The hosts that preflight must reach. */
export function hostsIn({ endpoints: chosen }: Workload): ReadonlySet<Host> {
  return new Set(chosen.map((endpoint) => endpoints[endpoint].host))
}

/** Host names of the endpoints, with their ports. */
function hostsOf(target: Target, chosen: readonly EndpointName[]): string[] {
  const addresses = chosen.map((endpoint) => {
    if (endpoints[endpoint].host === 'partner-api') return partnerApiOf(target).url
    return endpoint === 'key-set' && target.jwksUrl !== undefined ? target.jwksUrl : issuerOf(target)
  })
  return [...new Set(addresses.map((address) => new URL(address).host))]
}

/** Relative shares of the budget, by probe; 1 for the other probes. */
const partsOf: Readonly<Partial<Record<ProbeName, number>>> = { limiter: 4 }

/** The probes in order, each with a share of the requests and the time that earlier probes left. */
export function stepsOf({ probes, endpoints: chosen, rate }: Workload, { load }: Target): Step[] {
  const pairs = chosen.flatMap((endpoint) => probes.map((probe) => ({ probe, endpoint })))
  const parts = pairs.map(({ probe }) => partsOf[probe] ?? 1)
  return pairs.map((pair, index) => {
    const share = (parts[index] ?? 1) / parts.slice(index).reduce((sum, part) => sum + part, 0)
    const requests = Math.floor(load.maxRequests * share)
    // Only the first probe has the duration of its schedule: a later probe may first wait for an earlier Retry-After.
    const scheduled = index === 0 ? scheduleSeconds(pair.probe, requests, load.maxRate, rate) : undefined
    const seconds = Math.ceil(Math.min(load.maxSeconds * share, scheduled ?? Number.POSITIVE_INFINITY))
    return { ...pair, share, requests, seconds }
  })
}

/** Duration of the schedule of a probe in seconds; undefined if it depends on the target. */
function scheduleSeconds(probe: ProbeName, requests: number, maxRate: number, rate: number | undefined) {
  if (probe === 'ramp') return rampSeconds(requests, maxRate, timeoutMs / 1000)
  return probe === 'hold' ? requests / heldRate(maxRate, rate) : undefined
}

/** How often an endpoint is prepared: for the run's own identity, and for the other identities of `dimension`. */
function preparations({ probes }: Workload, endpoint: EndpointName, target: Target): number {
  return 1 + (probes.includes('dimension') ? identitiesToPrepare(endpoint, target) : 0)
}

/** Number of logins with a password, without retries. */
export function loginsOf(workload: Workload, target: Target): number {
  return workload.endpoints.reduce(
    (sum, endpoint) => sum + endpoints[endpoint].logins * preparations(workload, endpoint, target),
    0,
  )
}

/** Number of requests before the probes, without those of logins: one preflight of each host, and `prepare`. */
function preparationRequests(workload: Workload, target: Target): number {
  return workload.endpoints.reduce(
    (sum, endpoint) =>
      sum + (endpoints[endpoint].requests?.(target) ?? 0) * preparations(workload, endpoint, target),
    hostsIn(workload).size,
  )
}

/** The problem if LOGIN_BUDGET is less than the number of logins of a workload; undefined if it is sufficient. */
export function tooFewLogins(workload: Workload, target: Target): Problem | undefined {
  const logins = loginsOf(workload, target)
  if (logins <= target.loginBudget) return undefined
  return {
    name: 'LOGIN_BUDGET',
    what: `is ${target.loginBudget}, but these probes need ${counted(logins, 'login')}`,
    example: String(logins),
  }
}

/** Describes the upper limits of a workload, before any request is sent. @param width characters per line */
export function workloadText(workload: Workload, target: Target, width = Number.POSITIVE_INFINITY): string {
  const { maxRate, maxRequests, maxSeconds } = target.load
  const logins = loginsOf(workload, target)
  const steps = stepsOf(workload, target)
  const seconds = steps.reduce((sum, step) => sum + step.seconds, 0)
  const lines = steps.map(({ probe, endpoint, requests, seconds }) => {
    const limitKeys = dimensionsOf(endpoint, target).join(', ') || 'none'
    const keys = probe === 'dimension' ? `, limit keys to distinguish: ${limitKeys}` : ''
    return `  ${probe.padEnd(10)} ${endpoint.padEnd(13)} up to ${requests} requests, ${seconds} s${keys}`
  })
  const caps =
    'Caps per probe (each probe may use a share of what is left when it starts; the numbers assume that earlier probes use nothing, so they add up to more than the total):'
  const text = [
    `Load probes of ${target.name} (${hostsOf(target, workload.endpoints).join(', ')})`,
    `At most ${maxRequests} requests and reconnects in total (LOAD_MAX_REQUESTS), ${maxRate} requests/s (LOAD_MAX_RATE), ${maxConnections} connections`,
    `At most ${seconds < maxSeconds ? `${seconds} s in total` : `${maxSeconds} s in total (LOAD_MAX_SECONDS)`}, including waits for Retry-After; up to ${timeoutMs / 1000} s more for the last responses${logins === 0 ? '' : ', plus the time for logins'}`,
    ...(lines.length === 1 ? [] : [caps]),
    ...lines,
    `Before the probes: normally ${counted(preparationRequests(workload, target), 'request')} to check that the target responds${logins === 0 ? '' : ', plus those of logins'}, counted against REQUEST_BUDGET (${target.requestBudget}) and not against LOAD_MAX_REQUESTS`,
    `Logins: ${loginsText(logins, target)}`,
    ...retryAfterTexts(workload),
  ]
  return `${text.flatMap((line) => wrap(line, width, 4)).join('\n')}\n`
}

function loginsText(logins: number, { loginBudget }: Target): string {
  if (logins === 0) return 'none'
  const most = Math.min(2 * logins, loginBudget)
  const repeated = most > logins ? `, up to ${most} if the target throttles or fails` : ''
  return `${logins} with a password${repeated} (LOGIN_BUDGET is ${loginBudget})`
}

/** How the chosen probes treat Retry-After. */
function retryAfterTexts({ probes }: Workload): string[] {
  return [
    'After a 429, the probes send no request before Retry-After has elapsed',
    ...(probes.includes('dimension')
      ? [
          '  Except in dimension: while one identity waits, other identities send one request each, at most seven in total',
        ]
      : []),
    ...(probes.includes('capacity')
      ? ['  Except in capacity: it has no pacing and ignores Retry-After, since only you use the server']
      : []),
  ]
}
