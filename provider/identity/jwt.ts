import type { HttpRequest } from '../http.ts'
import { type SigningKey, signRs256 } from '../keys.ts'
import type { Edit, IdentityBehaviour, UnsignedJwt } from './behaviour.ts'

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** Applies the edits of the behaviour to a JWT, and signs it. @returns the compact serialisation */
export async function signedJwt(
  type: 'JWT' | 'at+jwt',
  claims: Record<string, unknown>,
  { kid, privateKey }: SigningKey,
  edits: Edit<UnsignedJwt>[],
  request: HttpRequest,
): Promise<string> {
  const jwt: UnsignedJwt = {
    header: { alg: 'RS256', typ: type, kid },
    claims,
    sign: (input) => signRs256(input, privateKey),
  }
  for (const edit of edits) await edit(jwt, request)
  const input = `${encode(jwt.header)}.${encode(jwt.claims)}`
  return `${input}.${await jwt.sign(input)}`
}

/** The `jti` of a JWT access token with an accepted signature; undefined for any other text. */
export function verifiedTokenId(
  token: string,
  { accessTokenAccepted }: IdentityBehaviour,
  { publicKey }: SigningKey,
): string | undefined {
  const [header, payload, signature, more] = token.split('.')
  if (!header || !payload || signature === undefined || more !== undefined) return undefined
  try {
    const { jti } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { jti?: unknown }
    if (!accessTokenAccepted(`${header}.${payload}`, signature, [publicKey])) return undefined
    return typeof jti === 'string' ? jti : undefined
  } catch {
    return undefined
  }
}
