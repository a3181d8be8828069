import type { Endpoint } from './behaviour.ts'

const ROOT = '/mga/sps/oauth/oauth20'

export const DISCOVERY_PATH = '/.well-known/openid-configuration'
export const INTERACTION_PATH = '/mga/sps/authsvc/interaction'
export const ACCOUNT_PATH = '/mga/sps/authsvc/account'
export const PATHS = {
  authorization: `${ROOT}/authorize`,
  token: `${ROOT}/token`,
  userinfo: `${ROOT}/userinfo`,
  introspection: `${ROOT}/introspect`,
  keySet: `${ROOT}/jwks/plumbline`,
} as const

/** The endpoint a path belongs to; the authorization endpoint includes the paths that resume a request. */
export function endpointOf(path: string): Endpoint | undefined {
  switch (path) {
    case DISCOVERY_PATH:
      return 'discovery'
    case PATHS.token:
      return 'token'
    case PATHS.userinfo:
      return 'userinfo'
    case PATHS.introspection:
      return 'introspection'
    case PATHS.keySet:
      return 'keySet'
    default:
      return path === PATHS.authorization || path.startsWith(`${PATHS.authorization}/`)
        ? 'authorization'
        : undefined
  }
}
