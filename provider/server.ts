import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { clientOf } from './callers.ts'
import { BODY_LIMIT, jsonResponse, parseHead, readBody, send } from './http.ts'
import type { Hub } from './hub/hub.ts'
import { ACCOUNT_PATH, PATHS } from './identity/paths.ts'
import { createService, PARTNER_API, type Service, type ServiceSetup, TEST_CLOCK } from './service.ts'
import { type Addresses, variablesOf } from './variables.ts'
import type { Webhooks } from './webhook/webhooks.ts'

/** A request that the server has received. */
interface SeenRequest {
  /** Milliseconds since the epoch. */
  at: number
  method: string
  /** Path without query. */
  path: string
  /** 0 until the response is sent. */
  status: number
  /** Client id that the request named. */
  client?: string
}

export interface RunningProvider extends Addresses {
  /** Configuration variables of a run against this provider. */
  variables: Record<string, string>
  /** The received requests, in order of arrival. */
  requests: readonly SeenRequest[]
  hub: Hub
  /** Set when the provider pushes events. */
  webhooks?: Webhooks
  close(): Promise<void>
}

interface ServerSetup extends ServiceSetup {
  port: number
}

const HOST = '127.0.0.1'

/** Serves the identity provider and the Event Hub on one port. */
export async function serve(setup: ServerSetup): Promise<RunningProvider> {
  const { behaviour, port } = setup
  const server = createServer()
  await listen(server, port)
  const origin = `http://${HOST}:${(server.address() as AddressInfo).port}`
  const issuer = origin + behaviour.basePath
  const service = await createService(setup, issuer)
  const requests: SeenRequest[] = []
  server.on('request', (incoming, outgoing) => {
    handle(incoming, outgoing, service, requests, behaviour.basePath).catch((error: Error) => {
      process.stderr.write(`${incoming.method} ${incoming.url?.split('?')[0]} failed: ${error.stack}\n`)
      if (!outgoing.headersSent) {
        send(outgoing, jsonResponse(500, { error: 'server_error', error_description: 'The request failed.' }))
      }
    })
  })

  const addresses = {
    issuer,
    partnerApiUrl: `${origin}${PARTNER_API}`,
    jwksUrl: `${issuer}${PATHS.keySet}`,
  }
  const { deployment, hub, webhooks } = service
  return {
    ...addresses,
    variables: {
      ...variablesOf(deployment, addresses, behaviour.hub.zone),
      ...(webhooks && { WEBHOOK_CLOCK_URL: `${origin}${TEST_CLOCK}` }),
      ...behaviour.variables,
    },
    requests,
    hub,
    ...(webhooks && { webhooks }),
    close: async () => {
      await service.close()
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

/**
 * Removes the base path of the identity provider from the URL of a request.
 * @returns whether the URL is served: below the base path, at the Event Hub, at the test clock and at the account page
 */
function removeBasePath(incoming: IncomingMessage, basePath: string): boolean {
  const { url = '/' } = incoming
  if (basePath === '') return true
  if (!url.startsWith(`${basePath}/`))
    return [PARTNER_API, TEST_CLOCK, ACCOUNT_PATH].some((path) => url.startsWith(path))
  incoming.url = url.slice(basePath.length)
  return true
}

/** Records a request, reads it, and passes it to the service. */
async function handle(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  service: Service,
  requests: SeenRequest[],
  basePath: string,
): Promise<void> {
  const isServed = removeBasePath(incoming, basePath)
  const request = parseHead(incoming)
  const seen: SeenRequest = { at: request.at, method: request.method, path: request.path, status: 0 }
  requests.push(seen)
  outgoing.once('close', () => {
    if (outgoing.headersSent) seen.status = outgoing.statusCode
  })
  if (!isServed) return send(outgoing, jsonResponse(404, { error: 'not_found' }))
  if (!(await readBody(incoming, request))) {
    const error_description = `The body has more than ${BODY_LIMIT} bytes.`
    return send(outgoing, jsonResponse(413, { error: 'invalid_request', error_description }))
  }
  const client = clientOf(request)
  if (client) request.client = seen.client = client
  await service.handle(incoming, outgoing, request)
}
