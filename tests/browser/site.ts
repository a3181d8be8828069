import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Received {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingHttpHeaders
  readonly form: URLSearchParams
  readonly cookies: Readonly<Record<string, string>>
}

export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly delayMs?: number
}

export interface Site {
  readonly origin: string
  readonly host: string
  /** Method and path of every request, in order. */
  readonly log: string[]
  close(): Promise<void>
}

/** A web server on loopback that logs its requests. It responds with the results of `answer`; undefined means 404. */
export async function startSite(answer: (request: Received) => Answer | undefined): Promise<Site> {
  const log: string[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`)
    log.push(`${request.method} ${url.pathname}`)
    const cookies = Object.fromEntries(
      (request.headers.cookie ?? '').split('; ').map((pair) => pair.split('=', 2)),
    )
    const form = new URLSearchParams(Buffer.concat(chunks).toString())
    const {
      status = 200,
      headers,
      body,
      delayMs = 0,
    } = answer({ method: request.method ?? '', url, headers: request.headers, form, cookies }) ?? {
      status: 404,
    }
    if (delayMs > 0) await sleep(delayMs)
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers })
    response.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin: `http://${host}`,
    host,
    log,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export function html(body: string, head = ''): Answer {
  return {
    body: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>t</title>${head}</head><body>${body}</body></html>`,
  }
}

export function redirect(to: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status: 302, headers: { location: to, ...headers } }
}
