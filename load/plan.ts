import { type Problem, SetupError } from '../src/target/problem.ts'
import type { Target } from '../src/target/target.ts'
import { type EndpointName, endpointNames, endpoints } from './endpoints.ts'
import { maxLines } from './engine/lines.ts'
import { dimensionsOf, loginsOfOthers } from './others.ts'
import { type ProbeName, probeNames } from './result.ts'

/** What is probed: every probe at every endpoint. */
export interface LoadPlan {
  readonly probes: readonly ProbeName[]
  readonly endpoints: readonly EndpointName[]
  /** Requests per second that `hold` keeps up; half of LOAD_MAX_RATE by default. */
  readonly rate?: number
  /** Host that belongs to the tester, so that its capacity may be measured. */
  readonly ownServer?: string
}

/** One probe of one endpoint, with its share of the budget. */
export interface Step {
  readonly probe: ProbeName
  readonly endpoint: EndpointName
  readonly requests: number
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

/** The probes one after the other, each with an equal share of LOAD_MAX_REQUESTS. */
export function stepsOf({ probes, endpoints: chosen }: LoadPlan, target: Target): Step[] {
  const pairs = chosen.flatMap((endpoint) => probes.map((probe) => ({ probe, endpoint })))
  const share = Math.floor(target.load.maxRequests / pairs.length)
  return pairs.map((pair) => ({ ...pair, requests: share }))
}

/** Typed logins that a plan takes at most. */
export function loginsOf({ probes, endpoints: chosen }: LoadPlan, target: Target): number {
  return chosen.reduce(
    (sum, endpoint) =>
      sum +
      endpoints[endpoint].logins +
      (probes.includes('dimension') ? loginsOfOthers(endpoint, target) : 0),
    0,
  )
}

/** What will be done at most, before anything is sent. */
export function planText(plan: LoadPlan, target: Target): string {
  const { maxRate, maxRequests, maxSeconds } = target.load
  const steps = stepsOf(plan, target).map(
    ({ probe, endpoint, requests }) =>
      `  ${probe.padEnd(10)} ${endpoint.padEnd(13)} at most ${requests} requests${
        probe === 'dimension'
          ? `, told apart by ${dimensionsOf(endpoint, target).join(', ') || 'nothing'}`
          : ''
      }`,
  )
  const logins = loginsOf(plan, target)
  return [
    `Load probes of ${target.name} (${hostsOf(target, plan.endpoints).join(', ')})`,
    ...steps,
    `At most ${maxRequests} requests and reconnects in all (LOAD_MAX_REQUESTS), ${maxSeconds} s (LOAD_MAX_SECONDS), ${maxRate}/s (LOAD_MAX_RATE), ${maxLines} connections`,
    `${logins === 0 ? 'no login' : `at most ${logins} logins with a password, and the few requests they take`}; nothing before Retry-After is over`,
    '',
  ].join('\n')
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
