import { application, secondApplication, user } from '../implementation.ts'

interface Client {
  readonly id: string
  readonly redirectUris: readonly string[]
  readonly grants: readonly string[]
}
interface Code {
  readonly authorizationCode: string
}
interface Token {
  readonly accessToken: string
  readonly refreshToken?: string
}
type Owned<T> = T & { readonly client: Client; readonly user: unknown }

const clients = [application, secondApplication].map(({ id, secret, redirectUri }) => ({
  secret,
  client: { id, redirectUris: [redirectUri], grants: ['authorization_code', 'refresh_token'] },
}))
const scopes = ['openid', 'profile', 'email']

/** The storage that the library leaves to the application: clients, codes and tokens, in memory. */
export function memoryModel() {
  const codes = new Map<string, Owned<Code>>()
  const accessTokens = new Map<string, Owned<Token>>()
  const refreshTokens = new Map<string, Owned<Token>>()
  return {
    /** @param secret null at the authorization endpoint, where clients are not authenticated */
    getClient: async (id: string, secret: string | null | undefined) =>
      clients.find((one) => one.client.id === id && (secret === null || one.secret === secret))?.client,
    validateScope: async (_user: unknown, _client: Client, scope: readonly string[] | undefined) =>
      scope?.every((name) => scopes.includes(name)) ? scope : false,
    saveAuthorizationCode: async (code: Code, client: Client, owner: unknown) => {
      codes.set(code.authorizationCode, { ...code, client, user: owner })
      return code
    },
    getAuthorizationCode: async (code: string) => codes.get(code),
    revokeAuthorizationCode: async ({ authorizationCode }: Code) => codes.delete(authorizationCode),
    saveToken: async (token: Token, client: Client, owner: unknown) => {
      const owned = { ...token, client, user: owner }
      accessTokens.set(token.accessToken, owned)
      if (token.refreshToken !== undefined) refreshTokens.set(token.refreshToken, owned)
      return owned
    },
    getAccessToken: async (token: string) => accessTokens.get(token),
    getRefreshToken: async (token: string) => refreshTokens.get(token),
    revokeToken: async ({ refreshToken = '' }: Token) => refreshTokens.delete(refreshToken),
  }
}

/** The account of a name and a password. */
export function accountOf(email: unknown, password: unknown) {
  return email === user.email && password === user.password ? { id: 'test-user', email } : undefined
}
