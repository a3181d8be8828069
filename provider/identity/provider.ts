import type { IncomingMessage, ServerResponse } from 'node:http'
import Provider, { type Configuration, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { type Deployment, subjectFor, type User } from '../deployment.ts'
import { type Answer, htmlAnswer, type Received, withBody } from '../http.ts'
import type { SigningKey } from '../keys.ts'
import { createAccountPage } from './account.ts'
import { accountFinder, CLAIMS, Consents } from './accounts.ts'
import { asSpecified } from './answers.ts'
import type { IdentityBehaviour } from './behaviour.ts'
import { acceptRawBasic, clientMetadata, installClientRules } from './clients.ts'
import { createInteractions } from './interactions.ts'
import { createIntrospection } from './introspection.ts'
import { createLateValidation } from './late-validation.ts'
import { checkKnownLevel, loginPolicy } from './levels.ts'
import { TOKEN_LIFETIME } from './lifetimes.ts'
import { errorPage } from './pages.ts'
import { ACCOUNT_PATH, endpointOf, INTERACTION_PATH, PATHS } from './paths.ts'
import { Store } from './store.ts'
import { installTokens } from './tokens.ts'

/** What the parts of the identity provider share. */
export interface IdentityContext {
  issuer: string
  seed: string
  deployment: Deployment
  behaviour: IdentityBehaviour
  /** Keys whose signature the provider knows as its own. */
  keys: SigningKey[]
  /** Tells the rest of the service that a user has changed a claim. */
  claimChanged(user: User, claim: string, value: string): void
  /** The request being handled, as oidc-provider sees it. */
  current(): KoaContextWithOIDC
  /** The request being handled, as it came in. */
  received(): Received
}

export interface IdentitySetup {
  issuer: string
  seed: string
  deployment: Deployment
  behaviour: IdentityBehaviour
  /** The first one signs and is published. */
  keys: [SigningKey, ...SigningKey[]]
  /** Called with each claim that a user has changed. */
  claimChanged(user: User, claim: string, value: string): void
}

export type IdentityHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  received: Received,
  body: Buffer | undefined,
) => Promise<void>

/** The identity provider: oidc-provider with the paths, statuses and names of the specification. */
export function createIdentity(setup: IdentitySetup): IdentityHandler {
  const { issuer, deployment, behaviour } = setup
  const inFlight = new WeakMap<IncomingMessage, Received>()
  const context: IdentityContext = {
    ...setup,
    current: () => Provider.ctx as KoaContextWithOIDC,
    received: () => inFlight.get((Provider.ctx as KoaContextWithOIDC).req) as Received,
  }
  const consents = new Consents()
  const provider = new Provider(issuer, configuration(context, consents))
  installTokens(provider, context)
  installClientRules(provider, context)
  const interact = createInteractions(provider, context, consents)
  const accountPage = createAccountPage(provider, context)
  const introspection = createIntrospection(context)
  const lateValidation = createLateValidation(provider, context)

  provider.use(async (ctx, next) => {
    const received = inFlight.get(ctx.req) as Received
    if (received.path.startsWith(`${INTERACTION_PATH}/`)) {
      return write(ctx as KoaContextWithOIDC, await interact(ctx, received))
    }
    if (received.path === ACCOUNT_PATH) {
      return write(ctx as KoaContextWithOIDC, await accountPage(ctx, received))
    }
    const endpoint = endpointOf(received.path)
    if (!endpoint) return next()
    if (endpoint === 'introspection' && behaviour.introspection === 'unavailable') {
      write(
        ctx as KoaContextWithOIDC,
        htmlAnswer(400, errorPage('Bad Request', 'The request cannot be served.')),
      )
    } else if (endpoint === 'authorization' && behaviour.validation === 'after-login') {
      await lateValidation(ctx as KoaContextWithOIDC, received, next)
    } else {
      await next()
    }
    const answer = read(ctx as KoaContextWithOIDC)
    asSpecified(endpoint, answer, received, behaviour)
    if (endpoint === 'introspection') introspection.complete(answer, ctx as KoaContextWithOIDC)
    for (const step of behaviour.answers[endpoint]) await step(answer, received)
    write(ctx as KoaContextWithOIDC, answer)
  })

  const handle = provider.callback()
  return async (request, response, received, body) => {
    const prepared = await prepare(request, received, body)
    inFlight.set(prepared, received)
    await handle(prepared, response)
  }

  /** Applies the behaviour's edits to a request before oidc-provider reads it. */
  async function prepare(request: IncomingMessage, received: Received, body: Buffer | undefined) {
    const endpoint = endpointOf(received.path)
    // Errors of these endpoints are JSON whatever the client accepts.
    if (endpoint && endpoint !== 'authorization') request.headers.accept = 'application/json'
    if (received.path === PATHS.authorization) {
      // Not a parameter of this interface: answers travel in the query.
      received.query.delete('response_mode')
      for (const step of behaviour.authorizationRequest) await step(received.query, received)
      request.url = `${received.path}?${received.query}`
    }
    const basic = acceptRawBasic(request.headers.authorization, deployment.applications)
    if (basic !== undefined) request.headers.authorization = basic
    if (!body) return request
    const { form } = received
    if (!form) return withBody(request, body)
    if (endpoint === 'token') for (const step of behaviour.tokenRequest) await step(form, received)
    if (endpoint === 'introspection') introspection.prepare(form)
    return withBody(request, Buffer.from(form.toString()))
  }
}

function configuration(context: IdentityContext, consents: Consents): Configuration {
  const { seed, deployment, behaviour, keys } = context
  const store = new Store({
    revokeFamilies: behaviour.replayRevokesFamily,
    reusable: behaviour.reusable,
    lost: () => new errors.InvalidGrant('already used'),
  })
  return {
    adapter: (model) => store.adapter(model),
    clients: deployment.applications.map(clientMetadata),
    jwks: { keys: keys.slice(0, 1).map((key) => key.privateJwk) },
    findAccount: accountFinder(deployment),
    acrValues: deployment.levels,
    claims: CLAIMS,
    scopes: Object.keys(CLAIMS),
    subjectTypes: ['pairwise'],
    pairwiseIdentifier: (_ctx, account, client) => {
      const application = deployment.applications.find(({ id }) => id === client.clientId)
      return subjectFor(seed, application?.sphere ?? '', account)
    },
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post'],
    pkce: { required: () => behaviour.pkceRequired },
    allowOmittingSingleRegisteredRedirectUri: false,
    expiresWithSession: () => false,
    issueRefreshToken: async (_ctx, client) =>
      behaviour.issueRefreshToken && client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: behaviour.refreshRotation === 'rotate',
    revokeGrantPolicy: () => behaviour.replayRevokesFamily,
    cookies: { keys: [seed] },
    extraParams: { auth_level: (ctx) => validateRequest(ctx, behaviour) },
    features: {
      devInteractions: { enabled: false },
      introspection: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
      revocation: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
    },
    interactions: {
      policy: loginPolicy(behaviour),
      url: (_ctx, interaction) => `${INTERACTION_PATH}/${interaction.uid}`,
    },
    // A grant for each authorization: revoking what came from one code leaves the user's other tokens alone.
    loadExistingGrant: async (ctx) => {
      const account = ctx.oidc.session?.accountId
      const client = ctx.oidc.client?.clientId
      if (!account || !client) return undefined
      const scopes = ctx.oidc.requestParamOIDCScopes
      if (behaviour.consent === 'always' && !ctx.oidc.result?.consent) return undefined
      if (behaviour.consent === 'once' && !consents.covers(account, client, scopes)) return undefined
      const grant = new ctx.oidc.provider.Grant({ accountId: account, clientId: client })
      grant.addOIDCScope([...scopes].join(' '))
      await grant.save()
      return grant
    },
    renderError: (ctx, out) => {
      const mismatch = out.error === 'invalid_redirect_uri'
      const error = mismatch ? 'redirect_uri_mismatch' : out.error
      const requested = ctx.query.redirect_uri
      if (mismatch && behaviour.redirectMismatch === 'redirect' && URL.canParse(String(requested))) {
        const target = new URL(String(requested))
        target.searchParams.set('error', error)
        if (typeof ctx.query.state === 'string') target.searchParams.set('state', ctx.query.state)
        ctx.status = 302
        ctx.redirect(target.href)
        return
      }
      ctx.type = 'html'
      ctx.body = errorPage(error, out.error_description ?? '')
    },
    routes: {
      authorization: PATHS.authorization,
      token: PATHS.token,
      userinfo: PATHS.userinfo,
      introspection: PATHS.introspection,
      jwks: PATHS.keySet,
    },
    ttl: {
      AccessToken: behaviour.accessTokenLifetime,
      AuthorizationCode: 60,
      IdToken: TOKEN_LIFETIME,
      RefreshToken: 14 * 86_400,
      Interaction: 3600,
      Session: 86_400,
      Grant: 14 * 86_400,
    },
  }
}

/** The checks of an authorization request that oidc-provider does not make. */
function validateRequest(ctx: KoaContextWithOIDC, behaviour: IdentityBehaviour): void {
  for (const name of behaviour.requiredParameters) {
    if (!ctx.oidc.params?.[name]) throw new errors.InvalidRequest(`missing required parameter '${name}'`)
  }
  if (!ctx.oidc.requestParamScopes.has('openid')) {
    throw new errors.InvalidRequest('openid scope must be requested')
  }
  // The library has dropped unknown scopes by now: look at what was sent.
  const sent = ctx.oidc.route === 'authorization' ? String(ctx.query.scope ?? '').split(' ') : []
  const unknown = behaviour.unknownScope === 'refuse' && sent.find((scope) => scope && !(scope in CLAIMS))
  if (unknown) throw new errors.InvalidScope('the scope is unknown', unknown)
  checkKnownLevel(ctx, behaviour)
}

/** The answer oidc-provider has prepared. */
function read(ctx: KoaContextWithOIDC): Answer {
  return { status: ctx.status, headers: { ...ctx.response.headers } as Answer['headers'], body: ctx.body }
}

function write(ctx: KoaContextWithOIDC, answer: Answer): void {
  for (const name of Object.keys(ctx.response.headers)) ctx.remove(name)
  ctx.body = answer.body ?? ''
  ctx.status = answer.status
  for (const [name, value] of Object.entries(answer.headers)) {
    if (name !== 'content-length') ctx.set(name, value)
  }
}
