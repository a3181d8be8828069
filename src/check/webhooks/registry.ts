import { randomBytes } from 'node:crypto'
import { HttpFailure } from '../../http/failures.ts'
import type { HttpResponse } from '../../http/response.ts'
import { objectsIn } from '../../text/json.ts'
import { loopbackCertificate } from '../../webhook/certificate.ts'
import { type Delivery, deliveryHeaders, envelopeOf, headerOf, textsOf } from '../../webhook/delivery.ts'
import { type DeliveryResponse, listen } from '../../webhook/listener.ts'
import { isComplete, type SubscriptionRequest, Subscriptions } from '../../webhook/subscriptions.ts'
import type { RunContext } from '../run-context.ts'
import { Inconclusive, NotApplicable } from '../verdict.ts'
import { type Deletions, RemainingSubscriptions } from './remaining-subscriptions.ts'

/**
 * The responses of a target_url to the first attempt to deliver an event, to the second and so on. The last response
 * is also that to all further attempts.
 */
export type Script = readonly [DeliveryResponse, ...DeliveryResponse[]]

/** A delivery that arrived at a target_url of this run. */
export interface Arrival {
  readonly delivery: Delivery
  readonly event: Readonly<Record<string, unknown>> | undefined
  /** `WebhookRegistry.slot` when the delivery arrived. */
  readonly slot: number
}

/** A target_url of this run, with the deliveries to it. */
export interface Endpoint {
  readonly name: string
  readonly url: string
  readonly script: Script
  readonly arrivals: Arrival[]
  /** Number of requests without any delivery header, which only test the target_url. */
  otherRequests: number
}

/** The creation of a subscription, with its response. */
export interface Creation {
  readonly request: SubscriptionRequest
  readonly response: HttpResponse
  /** Id of the subscription, if it was created and has one. */
  readonly id: string | undefined
}

/**
 * The state that webhook checks of a run share: the receiver with its target_urls, the created subscriptions, and the
 * responses of subscription management. Plumbline changes or deletes only subscriptions of this run.
 */
export class WebhookRegistry {
  readonly management: Subscriptions
  /** Every accepted creation of a complete subscription with the configured credentials, in order. */
  readonly creations: Creation[] = []
  readonly secrets: string[] = []
  /**
   * Number of times that the run moved on to a later retry, by a wait or by advancing the clock of the target: 0 for the
   * first attempts, and -1 before the claim change that causes the events.
   */
  slot = -1
  readonly #run: RunContext
  readonly #base: string
  readonly #endpoints = new Map<string, Endpoint>()
  readonly #remaining: RemainingSubscriptions
  /** The last list of subscriptions that the target returned, with the configured credentials. */
  lastList: HttpResponse | undefined
  /** Ids of the subscriptions that were deleted before `lastList`. */
  deletedBeforeList: ReadonlySet<string> = new Set()
  /** Responses that refused a creation, although the target created the subscription. */
  readonly #createdAnyway = new WeakSet<HttpResponse>()

  /**
   * Opens the receiver, which closes at the end of the run, after all subscriptions have been deleted.
   * @throws {Inconclusive} if its port is in use
   */
  static async open(run: RunContext): Promise<WebhookRegistry> {
    const { webhookReceiver } = run.target
    if (!webhookReceiver) throw new NotApplicable('needs WEBHOOK_RECEIVER_URL to be set')
    const { url, port } = webhookReceiver
    // The proxy at a public address terminates TLS, and forwards requests without it.
    const certificate = url === undefined ? await loopbackCertificate() : undefined
    let registry: WebhookRegistry | undefined
    const listener = await listen((delivery) => registry?.receive(delivery) ?? { status: 404 }, {
      ...(port !== undefined && { port }),
      ...(certificate && { certificate }),
    }).catch((error: NodeJS.ErrnoException) => {
      throw new Inconclusive(`port ${port} of WEBHOOK_RECEIVER_PORT is unavailable (${error.code})`, {
        variables: ['WEBHOOK_RECEIVER_PORT'],
        advice: 'set WEBHOOK_RECEIVER_PORT to another port',
      })
    })
    registry = new WebhookRegistry(run, url?.replace(/\/+$/, '') ?? `https://127.0.0.1:${listener.port}`)
    run.onClose(() => listener.close())
    run.onClose(async () => void (await registry.deleteAll()))
    return registry
  }

  private constructor(run: RunContext, base: string) {
    this.#run = run
    this.#base = base
    this.management = new Subscriptions(run.http, run.target)
    this.#remaining = new RemainingSubscriptions(run.budget, {
      list: () => this.list(),
      delete: (id) => this.management.delete(id),
    })
  }

  /** An unguessable target_url that responds according to a script. */
  endpoint(name: string, ...script: Script): Endpoint {
    const token = randomBytes(18).toString('base64url')
    this.#run.vault.add(token)
    const endpoint: Endpoint = { name, url: `${this.#base}/${token}`, script, arrivals: [], otherRequests: 0 }
    this.#endpoints.set(token, endpoint)
    return endpoint
  }

  /** A random secret of this length, which reports never show. */
  secret(characters = 64): string {
    const secret = randomBytes(characters).toString('hex').slice(0, characters)
    this.#run.vault.add(secret)
    this.secrets.push(secret)
    return secret
  }

  /** Sends a creation. The run deletes the subscription at the end. */
  async create(
    request: SubscriptionRequest,
    credentials?: Parameters<Subscriptions['create']>[1],
  ): Promise<Creation> {
    const { budget } = this.#run
    const { target_url: url } = request
    budget.reserve()
    let response: HttpResponse
    try {
      response = await this.management.create(request, credentials)
    } catch (error) {
      budget.release()
      if (url !== undefined && mayHaveArrived(error)) this.#remaining.addDoubtful(url)
      throw error
    }
    const isCreated = response.status < 300
    const returnedId = response.object?.id
    const id = isCreated && typeof returnedId === 'string' && returnedId !== '' ? returnedId : undefined
    if (id !== undefined) this.#remaining.add(id, url ?? '')
    else {
      // The deletion of a subscription without an id begins with the list, for which the budget reserves no request.
      budget.release()
      if (isCreated && url !== undefined) this.#remaining.addWithoutId(url)
    }
    const creation = { request, response, id }
    if (isCreated && credentials === undefined && isComplete(request)) this.creations.push(creation)
    return creation
  }

  /** Searches the list for the subscription of a refused creation, so that the run deletes it, too. */
  async lookFor({ request: { target_url: url }, response }: Creation): Promise<void> {
    if (url === undefined) return
    const list = await this.list()
    const listed = objectsIn(list.json).filter(({ target_url: other }) => other === url)
    if (list.status >= 300 || listed.length === 0) return
    this.#createdAnyway.add(response)
    for (const { id } of listed) {
      if (typeof id !== 'string') continue
      this.#run.budget.reserve()
      this.#remaining.add(id, url)
    }
  }

  /** Whether `lookFor` found a subscription although this response refused its creation. */
  wasCreatedAnyway(refusal: HttpResponse): boolean {
    return this.#createdAnyway.has(refusal)
  }

  /** Requests the list of subscriptions, with the configured credentials. */
  async list(): Promise<HttpResponse> {
    const list = await this.management.list()
    if (list.status < 300) {
      this.lastList = list
      this.deletedBeforeList = new Set(this.#remaining.deleted)
    }
    return list
  }

  /** Number of target_urls of this run in a response of any form. */
  targetsIn(response: HttpResponse): number {
    return [...this.#endpoints.keys()].filter((token) => response.contains(token)).length
  }

  /** Number of deliveries that contain the secret of a subscription, and number of all deliveries. */
  deliveriesWithSecret(): { readonly holding: number; readonly all: number } {
    const deliveries = [...this.#endpoints.values()].flatMap(({ arrivals }) => arrivals)
    const holding = deliveries.filter(({ delivery }) =>
      textsOf(delivery).some((text) => this.secrets.some((secret) => text.includes(secret))),
    )
    return { holding: holding.length, all: deliveries.length }
  }

  delete(id: string): Promise<HttpResponse> {
    return this.#remaining.delete(id)
  }

  deleteAll(): Promise<Deletions> {
    return this.#remaining.deleteAll()
  }

  /** Records a delivery and responds according to the script of its target_url. */
  receive(delivery: Delivery): DeliveryResponse {
    const token = delivery.path.split('?', 1)[0]?.split('/').at(-1) ?? ''
    const endpoint = this.#endpoints.get(token)
    if (!endpoint) return { status: 404 }
    if (Object.values(deliveryHeaders).every((name) => delivery.headers[name] === undefined)) {
      endpoint.otherRequests += 1
      return { status: 200 }
    }
    const event = envelopeOf(delivery)
    const arrival = { delivery, event, slot: this.slot }
    const earlierAttempts = endpoint.arrivals.filter((other) => idOf(other) === idOf(arrival)).length
    endpoint.arrivals.push(arrival)
    return endpoint.script[Math.min(earlierAttempts, endpoint.script.length - 1)] ?? { status: 200 }
  }
}

/** Whether the target may have executed a request that has no response. */
function mayHaveArrived(error: unknown): boolean {
  return error instanceof HttpFailure && ['timed-out', 'unreachable', 'unavailable'].includes(error.kind)
}

/** The id of the event of a delivery: from the body or, if absent there, from the header. */
export function idOf({ event, delivery }: Pick<Arrival, 'event' | 'delivery'>): string | undefined {
  return typeof event?.id === 'string' ? event.id : headerOf(delivery, 'eventId')
}
