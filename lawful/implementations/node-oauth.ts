import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { type ParsedUrlQuery, parse } from 'node:querystring'
import { text } from 'node:stream/consumers'
import { documented, type Implementation, sendPage } from '../implementation.ts'
import { load } from '../import-package.ts'
import { loginPage } from '../node-oauth/login-page.ts'
import { accountOf, memoryModel } from '../node-oauth/model.ts'

/** A response of the library. */
interface Message {
  readonly headers: Readonly<Record<string, string>>
  readonly status: number
  body: object
}
interface OAuthServer {
  authorize(request: unknown, response: unknown, options: object): Promise<unknown>
  token(request: unknown, response: unknown): Promise<unknown>
  authenticate(request: unknown, response: unknown): Promise<{ user: { id: string; email: string } }>
}
interface Library {
  readonly default: (new (
    options: object,
  ) => OAuthServer) & {
    readonly Request: new (options: object) => unknown
    readonly Response: new () => Message
  }
}
interface Arguments {
  readonly query: ParsedUrlQuery
  readonly body: ParsedUrlQuery
  /** The user of the session, if there is one. */
  readonly user: unknown
}

/** @node-oauth/oauth2-server, an OAuth library, with a minimal application. */
export const implementation: Implementation = {
  start: async () => {
    const { default: OAuth2Server } = await load<Library>('@node-oauth/oauth2-server')
    const server = new OAuth2Server({ model: memoryModel() })
    const sessions = new Map<string, unknown>()

    const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const [path = '', search = ''] = (request.url ?? '').split(/\?(.*)/s)
      const body = parse(await text(request))
      const session = /(?:^|; )session=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? ''
      const given = { query: parse(search), body, user: sessions.get(session) }
      if (path === '/login') {
        const user = accountOf(body.email, body.password)
        if (user === undefined) return sendPage(response, loginPage(search, true))
        const id = randomUUID()
        sessions.set(id, user)
        response.setHeader('set-cookie', `session=${id}; HttpOnly; Path=/`)
        return void response.writeHead(302, { location: `${documented.authorize}?${search}` }).end()
      }
      if (path === documented.authorize && given.user === undefined && given.query.allowed !== 'false')
        return sendPage(response, loginPage(search, false))
      const answer = answers[path]
      if (answer === undefined) return void response.writeHead(404).end()
      await send(response, OAuth2Server, request, given, answer)
    }

    const answers: Readonly<Record<string, Answer>> = {
      [documented.authorize]: (request, response, { user }) =>
        server.authorize(request, response, { authenticateHandler: { handle: () => user ?? {} } }),
      [documented.token]: (request, response) => server.token(request, response),
      [documented.userinfo]: async (request, response) => {
        const { user } = await server.authenticate(request, response)
        response.body = { sub: user.id, email: user.email }
      },
    }
    const listener: RequestListener = (request, response) => void respond(request, response)
    return { listener }
  },
}

type Answer = (request: unknown, response: Message, given: Arguments) => Promise<unknown>

/** Sends the response of the library: a redirect, JSON, or the error that it threw. */
async function send(
  response: ServerResponse,
  { Request, Response }: Library['default'],
  { method, headers }: IncomingMessage,
  given: Arguments,
  answer: Answer,
): Promise<void> {
  const message = new Response()
  const { query, body } = given
  let failure: (Error & { readonly code?: number }) | undefined
  try {
    await answer(new Request({ method, headers, query, body }), message, given)
  } catch (error) {
    failure = error as Error
  }
  if (message.headers.location !== undefined)
    return void response.writeHead(message.status, message.headers).end()
  const json = failure ? { error: failure.name, error_description: failure.message } : message.body
  response.writeHead(failure ? (failure.code ?? 500) : message.status, {
    ...message.headers,
    'content-type': 'application/json',
  })
  response.end(JSON.stringify(json))
}
