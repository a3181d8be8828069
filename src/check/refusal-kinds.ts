import type { Exchange } from '../evidence/exchange.ts'

/** A set of refusals. Refusals with the same address and status are equal; the query does not matter. */
export class RefusalKinds {
  readonly #kinds = new Set<string>()

  has(exchange: Exchange): boolean {
    return this.#kinds.has(kindOf(exchange))
  }

  add(exchange: Exchange): void {
    this.#kinds.add(kindOf(exchange))
  }
}

function kindOf({ request, response }: Exchange): string {
  return `${request.url.split('?')[0]} ${response?.status}`
}
