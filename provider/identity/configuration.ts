import { type Configuration, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { subjectFor } from '../deployment.ts'
import { accountLoader, CLAIMS, type Consents } from './accounts.ts'
import { checkKnownLevel, loginPolicy } from './authentication-levels.ts'
import { type IdentityBehaviour, TOKEN_LIFETIME } from './behaviour.ts'
import { clientMetadata } from './clients.ts'
import type { IdentityContext } from './context.ts'
import { errorPage } from './pages.ts'
import { INTERACTION_PATH, PATHS } from './paths.ts'
import { Store } from './store.ts'

const DAY = 86_400

/** Configures oidc-provider with the routes, rules and names of the specification, as far as its options allow. */
export function configuration(context: IdentityContext, consents: Consents): Configuration {
  const { deployment, behaviour } = context
  const store = new Store({
    revokeFamilies: behaviour.replayRevokesFamily,
    reusable: behaviour.reusable,
    usedError: () => new errors.InvalidGrant('already used'),
  })
  return {
    ...clientConfiguration(context),
    ...tokenConfiguration(behaviour),
    adapter: (model) => store.adapter(model),
    findAccount: accountLoader(deployment),
    acrValues: deployment.levels,
    claims: CLAIMS,
    scopes: Object.keys(CLAIMS),
    responseTypes: ['code'],
    pkce: { required: () => behaviour.pkceRequired },
    allowOmittingSingleRegisteredRedirectUri: false,
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
      url: (_ctx, interaction) => `${context.basePath}${INTERACTION_PATH}/${interaction.uid}`,
    },
    loadExistingGrant: grantLoader(behaviour, consents),
    renderError: (ctx, { error, error_description }) => renderError(ctx, error, error_description, behaviour),
    routes: {
      authorization: PATHS.authorization,
      token: PATHS.token,
      userinfo: PATHS.userinfo,
      introspection: PATHS.introspection,
      jwks: PATHS.keySet,
    },
  }
}

function clientConfiguration({ seed, deployment, key }: IdentityContext): Configuration {
  return {
    clients: deployment.applications.map(clientMetadata),
    clientAuthMethods: ['client_secret_basic', 'client_secret_post'],
    jwks: { keys: [key.privateJwk] },
    cookies: { keys: [seed] },
    subjectTypes: ['pairwise'],
    pairwiseIdentifier: (_ctx, account, client) => {
      const application = deployment.applications.find(({ id }) => id === client.clientId)
      return subjectFor(seed, application?.sphere ?? '', account)
    },
  }
}

function tokenConfiguration(behaviour: IdentityBehaviour): Configuration {
  return {
    expiresWithSession: () => false,
    issueRefreshToken: async (_ctx, client) =>
      behaviour.issueRefreshToken && client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: behaviour.refreshRotation === 'rotate',
    revokeGrantPolicy: () => behaviour.replayRevokesFamily,
    ttl: {
      AccessToken: behaviour.accessTokenLifetime,
      AuthorizationCode: behaviour.codeLifetime,
      IdToken: TOKEN_LIFETIME,
      RefreshToken: 14 * DAY,
      Interaction: 3600,
      Session: DAY,
      Grant: 14 * DAY,
    },
  }
}

/** Creates a grant for each authorization, so that a revocation of the tokens of one code revokes no other tokens. */
function grantLoader(
  behaviour: IdentityBehaviour,
  consents: Consents,
): NonNullable<Configuration['loadExistingGrant']> {
  return async ({ oidc }) => {
    const account = oidc.session?.accountId
    const client = oidc.client?.clientId
    if (!account || !client) return undefined
    const scopes = oidc.requestParamOIDCScopes
    if (behaviour.consent === 'always' && !oidc.result?.consent) return undefined
    if (behaviour.consent === 'once' && !consents.covers(account, client, scopes)) return undefined
    const grant = new oidc.provider.Grant({ accountId: account, clientId: client })
    grant.addOIDCScope([...scopes].join(' '))
    await grant.save()
    return grant
  }
}

/** Responds to an error that oidc-provider does not return to the application. */
function renderError(
  ctx: KoaContextWithOIDC,
  error: string,
  description: string | undefined,
  { redirectMismatch }: IdentityBehaviour,
): void {
  const isMismatch = error === 'invalid_redirect_uri'
  const name = isMismatch ? 'redirect_uri_mismatch' : error
  const requested = String(ctx.query.redirect_uri)
  if (isMismatch && redirectMismatch === 'redirect' && URL.canParse(requested)) {
    const target = new URL(requested)
    target.searchParams.set('error', name)
    if (typeof ctx.query.state === 'string') target.searchParams.set('state', ctx.query.state)
    ctx.status = 302
    ctx.redirect(target.href)
    return
  }
  ctx.type = 'html'
  ctx.body = errorPage(name, description ?? '')
}

/** Validates the parts of an authorization request that oidc-provider does not validate. */
function validateRequest(ctx: KoaContextWithOIDC, behaviour: IdentityBehaviour): void {
  for (const name of behaviour.requiredParameters) {
    if (!ctx.oidc.params?.[name]) throw new errors.InvalidRequest(`missing required parameter '${name}'`)
  }
  if (!ctx.oidc.requestParamScopes.has('openid')) {
    throw new errors.InvalidRequest('openid scope must be requested')
  }
  // The scopes of the original query: oidc-provider has removed unknown scopes from its own parameters.
  const scopes = ctx.oidc.route === 'authorization' ? String(ctx.query.scope ?? '').split(' ') : []
  const unknown = behaviour.unknownScope === 'refuse' && scopes.find((scope) => scope && !(scope in CLAIMS))
  if (unknown) throw new errors.InvalidScope('the scope is unknown', unknown)
  checkKnownLevel(ctx, behaviour)
}
