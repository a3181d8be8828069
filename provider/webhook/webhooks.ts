import type { Partner } from '../deployment.ts'
import { type Answer, jsonAnswer, type Received } from '../http.ts'
import type { HubBehaviour } from '../hub/behaviour.ts'
import type { Hub } from '../hub/hub.ts'
import { badRequest } from '../hub/refusals.ts'
import type { SigningKey } from '../keys.ts'
import type { WebhookBehaviour } from './behaviour.ts'
import { createRetryClock, type RetryClock } from './clock.ts'
import { createDeliveries } from './deliveries.ts'
import { createSender } from './sender.ts'
import { createSubscriptions, SUBSCRIPTIONS_PATH } from './subscriptions.ts'

export interface Webhooks {
  clock: RetryClock
  /** Whether a path relative to the partner API's address is one of subscription management. */
  owns(path: string): boolean
  handle(received: Received, path: string): Answer
  /** Moves the retry clock: `{"advanceSeconds": 30}` is answered with `{"now": seconds moved in all}`. */
  moveClock(received: Received): Promise<Answer>
  close(): Promise<void>
}

export interface WebhookSetup {
  behaviour: WebhookBehaviour
  hubBehaviour: HubBehaviour
  hub: Hub
  partners: readonly Partner[]
  key: SigningKey
  /** Milliseconds since the epoch. */
  now: () => number
  /** Hears of each attempt that failed, in a line. */
  onFailed?: (line: string) => void
}

/** Most seconds the clock is moved at once: more than all attempts of a delivery need. */
const LONGEST_MOVE = 86_400

/** The planned push model: subscription management, and delivery of what the hub publishes. */
export function createWebhooks(setup: WebhookSetup): Webhooks {
  const { behaviour, hubBehaviour, hub, partners, key, now, onFailed = () => {} } = setup
  const clock = createRetryClock(now)
  const sender = createSender()
  const subscriptions = createSubscriptions({ behaviour, hub: hubBehaviour, partners, now })
  const deliveries = createDeliveries({
    behaviour,
    clock,
    sender,
    zone: hubBehaviour.zone,
    key,
    receiving: subscriptions.receiving,
    onFailed,
  })
  hub.onPublished((event) => deliveries.push(event))

  return {
    clock,
    owns: (path) => path === SUBSCRIPTIONS_PATH || path.startsWith(`${SUBSCRIPTIONS_PATH}/`),
    handle: subscriptions.handle,
    async moveClock({ method, text }) {
      const seconds = method === 'POST' ? secondsIn(text) : undefined
      if (seconds === undefined) {
        const message = `POST {"advanceSeconds": N} with N from 0 to ${LONGEST_MOVE}.`
        return badRequest(message)
      }
      return jsonAnswer(200, { now: await clock.advance(seconds) })
    },
    close() {
      clock.close()
      return sender.close()
    },
  }
}

function secondsIn(text: string | undefined): number | undefined {
  try {
    const { advanceSeconds } = JSON.parse(text ?? '')
    return advanceSeconds >= 0 && advanceSeconds <= LONGEST_MOVE && typeof advanceSeconds === 'number'
      ? advanceSeconds
      : undefined
  } catch {
    return undefined
  }
}
