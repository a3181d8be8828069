import type { Partner } from '../deployment.ts'
import { type HttpRequest, type HttpResponse, jsonResponse } from '../http.ts'
import type { HubBehaviour } from '../hub/behaviour.ts'
import { badRequest } from '../hub/errors.ts'
import type { Hub } from '../hub/hub.ts'
import type { SigningKey } from '../keys.ts'
import type { WebhookBehaviour } from './behaviour.ts'
import { Deliveries } from './deliveries.ts'
import { RetryClock } from './retry-clock.ts'
import { createSender } from './sender.ts'
import { SUBSCRIPTIONS_PATH, Subscriptions } from './subscriptions.ts'

export interface Webhooks {
  clock: RetryClock
  /** Whether a path, relative to the partner API's base URL, belongs to subscription management. */
  owns(path: string): boolean
  handle(request: HttpRequest, path: string): HttpResponse
  /** Moves the retry clock: `{"advanceSeconds": 30}`. The response `{"now": 30}` is the total of all moves. */
  moveClock(request: HttpRequest): Promise<HttpResponse>
  close(): Promise<void>
}

interface WebhookSetup {
  behaviour: WebhookBehaviour
  hubBehaviour: HubBehaviour
  hub: Hub
  partners: readonly Partner[]
  key: SigningKey
  /** Milliseconds since the epoch. */
  now: () => number
  /** Called with one line for each failed attempt. */
  onFailure?: (line: string) => void
}

/** Maximum move of the clock, in seconds: longer than the retry schedule. */
const MAX_MOVE = 86_400

/** The planned push model: subscription management, and delivery of the events that the hub publishes. */
export function createWebhooks(setup: WebhookSetup): Webhooks {
  const { behaviour, hubBehaviour, hub, partners, key, now, onFailure = () => {} } = setup
  const clock = new RetryClock(now)
  const sender = createSender()
  const subscriptions = new Subscriptions({ behaviour, hubBehaviour, partners, now })
  const deliveries = new Deliveries({
    behaviour,
    clock,
    sender,
    zone: hubBehaviour.zone,
    key,
    receiving: () => subscriptions.receiving(),
    onFailure,
  })
  hub.onPublished((event) => deliveries.push(event))

  return {
    clock,
    owns: (path) => path === SUBSCRIPTIONS_PATH || path.startsWith(`${SUBSCRIPTIONS_PATH}/`),
    handle: (request, path) => subscriptions.handle(request, path),
    async moveClock({ method, text }) {
      const seconds = method === 'POST' ? readSeconds(text) : undefined
      if (seconds === undefined) return badRequest(`POST {"advanceSeconds": N} with N from 0 to ${MAX_MOVE}.`)
      return jsonResponse(200, { now: await clock.advance(seconds) })
    },
    close() {
      clock.close()
      return sender.close()
    },
  }
}

function readSeconds(text: string | undefined): number | undefined {
  try {
    const { advanceSeconds } = JSON.parse(text ?? '')
    return typeof advanceSeconds === 'number' && advanceSeconds >= 0 && advanceSeconds <= MAX_MOVE
      ? advanceSeconds
      : undefined
  } catch {
    return undefined
  }
}
