import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Behaviour } from './behaviour.ts'
import { accountFinder } from './callers.ts'
import { createDeployment, type Deployment, subjectFor } from './deployment.ts'
import { type HttpRequest, type HttpResponse, send } from './http.ts'
import { ClaimChanges } from './hub/claim-changes.ts'
import { createHub, type Hub } from './hub/hub.ts'
import { wallClock } from './hub/local-time.ts'
import { type EventSupply, seededEvents } from './hub/seeded-events.ts'
import { createIdentity } from './identity/provider.ts'
import { activeKey, type SigningKey } from './keys.ts'
import { createLimiter, type Limit } from './limiter.ts'
import { createWebhooks, type Webhooks } from './webhook/webhooks.ts'

export interface ServiceSetup {
  behaviour: Behaviour
  seed: string
  /** Milliseconds since the epoch. */
  now: () => number
  limit?: Limit
  events?: EventSupply
  /** Seconds between invented claim changes; none by default. */
  eventsEvery?: number
  onFailedDelivery?: (line: string) => void
  /** Milliseconds before a request is handled; none by default. */
  delay?: (request: HttpRequest) => number
}

export interface Service {
  deployment: Deployment
  hub: Hub
  webhooks?: Webhooks
  handle(incoming: IncomingMessage, outgoing: ServerResponse, request: HttpRequest): Promise<void>
  close(): Promise<void>
}

export const PARTNER_API = '/partner/v1'
/** Path that moves the clock of webhook retries. It is not in the specification. */
export const TEST_CLOCK = '/test-clock'

/** The identity provider, the Event Hub, webhooks and the limiter, as one request handler. */
export async function createService(setup: ServiceSetup, issuer: string): Promise<Service> {
  const { behaviour, seed, now, limit, eventsEvery } = setup
  const key = await activeKey()
  const deployment = createDeployment(seed, behaviour.idp)
  const { clock = (time: number) => time } = behaviour.hub
  const present = () => clock(now())
  const toLocal = wallClock(behaviour.hub.zone)
  const local = () => toLocal(present())
  const hub = createHub(behaviour.hub, deployment.partners, eventsAt(present(), setup, deployment), local)
  const webhooks = webhooksOf(setup, deployment, hub, key)
  const changes = new ClaimChanges({
    seed,
    deployment,
    edits: behaviour.hub.claimChanges,
    local,
    publish: (event) => hub.publish(event),
  })
  const timer = eventsEvery && setInterval(() => changes.reportInvented(), eventsEvery * 1000)
  const identity = createIdentity({
    issuer,
    basePath: behaviour.basePath,
    seed,
    deployment,
    behaviour: behaviour.idp,
    key,
    onClaimChanged: (user, claim, value) => changes.report(user, claim, value),
  })
  const limiter = limit && (await createLimiter(limit))
  const respond = responder({ behaviour, hub, webhooks, limiter, accountOf: accountFinder(seed, deployment) })

  return {
    deployment,
    hub,
    ...(webhooks && { webhooks }),
    async handle(incoming, outgoing, request) {
      if (setup.delay) await sleep(setup.delay(request))
      if (behaviour.hub.clock) outgoing.setHeader('date', new Date(present()).toUTCString())
      const response = await respond(request)
      if (response) send(outgoing, response)
      else await identity(incoming, outgoing, request)
    },
    async close() {
      clearInterval(timer)
      await webhooks?.close()
    },
  }
}

interface Parts {
  readonly behaviour: ServiceSetup['behaviour']
  readonly hub: ReturnType<typeof createHub>
  readonly webhooks: ReturnType<typeof webhooksOf>
  readonly limiter: Awaited<ReturnType<typeof createLimiter>> | undefined
  readonly accountOf: ReturnType<typeof accountFinder>
}

/** Responds to requests. Returns undefined for requests that the identity provider handles. */
function responder({ behaviour, hub, webhooks, limiter, accountOf }: Parts) {
  return async (request: HttpRequest): Promise<HttpResponse | undefined> => {
    const { path } = request
    if (webhooks && path === TEST_CLOCK) return webhooks.moveClock(request)
    const throttled = await limiter?.(request, accountOf(request))
    if (throttled) {
      for (const edit of behaviour.throttled) edit(throttled, request)
      return throttled
    }
    if (path.startsWith(`${PARTNER_API}/`)) {
      const relative = path.slice(PARTNER_API.length)
      return (webhooks?.owns(relative) ? webhooks : hub).handle(request, relative)
    }
    for (const intercept of behaviour.idp.interceptors) {
      const response = intercept(request)
      if (response) return response
    }
    return undefined
  }
}

function eventsAt(time: number, { seed, events, behaviour }: ServiceSetup, deployment: Deployment) {
  const { application, users } = deployment
  const subjects = users.map(({ account }) => subjectFor(seed, application.sphere, account))
  return seededEvents(seed, time, application.id, subjects, events, behaviour.hub.zone)
}

function webhooksOf(
  { behaviour, now, onFailedDelivery }: ServiceSetup,
  { partners }: Deployment,
  hub: Hub,
  key: SigningKey,
): Webhooks | undefined {
  if (!behaviour.webhooks.enabled) return undefined
  return createWebhooks({
    behaviour: behaviour.webhooks,
    hubBehaviour: behaviour.hub,
    hub,
    partners,
    key,
    now,
    ...(onFailedDelivery && { onFailure: onFailedDelivery }),
  })
}
