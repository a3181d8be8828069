import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Answer } from '../http.ts'
import { userOf } from './accounts.ts'
import type { IdentityContext } from './provider.ts'
import { tokenIdOf } from './tokens.ts'

/** Stands for a JWT that is none of ours: oidc-provider refuses structured tokens instead of calling them inactive. */
const UNKNOWN_TOKEN = 'unknown-token'

/** Lets oidc-provider's introspection (RFC 7662) work with JWT access tokens, and adds the documented fields. */
export function createIntrospection({ behaviour, keys, deployment }: IdentityContext) {
  return {
    /** Replaces a JWT in the form by the identifier of its record. */
    prepare(form: URLSearchParams): void {
      const tokens = form.getAll('token')
      const [token] = tokens
      if (tokens.length !== 1 || !token?.includes('.')) return
      form.set('token', tokenIdOf(token, behaviour, keys) ?? UNKNOWN_TOKEN)
    },

    /** Adds what the specification shows for an active token. */
    complete(answer: Answer, ctx: KoaContextWithOIDC): void {
      const body = answer.body as Record<string, unknown> | undefined
      if (answer.status !== 200 || body?.active !== true) return
      const { entities } = ctx.oidc
      const token = (entities.AccessToken ?? entities.RefreshToken) as { accountId?: string } | undefined
      body.username = userOf(deployment, token?.accountId ?? '')?.email
      body.token_type ??= 'Bearer'
      body.nbf = body.iat
      body.aud = body.client_id
      body.jti ??= (token as { jti?: string } | undefined)?.jti
    },
  }
}
