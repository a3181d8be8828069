import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RunningProvider } from '../provider/index.ts'
import type { Misbehave } from './misbehaviours.ts'

/** A server in front of a provider. */
export interface Front {
  /** The variables of a run against it. */
  readonly variables: Readonly<Record<string, string>>
  close(): void
}

/**
 * Starts a server that forwards requests to a provider.
 * @param intercept responds to a request instead of the provider; undefined to forward it
 * @param perConnection number of requests after which the server closes a connection; 0 for no limit
 */
export async function startFront(
  { variables }: RunningProvider,
  intercept: (request: IncomingMessage) => Misbehave | undefined,
  perConnection = 0,
): Promise<Front> {
  const origin = new URL(variables.IDP_BASE_URL ?? '').origin
  const server = createServer((request, response) => {
    const misbehave = intercept(request)
    if (misbehave) void misbehave(request, response)
    else pass(origin, request, response)
  })
  server.maxRequestsPerSocket = perConnection
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    variables: movedTo(address, variables),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** The variables of a provider at another address. */
export function movedTo(address: string, variables: RunningProvider['variables']): Record<string, string> {
  const origin = new URL(variables.IDP_BASE_URL ?? '').origin
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, value.replace(origin, address)]),
  )
}

/** Forwards a request to a provider. */
export function pass(origin: string, request: IncomingMessage, response: ServerResponse): void {
  const { method, headers, url = '/' } = request
  const onward = forward(new URL(url, origin), { method: method ?? 'GET', headers })
  onward.on('response', (forwarded) => {
    response.writeHead(forwarded.statusCode ?? 502, forwarded.headers)
    forwarded.pipe(response)
  })
  onward.on('error', () => response.destroy())
  request.pipe(onward)
}
