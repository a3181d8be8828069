import type { HttpResponse } from '../../http/response.ts'
import { objectsIn } from '../../text/json.ts'
import { describe } from '../expect.ts'
import type { RunContext } from '../run-context.ts'
import { Inconclusive } from '../verdict.ts'

export interface Deletions {
  readonly deleted: number
  readonly remaining: number
  /** Errors of deletions that were not sent or have no response. */
  readonly obstacles: readonly unknown[]
}

interface Requests {
  readonly list: () => Promise<HttpResponse>
  readonly delete: (id: string) => Promise<HttpResponse>
}

/** The subscriptions that the run has created, or may have created, but not deleted yet. */
export class RemainingSubscriptions {
  /** Ids of subscriptions that the run has deleted. */
  readonly deleted = new Set<string>()
  readonly #budget: Pick<RunContext['budget'], 'reserve' | 'release'>
  readonly #requests: Requests
  /** target_urls of subscriptions to delete, by id. The budget reserves a request for each. */
  readonly #undeleted = new Map<string, string>()
  /** target_urls of subscriptions whose creation returned no id. */
  readonly #withoutId = new Set<string>()
  /** target_urls of creations whose outcome is unknown. */
  readonly #doubtful = new Set<string>()

  constructor(budget: Pick<RunContext['budget'], 'reserve' | 'release'>, requests: Requests) {
    this.#budget = budget
    this.#requests = requests
  }

  /** Adds a subscription. The caller has reserved a request for its deletion. */
  add(id: string, url: string): void {
    this.#undeleted.set(id, url)
  }

  addWithoutId(url: string): void {
    this.#withoutId.add(url)
  }

  /** Adds a subscription that may not exist, since its creation has no response. */
  addDoubtful(url: string): void {
    this.#doubtful.add(url)
  }

  async delete(id: string): Promise<HttpResponse> {
    const url = this.#undeleted.get(id)
    if (url === undefined)
      throw new Error('a check deletes a subscription that this run did not create, or has already deleted')
    this.#budget.release()
    const response = await this.#requests.delete(id).catch((error: unknown) => {
      this.#budget.reserve()
      throw error
    })
    if (response.status < 300) this.deleted.add(id)
    if (response.status < 300 || response.status === 404 || response.status === 410)
      this.#undeleted.delete(id)
    else this.#budget.reserve()
    // After a 404, the subscription may not be visible yet: the run searches the list at the end.
    if (response.status === 404) this.#withoutId.add(url)
    return response
  }

  async deleteAll(): Promise<Deletions> {
    const countBefore = this.#undeleted.size + this.#withoutId.size
    const obstacles = new Map<string, unknown>()
    await this.#deleteUndeleted(obstacles)
    if (this.#withoutId.size + this.#doubtful.size > 0) await this.#deleteWithoutId(obstacles)
    const left = [...this.#undeleted.values(), ...this.#withoutId]
    return {
      deleted: countBefore - left.length,
      remaining: left.length,
      obstacles: left.filter((url) => obstacles.has(url)).map((url) => obstacles.get(url)),
    }
  }

  /** @param obstacles receives the error of each deletion without a response, by target_url */
  async #deleteUndeleted(obstacles: Map<string, unknown>): Promise<void> {
    for (const [id, url] of [...this.#undeleted]) {
      obstacles.delete(url)
      await this.delete(id).catch((error: unknown) => void obstacles.set(url, error))
    }
  }

  /** Finds subscriptions in the list by their target_urls, which only this run uses, and deletes them. */
  async #deleteWithoutId(obstacles: Map<string, unknown>): Promise<void> {
    const list = await this.#listToDelete().catch((error: unknown) => {
      for (const url of this.#withoutId) obstacles.set(url, error)
    })
    if (!list) return
    const wanted = new Set([...this.#withoutId, ...this.#doubtful])
    const listed = objectsIn(list.json).filter(({ target_url: url }) => wanted.has(String(url)))
    // Subscriptions that are not in the list no longer exist.
    this.#withoutId.clear()
    this.#doubtful.clear()
    for (const { id, target_url: url } of listed) {
      if (typeof id !== 'string') {
        this.#withoutId.add(String(url))
        obstacles.set(String(url), undeletable('a listed subscription has no id to delete it with'))
      } else {
        this.#budget.reserve()
        this.#undeleted.set(id, String(url))
      }
    }
    await this.#deleteUndeleted(obstacles)
  }

  /** @throws {Inconclusive} if the list is refused */
  async #listToDelete(): Promise<HttpResponse> {
    const list = await this.#requests.list()
    if (list.status < 300 && list.json !== undefined) return list
    throw undeletable(
      `the list does not show which subscriptions remain to be deleted: the response was ${describe(list)}`,
    )
  }
}

/** The obstacle if the id of a subscription is unknown. */
function undeletable(reason: string): Inconclusive {
  return new Inconclusive(reason, ['WEBHOOK-SUBSCRIPTION-CREATE-ID', 'WEBHOOK-SUBSCRIPTION-LIST'])
}
