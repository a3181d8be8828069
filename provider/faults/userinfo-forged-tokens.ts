import { createHmac, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { type Alter, withSurface } from '../alteration.ts'
import { verifyRs256 } from '../keys.ts'

/** Accepts further access tokens. @param accepts whether a token with this header is accepted */
function accept(
  accepts: (
    header: Readonly<Record<string, unknown>>,
    input: string,
    signature: string,
    keys: readonly KeyObject[],
  ) => boolean,
): Alter {
  return ({ idp }) => {
    const { accessTokenAccepted } = idp
    idp.accessTokenAccepted = (input, signature, keys) => {
      const header = JSON.parse(Buffer.from(input.split('.')[0] ?? '', 'base64url').toString())
      return accepts(header, input, signature, keys) || accessTokenAccepted(input, signature, keys)
    }
  }
}

/** Forged access tokens that UserInfo accepts. */
export const userinfoForgedTokenFaults = withSurface('userinfo', [
  {
    name: 'userinfo-token-without-signature-accepted',
    summary: 'Accepts an access token with `alg` RS256 and an empty signature at UserInfo.',
    violates: ['USERINFO-UNSIGNED-TOKEN'],
    alter: accept(({ alg }, _, signature) => alg === 'RS256' && signature === ''),
  },
  {
    name: 'userinfo-public-key-as-secret',
    summary:
      'Accepts an access token at UserInfo that is signed with HS256 and the public key as the secret.',
    violates: ['USERINFO-ALTERED-CLAIMS'],
    alter: accept(
      ({ alg }, input, signature, keys) =>
        alg === 'HS256' &&
        keys.some((key) => {
          const secret = key.export({ type: 'spki', format: 'pem' })
          return createHmac('sha256', secret).update(input).digest('base64url') === signature
        }),
    ),
  },
  {
    name: 'userinfo-key-in-header-trusted',
    summary: 'Verifies an access token at UserInfo with the key that its header contains.',
    violates: ['USERINFO-ALTERED-CLAIMS'],
    alter: accept(({ jwk }, input, signature) => {
      if (typeof jwk !== 'object' || jwk === null) return false
      return verifyRs256(input, signature, createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' }))
    }),
  },
])
