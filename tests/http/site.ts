import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect } from 'vitest'
import { Recorder } from '../../src/evidence/recorder.ts'
import type { BudgetOptions } from '../../src/http/budget.ts'
import type { HttpFailure } from '../../src/http/failures.ts'
import { Http, type HttpOptions } from '../../src/http/http.ts'
import type { HttpRequest } from '../../src/http/request.ts'
import { budgetWith } from './budgets.ts'

/** A request as the server received it. */
export interface Seen {
  readonly at: number
  readonly method: string
  readonly url: string
  /** Names and values in turn, as received. */
  readonly rawHeaders: readonly string[]
  readonly body: string
  /** Port of the client, different for each connection. */
  readonly port: number | undefined
}

export type Answer = (response: ServerResponse, seen: Seen, number: number) => void

// Here, a concurrent test cannot register a hook for its own end, so everything ends with the file.
const open: (() => unknown)[] = []
afterAll(() => Promise.all(open.map((close) => close())))

/** A server on a loopback port that logs its requests. It ends with the file. */
export async function site(answer: Answer = (response) => response.end('{}')) {
  const log: Seen[] = []
  const server = createServer(async (request: IncomingMessage, response) => {
    const at = Date.now()
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url = '', rawHeaders } = request
    const seen = {
      at,
      method,
      url,
      rawHeaders,
      body: Buffer.concat(chunks).toString('latin1'),
      port: request.socket.remotePort,
    }
    log.push(seen)
    answer(response, seen, log.length)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return { log, host, url: (path = '/') => new URL(`http://${host}${path}`) }
}

/** A client for some hosts, by default without a pace. It ends with the file. */
export function client(
  hosts: readonly string[],
  options: Partial<BudgetOptions> = {},
  limits: HttpOptions = {},
) {
  const budget = budgetWith({ hosts, ...options })
  const recorder = new Recorder()
  const http = new Http(budget, recorder, undefined, limits)
  open.push(() => http.close())
  return { budget, recorder, http }
}

/** A site, and a client that may send it requests. */
export async function siteWithClient(
  answer?: Answer,
  options: Partial<BudgetOptions> = {},
  limits: HttpOptions = {},
) {
  const served = await site(answer)
  const sender = client([served.host], options, limits)
  const get = (path = '/', retry: HttpRequest['retry'] = 'safe') =>
    sender.http.send({ method: 'GET', url: served.url(path), retry })
  return { ...served, ...sender, get }
}

/** A response with a status, headers and a JSON body. */
export function answer(status: number, headers: Record<string, string | string[]> = {}, body = '{}'): Answer {
  return (response) => response.writeHead(status, headers).end(body)
}

/** Each answer in turn, and the last one for all further requests. */
export function inTurn(...answers: readonly Answer[]): Answer {
  return (response, seen, number) => (answers[number - 1] ?? answers.at(-1))?.(response, seen, number)
}

/** No response: the server resets the connection. */
export const reset: Answer = (response) => response.socket?.resetAndDestroy()

/** The failure of a request that must fail. */
export function failureOf(promise: Promise<unknown>): Promise<HttpFailure> {
  return promise.then(
    () => expect.unreachable('the request has a response'),
    (error) => error,
  )
}
