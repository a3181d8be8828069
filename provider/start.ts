import type { Alteration, Fault, Variant } from './alteration.ts'
import { lawfulBehaviour } from './behaviour.ts'
import { faults as allFaults } from './faults/index.ts'
import type { HttpRequest } from './http.ts'
import type { EventSupply } from './hub/seeded-events.ts'
import type { Limit } from './limiter.ts'
import { type RunningProvider, serve } from './server.ts'
import { variants as allVariants } from './variants/index.ts'

export interface ProviderOptions {
  /** Port on 127.0.0.1; a free port by default. */
  port?: number
  /** Names of faults. */
  faults?: string[]
  /** Names of variants. */
  variants?: string[]
  /** Rate limit; none by default. */
  limit?: Limit
  /** Secrets, passwords and events depend only on the seed. */
  seed?: string
  /** Present time, in milliseconds since the epoch. The first events of the hub are earlier. */
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
 * @throws Error for an unknown fault or variant, with similar names; Error with code EADDRINUSE for a port in use
 */
export async function startProvider(options: ProviderOptions = {}): Promise<RunningProvider> {
  const { port = 0, seed = DEFAULT_SEED, now = Date.now, ...setup } = options
  const { faults, variants } = await alterationsOf(setup)
  const behaviour = lawfulBehaviour()
  // Faults are last: each violates the specification on a provider that the variants have altered.
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
  const names = known.map((candidate) => candidate.name)
  const { closest, distance } = await import('fastest-levenshtein')
  const nearest = closest(name, names)
  const isNear = nearest && distance(name, nearest) <= Math.max(2, name.length / 5)
  const similar = isNear ? [nearest] : similarNames(name, known)
  const hint =
    similar.length > 0
      ? `the nearest ${similar.length === 1 ? 'is' : 'are'} ${similar.map((one) => `'${one}'`).join(', ')}${isNear ? '' : `; \`npx plumbline explain ID\` lists the ${kind}s of a requirement`}`
      : '`npx plumbline provider --list` prints all of them as JSON, and `npx plumbline explain ID` those of a requirement'
  throw new Error(`There is no ${kind} '${name}'; ${hint}.`)
}

/** Words with the same first five letters count as one word: `accepted`, `accept`. */
const stemLength = 5

function stemsOf(text: string): Set<string> {
  const words = text.toLowerCase().split(/[^a-z0-9]+/)
  return new Set(words.filter((word) => word !== '').map((word) => word.slice(0, stemLength)))
}

/**
 * Up to three names, most similar first: names that contain the misspelt name, then names of alterations whose name and
 * summary contain at least half of the words in the misspelt name. Words that few alterations contain count more.
 */
function similarNames(name: string, known: readonly Alteration[]): string[] {
  const wanted = [...stemsOf(name)]
  const candidates = known.map((one) => ({
    name: one.name,
    ofName: stemsOf(one.name),
    all: stemsOf(`${one.name} ${one.summary}`),
  }))
  const weights = new Map(
    wanted.map((stem) => {
      const count = candidates.filter(({ all }) => all.has(stem)).length
      return [stem, count === 0 ? 0 : Math.log(1 + known.length / count)]
    }),
  )
  const weightOf = (stems: readonly string[]) =>
    stems.reduce((sum, stem) => sum + (weights.get(stem) ?? 0), 0)
  const containing = known.map((one) => one.name).filter((other) => other.includes(name))
  const similar = candidates
    .map((one) => ({ ...one, common: wanted.filter((stem) => one.all.has(stem)) }))
    .filter(({ common }) => common.length > 0 && common.length >= wanted.length / 2)
    .map(({ name: other, ofName, common }) => ({
      other,
      // Of two names with the same matching words, the shorter name is first.
      score: weightOf(common) + common.filter((stem) => ofName.has(stem)).length - ofName.size / 100,
    }))
    .sort((one, two) => two.score - one.score)
    .map(({ other }) => other)
  return [...new Set([...containing, ...similar])].slice(0, 3)
}
