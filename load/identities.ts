import { createContext } from '../src/check/fixtures.ts'
import { RunContext } from '../src/check/run-context.ts'
import type { Target } from '../src/target/target.ts'
import { type EndpointName, endpoints } from './endpoints.ts'
import type { Engine } from './engine/engine.ts'
import { type Dimension, type Identity, subsets } from './probes/dimension.ts'
import { limitValuesId } from './result.ts'

/** The possible limit keys of each endpoint. */
const possibleKeys: Readonly<Record<EndpointName, readonly Dimension[]>> = {
  discovery: ['address'],
  'key-set': ['address'],
  authorize: ['client', 'address'],
  token: ['user', 'address'],
  userinfo: ['client', 'user', 'address'],
  'event-search': ['client', 'address'],
}

/** The limit keys of an endpoint that a probe can vary: another client, user or address is configured. */
export function dimensionsOf(endpoint: EndpointName, target: Target): Dimension[] {
  const client = endpoint === 'event-search' ? target.unentitledPartner : target.secondApplication
  const configured: Readonly<Record<Dimension, boolean>> = {
    client: client !== undefined,
    user: target.secondUser !== undefined,
    address: target.load.addresses.length > 1,
  }
  return possibleKeys[endpoint].filter((dimension) => configured[dimension])
}

/**
 * How often an endpoint is prepared for other identities. Identities that differ only in address share a preparation.
 */
export function identitiesToPrepare(endpoint: EndpointName, target: Target): number {
  return new Set(subsets(dimensionsOf(endpoint, target)).map(credentialsOf)).size
}

/** The changes without `address`, for example `client+user`: a request from another address is the same request. */
function credentialsOf(changed: readonly Dimension[]): string {
  return changed.filter((dimension) => dimension !== 'address').join('+')
}

/**
 * The other identities of an endpoint: each differs in client, user, source address, or several of them.
 * @param elsewhere sends from the second of LOAD_SOURCE_ADDRESSES
 */
export async function otherIdentities(
  endpoint: EndpointName,
  run: RunContext,
  engine: Engine,
  elsewhere: Engine | undefined,
): Promise<Identity[]> {
  const identities: Identity[] = []
  const sources = new Map<string, Identity['source']>()
  for (const changed of subsets(dimensionsOf(endpoint, run.target))) {
    const credentials = credentialsOf(changed)
    const source = sources.get(credentials) ?? (await sourceAs(changed, endpoint, run))
    sources.set(credentials, source)
    const sender = changed.includes('address') ? elsewhere : engine
    if (sender) identities.push({ changed, source, engine: sender })
  }
  return identities
}

/** Prepares the requests of another identity, which signs in if necessary. */
async function sourceAs(changed: readonly Dimension[], endpoint: EndpointName, run: RunContext) {
  const { target, budget } = run
  const changes: Partial<Target> = {
    ...(changed.includes('client') && target.secondApplication && { application: target.secondApplication }),
    ...(changed.includes('client') && target.unentitledPartner && { partner: target.unentitledPartner }),
    ...(changed.includes('user') && target.secondUser && { user: target.secondUser }),
  }
  const other = new RunContext({ ...run.options, budget, target: { ...target, ...changes } })
  run.onClose(() => other.close())
  return endpoints[endpoint].prepare(createContext(other, limitValuesId))
}
