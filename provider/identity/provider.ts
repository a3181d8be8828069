import type { IncomingMessage, ServerResponse } from 'node:http'
import Provider, { type KoaContextWithOIDC } from 'oidc-provider'
import { type HttpRequest, type HttpResponse, htmlResponse, withBody } from '../http.ts'
import { createAccountPage } from './account-page.ts'
import { Consents } from './accounts.ts'
import { acceptRawBasic, installClientRules } from './clients.ts'
import { configuration } from './configuration.ts'
import type { IdentityContext, IdentitySetup } from './context.ts'
import { Interactions } from './interactions.ts'
import { completeIntrospection, prepareIntrospection } from './introspection.ts'
import { createLoginBeforeValidation } from './login-before-validation.ts'
import { errorPage } from './pages.ts'
import { ACCOUNT_PATH, type Endpoint, endpointOf, INTERACTION_PATH, PATHS } from './paths.ts'
import { asSpecified } from './responses.ts'
import { installTokens } from './tokens.ts'

type IdentityHandler = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  request: HttpRequest,
) => Promise<void>

/** The identity provider: oidc-provider with the paths, statuses and names of the specification. */
export function createIdentity(setup: IdentitySetup): IdentityHandler {
  const requests = new WeakMap<IncomingMessage, HttpRequest>()
  const requestOf = (ctx: { req: IncomingMessage }) => requests.get(ctx.req) as HttpRequest
  const currentContext = () => Provider.ctx as KoaContextWithOIDC
  const context: IdentityContext = {
    ...setup,
    currentContext,
    currentRequest: () => requestOf(currentContext()),
  }
  const consents = new Consents()
  const provider = new Provider(setup.issuer, configuration(context, consents))
  installTokens(provider, context)
  installClientRules(provider, context)
  const interactions = new Interactions(provider, context, consents)
  const accountPage = createAccountPage(provider, context)
  const serveEndpoint = endpointHandler(provider, context)

  provider.use(async (koaContext, next) => {
    const ctx = koaContext as KoaContextWithOIDC
    const request = requestOf(ctx)
    // oidc-provider adds the mount path to its own URLs.
    ctx.mountPath = context.basePath
    const endpoint = endpointOf(request.path)
    if (endpoint) await serveEndpoint(endpoint, ctx, request, next)
    else if (request.path.startsWith(`${INTERACTION_PATH}/`)) {
      const response = await interactions.handle(ctx, request)
      for (const edit of context.behaviour.interactions) await edit(response, request)
      write(ctx, response)
    } else if (request.path === ACCOUNT_PATH) write(ctx, await accountPage(ctx, request))
    else await next()
  })

  const handle = provider.callback()
  return async (incoming, outgoing, request) => {
    const prepared = await prepare(incoming, request, context)
    requests.set(prepared, request)
    await handle(prepared, outgoing)
  }
}

/** Serves an endpoint through oidc-provider, and edits the response as specified. */
function endpointHandler(provider: Provider, context: IdentityContext) {
  const { behaviour } = context
  const loginBeforeValidation = createLoginBeforeValidation(provider, context)
  return async (
    endpoint: Endpoint,
    ctx: KoaContextWithOIDC,
    request: HttpRequest,
    next: () => Promise<void>,
  ): Promise<void> => {
    if (endpoint === 'introspection' && behaviour.introspection === 'unavailable') {
      write(ctx, htmlResponse(400, errorPage('Bad Request', 'The request cannot be served.')))
    } else if (endpoint === 'authorization' && behaviour.validation === 'after-login') {
      await loginBeforeValidation(ctx, request, next)
    } else {
      await next()
    }
    const response = read(ctx)
    asSpecified(endpoint, response, request, behaviour)
    if (endpoint === 'introspection') completeIntrospection(response, ctx, context)
    for (const edit of behaviour.responses[endpoint]) await edit(response, request)
    write(ctx, response)
  }
}

/** Applies the behaviour's edits to a request before oidc-provider reads it. */
async function prepare(
  incoming: IncomingMessage,
  request: HttpRequest,
  context: IdentityContext,
): Promise<IncomingMessage> {
  const { behaviour, deployment } = context
  const endpoint = endpointOf(request.path)
  // Errors of these endpoints are always JSON.
  if (endpoint && endpoint !== 'authorization') incoming.headers.accept = 'application/json'
  if (request.path === PATHS.authorization) {
    // The specification has no response_mode: the response is always in the query.
    request.query.delete('response_mode')
    for (const edit of behaviour.authorizationRequest) await edit(request.query, request)
    incoming.url = `${request.path}?${request.query}`
  }
  const basic = acceptRawBasic(incoming.headers.authorization, deployment.applications)
  if (basic !== undefined) incoming.headers.authorization = basic
  const { body, form } = request
  if (!body) return incoming
  if (!form) return withBody(incoming, body)
  if (endpoint === 'token') for (const edit of behaviour.tokenRequest) await edit(form, request)
  if (endpoint === 'introspection') prepareIntrospection(form, context)
  return withBody(incoming, Buffer.from(form.toString()))
}

/** The response that oidc-provider has prepared. */
function read(ctx: KoaContextWithOIDC): HttpResponse {
  return {
    status: ctx.status,
    headers: { ...ctx.response.headers } as HttpResponse['headers'],
    body: ctx.body,
  }
}

function write(ctx: KoaContextWithOIDC, response: HttpResponse): void {
  for (const name of Object.keys(ctx.response.headers)) ctx.remove(name)
  ctx.body = response.body ?? ''
  ctx.status = response.status
  for (const [name, value] of Object.entries(response.headers)) {
    if (name !== 'content-length') ctx.set(name, value)
  }
}
