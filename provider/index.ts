import { closest, distance } from 'fastest-levenshtein'
import { type Alteration, type Fault, type Limit, lawfulBehaviour, type Variant } from './behaviour.ts'
import { faults } from './faults/index.ts'
import type { EventSupply } from './hub/events.ts'
import { type RunningProvider, serve } from './server.ts'
import { variants } from './variants/index.ts'

export type { Fault, Limit, RunningProvider, Variant }
export { faults, variants }

export interface ProviderOptions {
  /** Port on 127.0.0.1; any free one by default. */
  port?: number
  /** Names of faults to commit. */
  faults?: string[]
  /** Names of variants to follow. */
  variants?: string[]
  /** Limiter: so many requests per client, user and address in a window. Off unless given. */
  limit?: Limit
  /** Secrets, passwords and events depend on it alone. */
  seed?: string
  /** Milliseconds since the epoch; events lie before the time at the start. */
  now?: () => number
  /** Events that the hub holds at the start; 720 over three days by default. */
  events?: EventSupply
  /** Seconds between two claim changes that the provider makes up; none unless given. */
  eventsEvery?: number
  /** Hears of deliveries to webhooks that failed, a line each, without payload. */
  onFailedDelivery?: (line: string) => void
}

const DEFAULT_SEED = 'plumbline'

/**
 * Starts an embedded provider: identity provider and Event Hub on one port of the loopback interface. Any number
 * of them can run side by side.
 *
 * @throws Error for an unknown fault or variant, naming a near one if there is one; Error with code EADDRINUSE for a port
 *   that is taken
 */
export async function startProvider(options: ProviderOptions = {}): Promise<RunningProvider> {
  const chosenFaults = (options.faults ?? []).map((name) => lookUp('fault', name, faults))
  const needed = chosenFaults.flatMap((fault) => fault.variants ?? [])
  const names = new Set([...(options.variants ?? []), ...needed])
  const chosenVariants = [...names].map((name) => lookUp('variant', name, variants))

  const behaviour = lawfulBehaviour()
  // Variants first: a fault is a violation by the provider as it then is.
  for (const { alter } of [...chosenVariants, ...chosenFaults]) alter(behaviour)
  const limit = options.limit ?? [...chosenFaults, ...chosenVariants].find((chosen) => chosen.limit)?.limit
  return serve({
    behaviour,
    port: options.port ?? 0,
    seed: options.seed ?? DEFAULT_SEED,
    now: options.now ?? Date.now,
    ...(limit && { limit }),
    ...(options.events && { events: options.events }),
    ...(options.eventsEvery && { eventsEvery: options.eventsEvery }),
    ...(options.onFailedDelivery && { onFailedDelivery: options.onFailedDelivery }),
  })
}

function lookUp<T extends Alteration>(kind: string, name: string, known: readonly T[]): T {
  const found = known.find((candidate) => candidate.name === name)
  if (found) return found
  const nearest = closest(
    name,
    known.map((candidate) => candidate.name),
  )
  const isNear = nearest && distance(name, nearest) <= Math.max(2, name.length / 4)
  const hint = isNear ? `the nearest is '${nearest}'` : '`node provider/main.ts --list` names them all'
  throw new Error(`There is no ${kind} '${name}'; ${hint}.`)
}
