import type { StoredEvent } from '../hub/events.ts'
import type { SigningKey } from '../keys.ts'
import type {
  Attempt,
  Delivery,
  DeliveryRequest,
  Outcome,
  Subscription,
  WebhookBehaviour,
} from './behaviour.ts'
import type { RetryClock } from './clock.ts'
import { isLoopback, type Sender } from './sender.ts'

export interface DeliverySetup {
  behaviour: WebhookBehaviour
  clock: RetryClock
  sender: Sender
  /** IANA zone of the hub's wall clock, by which events are kept. */
  zone: string
  /** Signs, and is in the key set. */
  key: SigningKey
  /** Subscriptions that get events now. */
  receiving: () => Subscription[]
  /** Hears of each attempt that failed, in a line. */
  onFailed: (line: string) => void
}

/**
 * Pushes events: at once, then by the retry schedule until a receiver has taken or refused them. Delays are counted
 * on the retry clock from the moment the attempt before was due, so the time a receiver takes does not add up.
 */
export function createDeliveries(setup: DeliverySetup): { push(event: StoredEvent): void } {
  const { behaviour, clock, sender, receiving, onFailed } = setup

  async function attempt(delivery: Delivery, number: number, due: number): Promise<void> {
    const { event, subscription } = delivery
    if (!receiving().includes(subscription)) return
    const target = addressOf(subscription)
    // A provider for tests writes to nobody outside the machine it runs on.
    if (!target || !isLoopback(target)) {
      onFailed(`Webhook ${event.id}: nothing is sent, since the target_url is not on loopback.`)
      return
    }
    const request = await compose(delivery, number, setup)
    let outcome = await sender.send(target, request, behaviour.receiverTimeout)
    if (behaviour.sentAgain && outcome.kind === 'no-response')
      outcome = await sender.send(target, request, behaviour.receiverTimeout)
    const repeats = behaviour.retried(outcome, number)
    const delay = repeats ? behaviour.delays[number - 1] : undefined
    if (repeats || outcome.kind !== 'answered' || outcome.status >= 300) {
      const next = delay === undefined ? 'not sent again' : `again in ${delay} s`
      onFailed(
        `Webhook ${event.id} to ${target.origin}${target.pathname}, attempt ${number}: ${inWords(outcome)}; ${next}.`,
      )
    }
    if (!repeats) return
    if (delay === undefined) {
      for (const tell of behaviour.exhausted) tell(event)
      return
    }
    const from = behaviour.delayedFrom === 'first' ? delivery.firstDue : due
    clock.schedule(from + delay * 1000, (next) => attempt(delivery, number + 1, next))
  }

  return {
    push(event) {
      const firstDue = clock.now()
      for (const subscription of receiving()) {
        if (!behaviour.passes(subscription.event_filters, event)) continue
        for (let copy = 0; copy < behaviour.copies; copy++) {
          const delivery = { event, subscription, body: bodyOf(event, setup), firstDue }
          clock.schedule(firstDue, (due) => attempt(delivery, 1, due))
        }
      }
    },
  }
}

function inWords(outcome: Outcome): string {
  if (outcome.kind === 'answered') return `answered ${outcome.status}`
  return outcome.kind === 'timeout' ? 'not answered in time' : 'no connection, or it broke off'
}

function addressOf({ target_url }: Subscription): URL | undefined {
  return URL.canParse(target_url) ? new URL(target_url) : undefined
}

function timestampOf(event: StoredEvent, { behaviour, zone }: DeliverySetup): string {
  return new Date(behaviour.instant(event, zone)).toISOString()
}

function bodyOf(event: StoredEvent, setup: DeliverySetup): string {
  const { local: _, id, type, version, payload, ...context } = event
  const timestamp = timestampOf(event, setup)
  const envelope: Record<string, unknown> = { id, timestamp, type, version, ...context, payload }
  for (const edit of setup.behaviour.envelope) edit(envelope, event)
  return setup.behaviour.serialize(envelope)
}

/**
 * The request of one attempt. Its timestamp is that of the event, also on retries; its nonce is its own, since a
 * receiver may have kept that of an attempt which failed later.
 */
async function compose(delivery: Delivery, number: number, setup: DeliverySetup): Promise<DeliveryRequest> {
  const { behaviour, key } = setup
  const { event, body } = delivery
  const attempt: Attempt = {
    delivery,
    number,
    body,
    timestamp: timestampOf(event, setup),
    nonce: behaviour.nonce(delivery),
  }
  for (const edit of behaviour.attempts) edit(attempt)
  const { timestamp, nonce } = attempt
  const jws = {
    header: { alg: 'RS256', kid: key.kid },
    payload: { digest: behaviour.digest(attempt.body), timestamp, nonce },
    key: key.privateKey,
  }
  for (const edit of behaviour.signature) await edit(jws, attempt)
  const request: DeliveryRequest = {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-Service-Signature': await behaviour.sign(jws, attempt),
      'X-Service-Event-ID': event.id,
      'X-Service-Event-Type': event.type,
      'X-Service-Timestamp': timestamp,
      'X-Service-Nonce': nonce,
    },
    body: attempt.body,
  }
  for (const edit of behaviour.requests) edit(request, attempt)
  return request
}
