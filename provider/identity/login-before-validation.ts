import { randomBytes } from 'node:crypto'
import type Provider from 'oidc-provider'
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Deployment } from '../deployment.ts'
import type { HttpRequest } from '../http.ts'
import { CLAIMS } from './accounts.ts'
import type { IdentityContext } from './context.ts'
import { INTERACTION_PATH, PATHS } from './paths.ts'

type Handler = (ctx: KoaContextWithOIDC, request: HttpRequest, next: () => Promise<unknown>) => Promise<void>

/**
 * Lets the user log in before an authorization request is validated, like providers that separate authentication from
 * OAuth. The user logs in by a valid request of the same application. Then the original request resumes.
 */
export function createLoginBeforeValidation(
  provider: Provider,
  { deployment, issuer }: IdentityContext,
): Handler {
  /** Original requests, by the id of the interaction in which the user logs in. */
  const originals = new Map<string, string>()

  return async (ctx, request, next) => {
    const [, resumed] = request.path.split(`${PATHS.authorization}/`)
    let original = resumed === undefined ? undefined : originals.get(resumed)
    if (resumed === undefined) {
      const session = await provider.Session.get(ctx)
      const valid = validRequest(request.query, deployment)
      if (!session.accountId && valid && !request.query.has('prompt')) {
        original = `${request.path}?${request.query}`
        ctx.querystring = valid.toString()
      }
    }
    await next()
    if (original === undefined) return
    if (resumed !== undefined) originals.delete(resumed)
    const target = new URL(ctx.response.get('location'), issuer)
    if (target.pathname.startsWith(`${INTERACTION_PATH}/`)) {
      originals.set(target.pathname.slice(INTERACTION_PATH.length + 1), original)
    } else if (target.searchParams.has('code')) {
      ctx.set('location', new URL(original, issuer).href)
    }
  }
}

/** A valid request of the same application; undefined if the application is unknown. */
function validRequest(query: URLSearchParams, { applications }: Deployment): URLSearchParams | undefined {
  const application = applications.find(({ id }) => id === query.get('client_id'))
  if (!application) return undefined
  const redirectUri = query.get('redirect_uri') ?? ''
  const [registered = ''] = application.redirectUris
  const scopes = (query.get('scope') ?? '').split(' ').filter((scope) => scope in CLAIMS)
  return new URLSearchParams({
    response_type: 'code',
    client_id: application.id,
    redirect_uri: application.redirectUris.includes(redirectUri) ? redirectUri : registered,
    // The scopes of the original request, so that the user consents once.
    scope: [...new Set(['openid', ...scopes])].join(' '),
    state: query.get('state') ?? randomText(),
    nonce: randomText(),
    code_challenge: randomText(),
    code_challenge_method: 'S256',
  })
}

function randomText(): string {
  return randomBytes(32).toString('base64url')
}
