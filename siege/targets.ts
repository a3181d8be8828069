import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RunningProvider, startProvider } from '../provider/index.ts'
import { startCommand } from './command.ts'
import { mostTreeMiB } from './memory.ts'
import { type Misbehave, misbehaviours } from './misbehaviours.ts'
import { peakMemoryMiB } from './process-tree.ts'
import type { Attempt, Subject } from './subject.ts'

const mostSeconds = 300
/** One check of each kind of request. */
const only = [
  ...['DISCOVERY-PUBLIC', 'KEYSET-PUBLIC', 'AUTHZ-CODE-FLOW', 'TOKEN-CODE-EXCHANGE', 'TOKEN-REFRESH*'],
  ...['USERINFO-BEARER', 'EVENT-SEARCH', 'EVENT-TIME-ORDER'],
]
const endpoints: Readonly<Record<string, RegExp>> = {
  discovery: /openid-configuration/,
  'key set': /jwks/,
  authorization: /\/authorize/,
  token: /\/token/,
  'user-info': /\/userinfo/,
  'event search': /\/events\/search/,
}

/** Runs of the command against a provider of which one endpoint misbehaves. */
export async function targets(): Promise<Subject> {
  const provider = await startProvider()
  const attempts = new Map<string, () => Promise<Attempt>>()
  for (const [endpoint, path] of Object.entries(endpoints))
    for (const [what, misbehave] of Object.entries(misbehaviours))
      attempts.set(`${endpoint} ${what}`, () => attempt(provider, path, misbehave))
  return {
    name: 'targets',
    promise: `A run against any target ends within ${mostSeconds} s and ${mostTreeMiB} MiB, with a verdict and never with exit code 4.`,
    method: 'The command checks a provider of which one endpoint misbehaves.',
    attempts,
    close: () => provider.close(),
  }
}

async function attempt(provider: RunningProvider, path: RegExp, misbehave: Misbehave): Promise<Attempt> {
  const origin = new URL(provider.variables.IDP_BASE_URL ?? '').origin
  const front = createServer((request, response) => {
    if (path.test(request.url ?? '')) void misbehave(request, response)
    else pass(origin, request, response)
  })
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(front.address() as AddressInfo).port}`
  const moved = Object.entries(provider.variables).map(([name, value]) => [
    name,
    value.replace(origin, address),
  ])
  const began = performance.now()
  try {
    await using run = startCommand(['check', '--no-report', '--only', ...only], Object.fromEntries(moved))
    const { result, mib } = await peakMemoryMiB(() => Promise.race([run.ended, expiry()]), run.child.pid ?? 0)
    const seconds = (performance.now() - began) / 1000
    const held = result?.code !== undefined && [0, 1, 2].includes(result.code ?? 4) && mib < mostTreeMiB
    return { held, measured: `exit code ${result?.code ?? 'none'}, ${seconds.toFixed(0)} s, ${mib} MiB` }
  } finally {
    front.closeAllConnections()
    front.close()
  }
}

function expiry(): Promise<undefined> {
  return sleep(mostSeconds * 1000, undefined, { ref: false })
}

function pass(origin: string, request: IncomingMessage, response: ServerResponse): void {
  const { method, headers, url = '/' } = request
  const onward = forward(new URL(url, origin), { method: method ?? 'GET', headers })
  onward.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  onward.on('error', () => response.destroy())
  request.pipe(onward)
}
