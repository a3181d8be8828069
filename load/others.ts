import { createContext } from '../src/check/fixtures.ts'
import { RunContext } from '../src/check/run-context.ts'
import type { Target } from '../src/target/target.ts'
import { type EndpointName, endpoints } from './endpoints.ts'
import type { Engine } from './engine/engine.ts'
import { type Dimension, type Other, subsets } from './probes/dimension.ts'
import { limitValues } from './result.ts'

/** What requests of an endpoint can be told apart by at all. */
const tellable: Readonly<Record<EndpointName, readonly Dimension[]>> = {
  discovery: ['address'],
  'key-set': ['address'],
  authorize: ['client', 'address'],
  token: ['user', 'address'],
  userinfo: ['client', 'user', 'address'],
  'event-search': ['client', 'address'],
}

/** The dimensions of an endpoint for which somebody else is configured. */
export function dimensionsOf(endpoint: EndpointName, target: Target): Dimension[] {
  const client = endpoint === 'event-search' ? target.unentitledPartner : target.secondApplication
  const there: Readonly<Record<Dimension, boolean>> = {
    client: client !== undefined,
    user: target.secondUser !== undefined,
    address: target.load.addresses.length > 1,
  }
  return tellable[endpoint].filter((dimension) => there[dimension])
}

/** How often an endpoint is prepared for everybody else: once for each who needs a request of their own. */
export function othersToPrepare(endpoint: EndpointName, target: Target): number {
  return new Set(subsets(dimensionsOf(endpoint, target)).map((changed) => identityOf(changed).join('+'))).size
}

/** What of a change takes a request of its own: another address sends the same one. */
function identityOf(changed: readonly Dimension[]): Dimension[] {
  return changed.filter((dimension) => dimension !== 'address')
}

/**
 * Everybody else to ask an endpoint as: each has another client, user or source address, or several of them.
 * @param elsewhere sends from the second of LOAD_SOURCE_ADDRESSES
 */
export async function others(
  endpoint: EndpointName,
  run: RunContext,
  engine: Engine,
  elsewhere: Engine | undefined,
  signal: AbortSignal,
): Promise<Other[]> {
  const found: Other[] = []
  const sources = new Map<string, Other['source']>()
  for (const changed of subsets(dimensionsOf(endpoint, run.target))) {
    const identity = identityOf(changed)
    const key = identity.join('+')
    const source = sources.get(key) ?? (await sourceAs(identity, endpoint, run, signal))
    sources.set(key, source)
    const through = changed.includes('address') ? elsewhere : engine
    if (through) found.push({ changed, source, engine: through })
  }
  return found
}

/** Requests of an endpoint as somebody else, signed in anew where that takes a login. */
async function sourceAs(
  changed: readonly Dimension[],
  endpoint: EndpointName,
  run: RunContext,
  signal: AbortSignal,
) {
  const { target, budget, local } = run
  const changes: Partial<Target> = {
    ...(changed.includes('client') && target.secondApplication && { application: target.secondApplication }),
    ...(changed.includes('client') && target.unentitledPartner && { partner: target.unentitledPartner }),
    ...(changed.includes('user') && target.secondUser && { user: target.secondUser }),
  }
  const options = {
    target: { ...target, ...changes },
    resumes: budget.state,
  }
  const other = new RunContext(options, { ...local, signal })
  run.onClose(() => other.close())
  // There is one budget for everybody, and each world counts for itself.
  other.budget.logins = budget.logins
  try {
    return await endpoints[endpoint].prepare(createContext(other, limitValues))
  } finally {
    budget.logins = other.budget.logins
    budget.requests = other.budget.requests
    budget.pauseFor(other.budget.pauseMs)
  }
}
