import { decodeJwt } from '../oauth/jwt.ts'
import type { RunContext } from './run-context.ts'

/** Every `iss` that the target has sent in the run: in redirects to the application, and in tokens that are JWTs. */
export function receivedIssuers({
  authorizationLog,
  provider,
}: Pick<RunContext, 'authorizationLog' | 'provider'>): ReadonlySet<unknown> {
  const ofRedirects = authorizationLog.redirects.flatMap(({ landing: { query, fragment } }) => [
    ...query.getAll('iss'),
    ...fragment.getAll('iss'),
  ])
  const ofTokens = provider.log.issued.flatMap(({ response: { object } }) =>
    [object?.id_token, object?.access_token].flatMap((token) => {
      const claims = typeof token === 'string' ? decodeJwt(token)?.claims : undefined
      return claims ? [claims.iss] : []
    }),
  )
  return new Set<unknown>([...ofRedirects, ...ofTokens])
}
