import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { rateLimit } from 'express-rate-limit'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { Kind } from '../../load/limiter/index.ts'

/** A third-party limiter behind a server on loopback, with its true parameters. */
export interface RealServer {
  readonly name: string
  readonly url: string
  readonly truth: { readonly kind: Kind; readonly capacity?: number; readonly rate: number }
  close(): Promise<void>
}

const nginxPath = '/usr/sbin/nginx'

export const nginxMissing = existsSync(nginxPath)
  ? undefined
  : `nginx limit_req: skipped, there is no ${nginxPath} on this machine.`

export async function realServers(): Promise<RealServer[]> {
  const servers = [
    serve('rate-limiter-flexible, 6 each 3 s', window(6, 3), flexible(6, 3, true)),
    serve('rate-limiter-flexible, 10 each 5 s, no Retry-After', window(10, 5), flexible(10, 5, false)),
    serve('express-rate-limit, 8 each 4 s', window(8, 4), express(8, 4)),
    serve('express-rate-limit, 20 each 6 s', window(20, 6), express(20, 6)),
  ]
  if (nginxMissing === undefined) servers.push(nginx(5, 'nodelay'), nginx(5, ''))
  return Promise.all(servers)
}

const window = (capacity: number, seconds: number) =>
  ({ kind: 'fixed-window', capacity, rate: capacity / seconds }) as const

async function serve(
  name: string,
  truth: RealServer['truth'],
  listener: RequestListener,
): Promise<RealServer> {
  const server: Server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    name,
    url: `http://127.0.0.1:${port}/`,
    truth,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function flexible(points: number, duration: number, retryAfter: boolean): RequestListener {
  const limiter = new RateLimiterMemory({ points, duration })
  return (_request, response) => {
    limiter.consume('client').then(
      () => response.end('ok'),
      (refusal: unknown) => {
        const wait = refusal instanceof RateLimiterRes ? refusal.msBeforeNext : 0
        if (retryAfter) response.setHeader('retry-after', Math.ceil(wait / 1000))
        refuse(response)
      },
    )
  }
}

function express(limit: number, seconds: number): RequestListener {
  const middleware = rateLimit({
    limit,
    windowMs: seconds * 1000,
    standardHeaders: 'draft-7',
    legacyHeaders: false,
    keyGenerator: () => 'client',
    validate: false,
    handler: (_request, response) => refuse(response),
  })
  type Parameters_ = Parameters<typeof middleware>
  return (request: IncomingMessage, response: ServerResponse) => {
    // The middleware works without Express: it uses only members of Node's request.
    void middleware(request as Parameters_[0], response as Parameters_[1], () => response.end('ok'))
  }
}

function refuse(response: ServerResponse): void {
  response.statusCode = 429
  response.end('slow down')
}

/** nginx's limit_req at 2 requests/s: with `nodelay` a token bucket of capacity burst + 1, otherwise a leaky bucket. */
async function nginx(burst: number, nodelay: 'nodelay' | ''): Promise<RealServer> {
  const directory = await mkdtemp(join(tmpdir(), 'plumbline-nginx-'))
  const port = 20_000 + Math.floor(Math.random() * 20_000)
  // The response is `empty_gif`, because nginx would execute `return` before limit_req.
  const configuration = `
    pid ${directory}/pid; error_log ${directory}/error.log; daemon on;
    events {}
    http {
      access_log off;
      limit_req_zone $server_port zone=one:1m rate=2r/s;
      limit_req_status 429;
      server { listen 127.0.0.1:${port}; location / { limit_req zone=one burst=${burst} ${nodelay}; empty_gif; } }
    }`
  await writeFile(join(directory, 'nginx.conf'), configuration)
  const run = (...words: string[]) =>
    promisify(execFile)(nginxPath, ['-p', directory, '-c', join(directory, 'nginx.conf'), ...words])
  await run()
  return {
    name: `nginx limit_req, 2 each second, burst ${burst} ${nodelay}`.trim(),
    url: `http://127.0.0.1:${port}/`,
    truth:
      nodelay === 'nodelay'
        ? { kind: 'token-bucket', capacity: burst + 1, rate: 2 }
        : { kind: 'leaky-bucket', rate: 2 },
    async close() {
      await run('-s', 'stop')
      await rm(directory, { recursive: true, force: true })
    },
  }
}
