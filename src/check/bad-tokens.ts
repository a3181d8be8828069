import { signedWithOwnKey, signedWithPublicKey } from '../oauth/forged-tokens.ts'
import { alterSignature, decodeJwt, forgedJwt } from '../oauth/jwt.ts'
import { keysOf } from '../oauth/key-set.ts'
import { DiscoverySteps } from './discovery-steps.ts'
import { unlessUndecided } from './obstacle.ts'
import type { RunContext } from './run-context.ts'
import { Inconclusive } from './verdict.ts'

/** Used as a code, token or part of an assertion: a text that no provider has issued. */
export const unknownToken = 'plumbline-never-issued'

/** Kinds of bad access tokens that can be made even if the valid access token is not a JWT. */
export type AlteredTokenKind = 'malformed' | 'tampered'

/** Kinds of access tokens that the provider did not issue. Those that are not an `AlteredTokenKind` need a JWT. */
export type BadTokenKind =
  | AlteredTokenKind
  | 'unsigned'
  | 'without signature'
  | 'altered claims'
  | 'signed with the public key'
  | 'signed with a key in its header'

/** A constant text (`malformed`), or the given access token with one character changed (`tampered`). */
export function alteredToken(accessToken: string, kind: AlteredTokenKind): string {
  return kind === 'malformed' ? unknownToken : alterSignature(accessToken)
}

/**
 * A token that the provider must refuse, derived from a valid access token.
 * @returns undefined for `signed with the public key` if the key set has no usable RSA key with the kid of the token
 * @throws {Inconclusive} if the kind needs a JWT, and the access token is not one
 */
export async function badToken(
  run: RunContext,
  accessToken: string,
  kind: BadTokenKind,
): Promise<string | undefined> {
  if (kind === 'malformed' || kind === 'tampered') return alteredToken(accessToken, kind)
  const token = decodeJwt(accessToken)
  if (!token) throw new Inconclusive('the access token is not a JWT', ['ACCESSTOKEN-JWT'])
  switch (kind) {
    case 'unsigned':
      return forgedJwt(accessToken, { header: { alg: 'none' }, signature: '' })
    case 'without signature':
      return forgedJwt(accessToken, { signature: '' })
    case 'altered claims':
      return forgedJwt(accessToken, { claims: { plumbline: 'added' } })
    case 'signed with a key in its header':
      return signedWithOwnKey(accessToken)
    case 'signed with the public key': {
      const keySet = await unlessUndecided(new DiscoverySteps(run).keySet())
      const key = (keySet && keysOf(keySet))?.find(
        ({ kid, kty }) => kty === 'RSA' && kid === token.header.kid,
      )
      return key && signedWithPublicKey(accessToken, key)
    }
  }
}
