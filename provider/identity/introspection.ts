import type { KoaContextWithOIDC } from 'oidc-provider'
import type { HttpResponse } from '../http.ts'
import { userOf } from './accounts.ts'
import type { IdentityContext } from './context.ts'
import { verifiedTokenId } from './jwt.ts'

/** Replaces an invalid JWT, because oidc-provider would refuse a JWT instead of describing it as inactive. */
const UNKNOWN_TOKEN = 'unknown-token'

/** Replaces a JWT access token in an introspection request (RFC 7662) with the identifier of its record. */
export function prepareIntrospection(form: URLSearchParams, { behaviour, key }: IdentityContext): void {
  const tokens = form.getAll('token')
  const [token] = tokens
  if (tokens.length !== 1 || !token?.includes('.')) return
  form.set('token', verifiedTokenId(token, behaviour, key) ?? UNKNOWN_TOKEN)
}

/** Adds the members that the specification shows for an active token. */
export function completeIntrospection(
  response: HttpResponse,
  ctx: KoaContextWithOIDC,
  { deployment }: IdentityContext,
): void {
  const body = response.body as Record<string, unknown> | undefined
  if (response.status !== 200 || body?.active !== true) return
  const { entities } = ctx.oidc
  const token = (entities.AccessToken ?? entities.RefreshToken) as
    | { accountId?: string; jti?: string }
    | undefined
  body.username = userOf(deployment, token?.accountId ?? '')?.email
  body.token_type ??= 'Bearer'
  body.nbf = body.iat
  body.aud = body.client_id
  body.jti ??= token?.jti
}
