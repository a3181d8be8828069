import type { StoredEvent } from '../hub/events.ts'
import type { SigningKey } from '../keys.ts'
import type {
  Attempt,
  AttemptOutcome,
  Delivery,
  DeliveryRequest,
  Subscription,
  WebhookBehaviour,
} from './behaviour.ts'
import type { RetryClock } from './retry-clock.ts'
import { isLoopback, type Sender } from './sender.ts'

interface DeliverySetup {
  behaviour: WebhookBehaviour
  clock: RetryClock
  sender: Sender
  /** IANA zone of the hub's local times. */
  zone: string
  /** Signs, and is in the key set. */
  key: SigningKey
  /** Subscriptions that currently receive events. */
  receiving: () => Subscription[]
  /** Called with one line for each failed attempt. */
  onFailure: (line: string) => void
}

/**
 * Pushes events: at once, then by the retry schedule until a receiver accepts or refuses them. The retry clock counts a
 * delay from the time when an attempt was due, so that slow receivers do not extend the schedule.
 */
export class Deliveries {
  private readonly setup: DeliverySetup

  constructor(setup: DeliverySetup) {
    this.setup = setup
  }

  push(event: StoredEvent): void {
    const { behaviour, clock, receiving } = this.setup
    const firstDue = clock.now()
    for (const subscription of receiving()) {
      if (!behaviour.passes(subscription.event_filters, event)) continue
      for (let copy = 0; copy < behaviour.copies; copy++) {
        const delivery = { event, subscription, body: bodyOf(event, this.setup), firstDue }
        clock.schedule(firstDue + copy * behaviour.copyDelay, (due) => this.attempt(delivery, 1, due))
      }
    }
  }

  private async attempt(delivery: Delivery, number: number, due: number): Promise<void> {
    const { behaviour, clock, receiving } = this.setup
    const { event, subscription } = delivery
    if (!receiving().includes(subscription)) return
    const target = URL.parse(subscription.target_url)
    if (!target || !isLoopback(target)) {
      this.setup.onFailure(`Webhook ${event.id}: nothing is sent, because the target_url is not on loopback.`)
      return
    }
    const outcome = await this.send(delivery, number, target)
    const shouldRetry = behaviour.shouldRetry(outcome, number, event)
    const delay = shouldRetry ? behaviour.delays[number - 1] : undefined
    if (shouldRetry || outcome.kind !== 'response' || outcome.status >= 300) {
      const next = delay === undefined ? 'no further attempt' : `next attempt in ${delay} s`
      const attempt = `Webhook ${event.id} to ${target.origin}${target.pathname}, attempt ${number}`
      this.setup.onFailure(`${attempt}: ${describe(outcome)}; ${next}.`)
    }
    if (!shouldRetry) return
    if (delay === undefined) {
      for (const notify of behaviour.exhausted) notify(event)
      return
    }
    const from = behaviour.delaysCountFrom === 'first' ? delivery.firstDue : due
    clock.schedule(from + delay * 1000, (next) => this.attempt(delivery, number + 1, next))
  }

  private async send(delivery: Delivery, number: number, target: URL): Promise<AttemptOutcome> {
    const { behaviour, sender } = this.setup
    const request = await compose(delivery, number, this.setup)
    const outcome = await sender.send(target, request, behaviour.receiverTimeout)
    return behaviour.transportResends && outcome.kind === 'no-response'
      ? sender.send(target, request, behaviour.receiverTimeout)
      : outcome
  }
}

function describe(outcome: AttemptOutcome): string {
  if (outcome.kind === 'response') return `the response was ${outcome.status}`
  return outcome.kind === 'timeout'
    ? 'no response in time'
    : 'no connection, or it was closed without a response'
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
 * The request of one attempt. A retry repeats the timestamp of the event, but has a new nonce: the receiver may have
 * stored the previous nonce, although its attempt failed.
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
