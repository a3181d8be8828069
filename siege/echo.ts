import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RunningProvider } from '../provider/index.ts'
import { movedTo } from './front.ts'

/** A provider that repeats secrets of its requests in every part of its responses. */
export interface Echo {
  readonly variables: Readonly<Record<string, string>>
  /** The names of all secrets that the provider has received or sent. The keys are the secrets. */
  readonly secrets: Map<string, string>
  close(): void
}

/** JSON members and form parameters whose values are secrets. */
const secretNames = [
  ...['access_token', 'refresh_token', 'id_token', 'code', 'code_verifier', 'state', 'nonce'],
  ...['password', 'client_secret', 'username', 'interaction'],
]
const inForm = new RegExp(`(?:^|[?&#;"'])(${secretNames.join('|')})=([^&"'#\\s<]+)`, 'g')
const inJson = new RegExp(`"(${secretNames.join('|')})":"([^"]+)"`, 'g')

/** Starts a server in front of a provider that repeats each request in headers, cookies, titles and descriptions. */
export async function startEcho({ variables }: RunningProvider): Promise<Echo> {
  const secrets = new Map(
    Object.entries(variables)
      .filter(([name]) => /SECRET$|PASSWORD$|TEST_USER$/.test(name))
      .map(([name, value]) => [value, name]),
  )
  const origin = new URL(variables.IDP_BASE_URL ?? '').origin
  const server = createServer((request, response) => void answer(origin, request, response, secrets))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    variables: movedTo(address, variables),
    secrets,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function answer(
  origin: string,
  request: IncomingMessage,
  response: ServerResponse,
  secrets: Map<string, string>,
): Promise<void> {
  const { method = 'GET', headers, url = '/' } = request
  const body = await textOf(request)
  const bearer = /^Bearer (.+)/.exec(headers.authorization ?? '')?.[1]
  const text = [url, body, headers.cookie, bearer, headers['x-client-secret']].filter(Boolean).join(' ')
  collect(text, secrets)
  const onward = forward(new URL(url, origin), {
    method,
    headers: { ...headers, 'accept-encoding': 'identity' },
  })
  onward.on('error', () => response.destroy())
  onward.end(body)
  onward.on('response', async (provided) => {
    const sent = await textOf(provided)
    const location = provided.headers.location ?? ''
    collect(`${sent} ${location} ${provided.headers['set-cookie']?.join(' ') ?? ''}`, secrets)
    const status = provided.statusCode ?? 502
    const { 'content-length': _, ...kept } = provided.headers
    const shown = encodeURIComponent(text).slice(0, 3000)
    const cookies = [...(provided.headers['set-cookie'] ?? []), `echo=${shown.slice(0, 1000)}; Path=/`]
    response.writeHead(status, { ...kept, 'x-echo': shown, 'set-cookie': cookies })
    response.end(echoed(sent, String(provided.headers['content-type']), status, text))
  })
}

/** Adds the text of the request to a body. */
function echoed(body: string, type: string, status: number, text: string): string {
  if (/html/.test(type)) return body.replace(/<title>[^<]*/, `<title>${escaped(text)}`)
  if (!/json/.test(type) || status < 400) return body
  try {
    return JSON.stringify({
      ...JSON.parse(body),
      error_description: `Not with ${text}`,
      [text.slice(0, 200)]: text,
    })
  } catch {
    return body
  }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

function collect(text: string, secrets: Map<string, string>): void {
  for (const pattern of [inForm, inJson])
    for (const [, name = '', value = ''] of text.matchAll(pattern)) {
      secrets.set(value, name)
      const decoded = decodedOf(value)
      if (decoded !== undefined) secrets.set(decoded, name)
    }
}

function decodedOf(value: string): string | undefined {
  try {
    return decodeURIComponent(value.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

async function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
