import { alteredRedirectUris, withAddedQuery } from '../oauth/redirect-uri.ts'
import type { Target } from '../target/target.ts'
import type { Authorization, IdentitySteps } from './identity-steps.ts'

/**
 * Where a good request ends whose redirect URI is altered in one part; asked once a run for each part.
 * @param part as `alteredRedirectUris` names it, or `query`
 * @returns undefined where the registered redirect URI has no such part
 */
export async function authorizeAltered(
  identity: IdentitySteps,
  { application }: Target,
  part: string,
): Promise<Authorization | undefined> {
  const uris = new Map([
    ...alteredRedirectUris(application.redirectUri),
    ['query', withAddedQuery(application.redirectUri)] as const,
  ])
  const uri = uris.get(part)
  if (uri === undefined) return undefined
  return identity.once(`redirect URI with another ${part}`, () =>
    identity.authorize('signed-in', { redirect_uri: uri }),
  )
}
