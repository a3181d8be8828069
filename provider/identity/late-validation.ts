import { randomBytes } from 'node:crypto'
import type Provider from 'oidc-provider'
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Received } from '../http.ts'
import { CLAIMS } from './accounts.ts'
import { INTERACTION_PATH, PATHS } from './paths.ts'
import type { IdentityContext } from './provider.ts'

type Handler = (ctx: KoaContextWithOIDC, received: Received, next: () => Promise<unknown>) => Promise<void>

function randomText(): string {
  return randomBytes(32).toString('base64url')
}

/**
 * Lets the user log in before the request is validated, as providers do that keep authentication apart from
 * OAuth. The login runs under a request that is valid for certain; then the original one is taken up again.
 */
export function createLateValidation(provider: Provider, { deployment, issuer }: IdentityContext): Handler {
  /** Original requests, by the interaction in which the user logs in. */
  const waiting = new Map<string, string>()

  /** A request of the same application with nothing wrong in it; undefined when the application is unknown. */
  function validRequest(query: URLSearchParams): URLSearchParams | undefined {
    const application = deployment.applications.find(({ id }) => id === query.get('client_id'))
    if (!application) return undefined
    const redirectUri = query.get('redirect_uri') ?? ''
    const asked = (query.get('scope') ?? '').split(' ').filter((scope) => scope in CLAIMS)
    return new URLSearchParams({
      response_type: 'code',
      client_id: application.id,
      redirect_uri: application.redirectUris.includes(redirectUri)
        ? redirectUri
        : (application.redirectUris[0] ?? ''),
      // What is asked for in the end, so that the user consents once.
      scope: ['openid', ...asked.filter((scope) => scope !== 'openid')].join(' '),
      state: query.get('state') ?? randomText(),
      nonce: randomText(),
      code_challenge: randomText(),
      code_challenge_method: 'S256',
    })
  }

  return async (ctx, received, next) => {
    const [, resumed] = received.path.split(`${PATHS.authorization}/`)
    let original = resumed === undefined ? undefined : waiting.get(resumed)
    if (resumed === undefined) {
      const session = await provider.Session.get(ctx)
      const valid = validRequest(received.query)
      if (!session.accountId && valid && !received.query.has('prompt')) {
        original = `${received.path}?${received.query}`
        ctx.querystring = valid.toString()
      }
    }
    await next()
    if (original === undefined) return
    if (resumed !== undefined) waiting.delete(resumed)
    const target = new URL(ctx.response.get('location'), issuer)
    if (target.pathname.startsWith(`${INTERACTION_PATH}/`)) {
      waiting.set(target.pathname.slice(INTERACTION_PATH.length + 1), original)
    } else if (target.searchParams.has('code')) {
      ctx.set('location', new URL(original, issuer).href)
    }
  }
}
