import { createHash, randomBytes } from 'node:crypto'
import type { RunningProvider } from '../../provider/index.ts'

/** A valid authorization request to the embedded provider, with changes. */
export function authorizationUrl(
  { issuer, variables }: Pick<RunningProvider, 'issuer' | 'variables'>,
  changes: Readonly<Record<string, string>> = {},
): URL {
  const url = new URL('/mga/sps/oauth/oauth20/authorize', issuer)
  const random = () => randomBytes(16).toString('base64url')
  const members = {
    response_type: 'code',
    client_id: variables.CLIENT_ID ?? '',
    redirect_uri: variables.REDIRECT_URI ?? '',
    scope: 'openid',
    state: random(),
    nonce: random(),
    code_challenge: createHash('sha256').update(random()).digest('base64url'),
    code_challenge_method: 'S256',
    ...changes,
  }
  url.search = `${new URLSearchParams(members)}`
  return url
}
