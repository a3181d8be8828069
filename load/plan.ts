import { type Problem, SetupError } from '../src/target/problem.ts'
import type { Target } from '../src/target/target.ts'
import { counted, wrap } from '../src/text/format.ts'
import { type EndpointName, endpointNames, endpoints } from './endpoints.ts'
import { maxLines } from './engine/lines.ts'
import { dimensionsOf, othersToPrepare } from './others.ts'
import { heldRate } from './probes/hold.ts'
import { rampSeconds } from './probes/ramp.ts'
import { type ProbeName, probeNames } from './result.ts'

/** Longest wait for a whole answer, in milliseconds. */
export const timeoutMs = 10_000

/** What is probed: every probe at every endpoint. */
export interface LoadPlan {
  readonly probes: readonly ProbeName[]
  readonly endpoints: readonly EndpointName[]
  /** Requests per second that `hold` keeps up; half of LOAD_MAX_RATE by default. */
  readonly rate?: number
  /** Host that belongs to the tester, so that its capacity may be measured. */
  readonly ownServer?: string
}

/** One probe of one endpoint, with the most that it takes of the budget. */
export interface Step {
  readonly probe: ProbeName
  readonly endpoint: EndpointName
  readonly requests: number
  /** With the waits that the target asks for. Answers that are on their way at the end come on top. */
  readonly seconds: number
}

/** What is probed where nobody says: the questions that every endpoint without a login can be asked. */
const defaults = {
  probes: ['ramp', 'limiter', 'recovery'],
  endpoints: ['event-search'],
} as const satisfies { probes: readonly ProbeName[]; endpoints: readonly EndpointName[] }

export interface PlanWishes {
  readonly probes?: readonly string[]
  readonly endpoints?: readonly string[]
  readonly rate?: string
  readonly ownServer?: string
}

/**
 * What was asked for, validated against the target and its safety profile.
 * @throws {SetupError} for names that do not exist, and for what may not be done to this target
 */
export function planFor(target: Target, wishes: PlanWishes): LoadPlan {
  const problems: Problem[] = []
  const probes = known('--probe', wishes.probes ?? defaults.probes, probeNames, problems)
  const chosen = known('--endpoint', wishes.endpoints ?? defaults.endpoints, endpointNames, problems)
  const rate = wishes.rate === undefined ? undefined : Number(wishes.rate)
  if (rate !== undefined && !(rate > 0 && rate <= target.load.maxRate)) {
    problems.push({
      name: '--rate',
      what: `is ${wishes.rate}, but has to be a number above 0 and at most ${target.load.maxRate} (LOAD_MAX_RATE)`,
      example: String(Math.max(1, Math.floor(target.load.maxRate / 2))),
    })
  }
  problems.push(...productionProblems(target, chosen))
  if (probes.includes('capacity')) problems.push(...capacityProblems(target, chosen, wishes.ownServer))
  if (problems.length > 0) throw new SetupError(problems)
  return {
    probes,
    endpoints: chosen,
    ...(rate !== undefined && { rate }),
    ...(wishes.ownServer !== undefined && { ownServer: wishes.ownServer }),
  }
}

/**
 * The probes one after the other, each with an equal share of LOAD_MAX_REQUESTS, and of what those before it left of
 * LOAD_MAX_SECONDS: at most, they left everything.
 */
export function stepsOf({ probes, endpoints: chosen, rate }: LoadPlan, { load }: Target): Step[] {
  const pairs = chosen.flatMap((endpoint) => probes.map((probe) => ({ probe, endpoint })))
  const requests = Math.floor(load.maxRequests / pairs.length)
  return pairs.map((pair, index) => {
    const share = load.maxSeconds / (pairs.length - index)
    // Only the first begins at once: others may have to wait for what the target asked those before.
    const own = index === 0 ? scheduleSeconds(pair.probe, requests, load.maxRate, rate) : undefined
    return { ...pair, requests, seconds: Math.ceil(Math.min(share, own ?? share)) }
  })
}

/** How long the schedule of a probe is; undefined where it depends on the target. */
function scheduleSeconds(
  probe: ProbeName,
  requests: number,
  maxRate: number,
  rate: number | undefined,
): number | undefined {
  if (probe === 'ramp') return rampSeconds(requests, maxRate, timeoutMs / 1000)
  return probe === 'hold' ? requests / heldRate(maxRate, rate) : undefined
}

/** The most that all probes together take, in seconds. */
function secondsInAll(steps: readonly Step[], maxSeconds: number): number {
  return Math.min(
    maxSeconds,
    steps.reduce((sum, { seconds }) => sum + seconds, 0),
  )
}

/** How often a plan prepares an endpoint: for itself, and for everybody else that a probe asks as. */
function timesPrepared({ probes }: LoadPlan, endpoint: EndpointName, target: Target): number {
  return 1 + (probes.includes('dimension') ? othersToPrepare(endpoint, target) : 0)
}

/** Typed logins that a plan takes, but for those that have to be made again. */
export function loginsOf(plan: LoadPlan, target: Target): number {
  return plan.endpoints.reduce(
    (sum, endpoint) => sum + endpoints[endpoint].logins * timesPrepared(plan, endpoint, target),
    0,
  )
}

/** Requests before the probes, but for those of logins: whether each address answers, and what requests need. */
export function preparationOf(plan: LoadPlan, target: Target): number {
  const addresses = new Set(plan.endpoints.map((endpoint) => endpoint === 'event-search'))
  return plan.endpoints.reduce(
    (sum, endpoint) => sum + endpoints[endpoint].requests(target) * timesPrepared(plan, endpoint, target),
    addresses.size,
  )
}

/** What keeps a plan from being done, beside what its options say; undefined where nothing does. */
export function tooFewLogins(plan: LoadPlan, target: Target): Problem | undefined {
  const logins = loginsOf(plan, target)
  if (logins <= target.loginBudget) return undefined
  return {
    name: 'LOGIN_BUDGET',
    what: `is ${target.loginBudget}, and these probes need ${counted(logins, 'login')}`,
    example: String(logins),
  }
}

/**
 * What will be done at most, before anything is sent.
 * @param width characters to a line
 */
export function planText(plan: LoadPlan, target: Target, width = Number.POSITIVE_INFINITY): string {
  const { maxRate, maxRequests, maxSeconds } = target.load
  const logins = loginsOf(plan, target)
  const steps = stepsOf(plan, target)
  const lines = steps.map(
    ({ probe, endpoint, requests, seconds }) =>
      `  ${probe.padEnd(10)} ${endpoint.padEnd(13)} at most ${requests} requests, ${seconds} s${
        probe === 'dimension'
          ? `, told apart by ${dimensionsOf(endpoint, target).join(', ') || 'nothing'}`
          : ''
      }`,
  )
  const text = [
    `Load probes of ${target.name} (${hostsOf(target, plan.endpoints).join(', ')})`,
    ...lines,
    `At most ${maxRequests} requests and reconnects in all (LOAD_MAX_REQUESTS), ${maxRate}/s (LOAD_MAX_RATE), ${maxLines} connections`,
    `At most ${secondsInAll(steps, maxSeconds)} s in all (LOAD_MAX_SECONDS is ${maxSeconds}), waits for Retry-After included; ${timeoutMs / 1000} s more where the last answers are slow${logins === 0 ? '' : ', and the time for logins'}`,
    `Before the probes ${counted(preparationOf(plan, target), 'request')} to prepare${logins === 0 ? '' : ', those of logins besides'}, more where the target throttles or fails; at most ${target.requestBudget} (REQUEST_BUDGET)`,
    `${loginsText(logins, target)}; ${waits(plan)}`,
  ]
  return `${text.flatMap((line) => wrap(line, width, 4)).join('\n')}\n`
}

function loginsText(logins: number, { loginBudget }: Target): string {
  if (logins === 0) return 'no login'
  return `${counted(logins, 'login')} with a password, each once more where the target throttles or fails on the way, at most ${loginBudget} in all (LOGIN_BUDGET)`
}

/** What is promised about Retry-After; the one probe that does not wait is named. */
function waits({ probes }: LoadPlan): string {
  if (!probes.includes('capacity')) return 'nothing before Retry-After is over'
  return 'capacity paces nothing and waits for no Retry-After, as the server is yours alone; all other probes do'
}

/** Hosts that the endpoints are on. */
export function hostsOf(target: Target, chosen: readonly EndpointName[]): string[] {
  const addresses = chosen.map((endpoint) => {
    if (endpoint === 'event-search') return target.partnerApiUrl
    return endpoint === 'key-set' ? (target.jwksUrl ?? target.issuer) : target.issuer
  })
  return [...new Set(addresses.map((address) => new URL(address).host))]
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

function productionProblems(target: Target, chosen: readonly EndpointName[]): Problem[] {
  if (target.name !== 'production') return []
  return hostsOf(target, chosen)
    .filter((host) => !target.load.productionHosts.includes(host))
    .map((host) => ({
      name: 'ALLOW_PRODUCTION_LOAD',
      what: `does not name ${host}, so no load probe runs there`,
      example: host,
    }))
}

function capacityProblems(
  target: Target,
  chosen: readonly EndpointName[],
  own: string | undefined,
): Problem[] {
  if (target.name === 'embedded') return []
  return hostsOf(target, chosen)
    .filter((host) => host !== own)
    .map((host) => ({
      name: '--own-server',
      what: `does not name ${host}: the probe capacity paces nothing, and is for servers that belong to you alone`,
      example: host,
    }))
}
