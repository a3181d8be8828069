import type { Alteration, Fault, Variant } from './alteration.ts'
import { lawfulBehaviour } from './behaviour.ts'
import { faults as allFaults } from './faults/index.ts'
import type { HttpRequest } from './http.ts'
import type { EventSupply } from './hub/seeded-events.ts'
import type { Limit } from './limiter.ts'
import { type RunningProvider, serve } from './server.ts'
import { variants as allVariants } from './variants/index.ts'

export interface ProviderOptions {
  /** Port on 127.0.0.1; any free one by default. */
  port?: number
  /** Names of faults. */
  faults?: string[]
  /** Names of variants. */
  variants?: string[]
  /** Limit per client, user and address; no limit by default. */
  limit?: Limit
  /** Secrets, passwords and events depend on it alone. */
  seed?: string
  /** Milliseconds since the epoch. The events of the start are before it. */
  now?: () => number
  /** Events that the hub holds at the start; 720 over three days by default. */
  events?: EventSupply
  /** Seconds between invented claim changes; none by default. */
  eventsEvery?: number
  /** Milliseconds before a request is handled; none by default. */
  delay?: (request: HttpRequest) => number
  /** Called with one line, without payload, for each failed attempt to deliver an event to a webhook. */
  onFailedDelivery?: (line: string) => void
}

const DEFAULT_SEED = 'plumbline'

/**
 * Starts an embedded provider: identity provider and Event Hub on one port of the loopback interface. Any number
 * of providers can run side by side in one process.
 *
 * @throws Error for an unknown fault or variant, with the nearest names if there are any; Error with code EADDRINUSE
 *   for a port that is in use
 */
export async function startProvider(options: ProviderOptions = {}): Promise<RunningProvider> {
  const { port = 0, seed = DEFAULT_SEED, now = Date.now, ...setup } = options
  const { faults, variants } = await alterationsOf(setup)
  const behaviour = lawfulBehaviour()
  // A fault violates the specification on the provider that the variants describe.
  for (const { alter } of [...variants, ...faults]) alter(behaviour)
  const limit = setup.limit ?? [...faults, ...variants].find((alteration) => alteration.limit)?.limit
  return serve({ ...setup, behaviour, port, seed, now, ...(limit && { limit }) })
}

/** The named faults and variants, with the variants that the faults need. */
async function alterationsOf(
  options: Pick<ProviderOptions, 'faults' | 'variants'>,
): Promise<{ faults: Fault[]; variants: Variant[] }> {
  const { faults: faultNames = [], variants: variantNames = [] } = options
  const faults = await Promise.all(faultNames.map((name) => lookUp('fault', name, allFaults)))
  const needed = new Set([...variantNames, ...faults.flatMap((fault) => fault.variants ?? [])])
  const variants = await Promise.all([...needed].map((name) => lookUp('variant', name, allVariants)))
  return { faults, variants }
}

async function lookUp<T extends Alteration>(
  kind: 'fault' | 'variant',
  name: string,
  known: readonly T[],
): Promise<T> {
  const found = known.find((candidate) => candidate.name === name)
  if (found) return found
  const other = kind === 'fault' ? 'variant' : 'fault'
  const isOther = [...allFaults, ...allVariants].some((candidate) => candidate.name === name)
  if (isOther) throw new Error(`'${name}' is a ${other}, not a ${kind}: use --${other} ${name}.`)
  const { closest, distance } = await import('fastest-levenshtein')
  const names = known.map((candidate) => candidate.name)
  const nearest = closest(name, names)
  const isNear = nearest && distance(name, nearest) <= Math.max(2, name.length / 4)
  const similar = isNear ? [nearest] : similarNames(name, names)
  const hint =
    similar.length > 0
      ? `the nearest ${similar.length === 1 ? 'is' : 'are'} ${similar.map((one) => `'${one}'`).join(', ')}`
      : '`npx plumbline provider --list` prints all of them'
  throw new Error(`There is no ${kind} '${name}'; ${hint}.`)
}

/** Up to three names that have at least half of all words in common with this one, the most similar first. */
function similarNames(name: string, names: readonly string[]): string[] {
  const words = new Set(name.toLowerCase().split(/[^a-z0-9]+/))
  const similarity = (other: string) => {
    const others = other.split('-')
    const common = others.filter((word) => words.has(word)).length
    return common / (words.size + others.length - common)
  }
  return names
    .map((other) => ({ other, share: similarity(other) }))
    .filter(({ share }) => share >= 0.5)
    .sort((one, two) => two.share - one.share)
    .slice(0, 3)
    .map(({ other }) => other)
}
