import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Behaviour, Limit } from './behaviour.ts'
import { createDeployment, type Deployment, PASSWORD_LEVEL, subjectFor, type User } from './deployment.ts'
import { type Answer, BODY_LIMIT, headerValue, jsonAnswer, type Received, readBody, send } from './http.ts'
import { changeEvent } from './hub/changes.ts'
import { type EventSupply, seededEvents, wallClock } from './hub/events.ts'
import { createHub, type Hub } from './hub/hub.ts'
import { PATHS } from './identity/paths.ts'
import { createIdentity } from './identity/provider.ts'
import { activeKey } from './keys.ts'
import { createLimiter } from './limiter.ts'
import { createWebhooks, type Webhooks } from './webhook/webhooks.ts'

/** One request the server has seen. */
export interface SeenRequest {
  /** Milliseconds since the epoch. */
  at: number
  method: string
  /** Path without query. */
  path: string
  /** 0 while, and when, no answer went out. */
  status: number
  /** Client id the request claimed. */
  client?: string
}

export interface RunningProvider {
  issuer: string
  partnerApiUrl: string
  jwksUrl: string
  /** Configuration variables of a run against this provider. */
  variables: Record<string, string>
  /** What the server saw, in order of arrival. */
  requests: readonly SeenRequest[]
  hub: Hub
  /** There when the provider pushes events. */
  webhooks?: Webhooks
  close(): Promise<void>
}

export interface ServerSetup {
  behaviour: Behaviour
  port: number
  seed: string
  now: () => number
  limit?: Limit
  events?: EventSupply
  /** Seconds. */
  eventsEvery?: number
  onFailedDelivery?: (line: string) => void
}

const CLAIM_RECIPE = join(import.meta.dirname, 'claim-recipe.json')
const HOST = '127.0.0.1'
const PARTNER_API = '/partner/v1'
/** Moves the clock of webhook retries. Not part of the service. */
const TEST_CLOCK = '/test-clock'

/** Listens, and serves the identity provider and the Event Hub. */
export async function serve({
  behaviour,
  port,
  seed,
  now,
  limit,
  events,
  eventsEvery,
  onFailedDelivery,
}: ServerSetup): Promise<RunningProvider> {
  const requests: SeenRequest[] = []
  const server = createServer()
  const [key] = await Promise.all([activeKey(), listen(server, port)])
  const issuer = `http://${HOST}:${(server.address() as AddressInfo).port}`
  const partnerApiUrl = `${issuer}${PARTNER_API}`
  const jwksUrl = `${issuer}${PATHS.keySet}`

  const deployment = createDeployment(seed, behaviour.idp)
  const { application, users, partners } = deployment
  const subjects = users.map(({ account }) => subjectFor(seed, application.sphere, account))
  const { clock = (time: number) => time } = behaviour.hub
  const present = () => clock(now())
  const toLocal = wallClock(behaviour.hub.zone)
  const seeded = seededEvents(seed, present(), application.id, subjects, events, behaviour.hub.zone)
  const hub = createHub(behaviour.hub, partners, seeded, () => toLocal(present()))
  const webhooks = behaviour.webhooks.enabled
    ? createWebhooks({
        behaviour: behaviour.webhooks,
        hubBehaviour: behaviour.hub,
        hub,
        partners,
        key,
        now,
        ...(onFailedDelivery && { onFailed: onFailedDelivery }),
      })
    : undefined
  let changes = 0
  const claimChanged = (user: User, claim: string, value: string) => {
    const subjectIn = (sphere: string) => subjectFor(seed, sphere, user.account)
    const change = {
      user,
      claim,
      value,
      subject: subjectIn(application.sphere),
      subjectIn,
      application,
      local: toLocal(present()),
      serial: changes,
    }
    changes += 1
    const event = changeEvent(seed, change)
    for (const edit of behaviour.hub.changes) edit(event, change)
    hub.publish(event)
  }
  /** A made-up change of one user after the other: an event like any other, while the claim stays as it is. */
  const madeUp = () =>
    claimChanged(users[changes % users.length] ?? users[0], 'email', `new-${changes}@users.invalid`)
  const timer = eventsEvery === undefined ? undefined : setInterval(madeUp, eventsEvery * 1000)
  const identity = createIdentity({
    issuer,
    seed,
    deployment,
    behaviour: behaviour.idp,
    keys: [key],
    claimChanged,
  })
  const limiter = limit && createLimiter(limit)
  const accountOf = accountFinder(seed, deployment)

  async function throttled(received: Received): Promise<Answer | undefined> {
    const answer = await limiter?.(received, accountOf(received))
    if (answer) for (const edit of behaviour.throttled) edit(answer, received)
    return answer
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const received = receive(request)
    const seen: SeenRequest = { at: received.at, method: received.method, path: received.path, status: 0 }
    requests.push(seen)
    if (behaviour.hub.clock) response.setHeader('date', new Date(present()).toUTCString())
    response.once('close', () => {
      if (response.headersSent) seen.status = response.statusCode
    })
    const body = request.method === 'GET' || request.method === 'HEAD' ? undefined : await readBody(request)
    if (body === undefined && request.method === 'POST') {
      return send(
        response,
        jsonAnswer(413, { error: 'invalid_request', error_description: `more than ${BODY_LIMIT} bytes` }),
      )
    }
    if (body) received.text = body.toString()
    if (body && /^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '')) {
      received.form = new URLSearchParams(body.toString())
    }
    const client = clientNamed(received)
    if (client) received.client = seen.client = client

    if (webhooks && received.path === TEST_CLOCK) return send(response, await webhooks.moveClock(received))
    const refusal = await throttled(received)
    if (refusal) return send(response, refusal)
    if (received.path.startsWith(`${PARTNER_API}/`)) {
      const path = received.path.slice(PARTNER_API.length)
      const { handle } = webhooks?.owns(path) ? webhooks : hub
      return send(response, handle(received, path))
    }
    for (const admit of behaviour.idp.admission) {
      const answer = admit(received)
      if (answer) return send(response, answer)
    }
    await identity(request, response, received, body)
  }

  server.on('request', (request, response) => {
    handle(request, response).catch((error: Error) => {
      process.stderr.write(`${request.method} ${request.url?.split('?')[0]} failed: ${error.stack}\n`)
      if (!response.headersSent) {
        send(response, jsonAnswer(500, { error: 'server_error', error_description: 'The request failed.' }))
      }
    })
  })

  return {
    issuer,
    partnerApiUrl,
    jwksUrl,
    variables: {
      ...variablesOf(deployment, issuer, partnerApiUrl, jwksUrl, behaviour.hub.zone),
      ...(webhooks && { WEBHOOK_CLOCK_URL: `${issuer}${TEST_CLOCK}` }),
      ...behaviour.variables,
    },
    requests,
    hub,
    ...(webhooks && { webhooks }),
    close: async () => {
      clearInterval(timer)
      await webhooks?.close()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

async function listen(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') return reject(error)
      reject(Object.assign(new Error(`Port ${port} is already in use.`), { code: error.code }))
    })
    server.listen(port, HOST, resolve)
  })
}

function receive(request: IncomingMessage): Received {
  const [path = '/', query = ''] = (request.url ?? '/').split(/\?(.*)/s)
  return {
    at: Date.now(),
    method: request.method ?? 'GET',
    path,
    query: new URLSearchParams(query),
    headers: request.headers,
    address: request.socket.remoteAddress ?? '',
  }
}

/** The client a request says it comes from. */
function clientNamed({ headers, form, query }: Received): string | undefined {
  const partner = headerValue(headers, 'x-client-id')
  if (partner) return partner
  const basic = /^basic (\S+)$/i.exec(headers.authorization ?? '')?.[1]
  if (basic) return Buffer.from(basic, 'base64').toString().split(':')[0] || undefined
  return form?.get('client_id') ?? query.get('client_id') ?? claimOf(headers.authorization, 'client_id')
}

/** Finds the account a request says it is about: by the name typed at login, or by the subject of an access token. */
function accountFinder(seed: string, { applications, users }: Deployment) {
  const accounts = new Map<string, string>()
  for (const { account, username } of users) {
    accounts.set(username, account)
    // One account has a subject in every Sphere.
    for (const { sphere } of applications) accounts.set(subjectFor(seed, sphere, account), account)
  }
  return ({ headers, form }: Received): string | undefined =>
    accounts.get(form?.get('username') ?? claimOf(headers.authorization, 'sub') ?? '')
}

function claimOf(authorization: string | undefined, claim: string): string | undefined {
  const payload = /^bearer [^.\s]+\.([^.\s]+)\./i.exec(authorization ?? '')?.[1]
  if (!payload) return undefined
  try {
    const value = JSON.parse(Buffer.from(payload, 'base64url').toString())[claim]
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}

function variablesOf(
  {
    application,
    secondApplication,
    partner,
    unentitledPartner,
    users: [user, secondUser],
    levels,
  }: Deployment,
  issuer: string,
  partnerApiUrl: string,
  jwksUrl: string,
  eventZone: string,
): Record<string, string> {
  return {
    TARGET: 'embedded',
    IDP_BASE_URL: issuer,
    PARTNER_API_URL: partnerApiUrl,
    JWKS_URL: jwksUrl,
    CLIENT_ID: application.id,
    CLIENT_SECRET: application.secret,
    CLIENT_AUTH_METHOD: application.authMethod,
    REDIRECT_URI: application.redirectUris[0] ?? '',
    SCOPE: 'openid profile email',
    PARTNER_CLIENT_ID: partner.id,
    PARTNER_CLIENT_SECRET: partner.secret,
    TEST_USER: user.username,
    TEST_PASSWORD: user.password,
    SECOND_TEST_USER: secondUser?.username ?? '',
    SECOND_TEST_PASSWORD: secondUser?.password ?? '',
    // The whole of 127.0.0.0/8 is this machine.
    LOAD_SOURCE_ADDRESSES: '127.0.0.1,127.0.0.2',
    REQUIRED_ACR: PASSWORD_LEVEL,
    ACR_ORDER: levels.join(','),
    EVENT_TIME_ZONE: eventZone,
    CLAIM_RECIPE: CLAIM_RECIPE,
    SECOND_CLIENT_ID: secondApplication.id,
    SECOND_CLIENT_SECRET: secondApplication.secret,
    SECOND_REDIRECT_URI: secondApplication.redirectUris[0] ?? '',
    UNENTITLED_CLIENT_ID: unentitledPartner.id,
    UNENTITLED_CLIENT_SECRET: unentitledPartner.secret,
  }
}
