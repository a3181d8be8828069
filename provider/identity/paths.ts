const ROOT = '/mga/sps/oauth/oauth20'

export const INTERACTION_PATH = '/mga/sps/authsvc/interaction'
export const ACCOUNT_PATH = '/mga/sps/authsvc/account'
export const PATHS = {
  discovery: '/.well-known/openid-configuration',
  authorization: `${ROOT}/authorize`,
  token: `${ROOT}/token`,
  userinfo: `${ROOT}/userinfo`,
  introspection: `${ROOT}/introspect`,
  keySet: `${ROOT}/jwks/plumbline`,
} as const

export type Endpoint = keyof typeof PATHS

const ENDPOINTS = new Map<string, Endpoint>(
  Object.entries(PATHS).map(([endpoint, path]) => [path, endpoint as Endpoint]),
)

/** The endpoint of a path. Paths that resume an authorization request belong to the authorization endpoint. */
export function endpointOf(path: string): Endpoint | undefined {
  return path.startsWith(`${PATHS.authorization}/`) ? 'authorization' : ENDPOINTS.get(path)
}
