import { generateKeyPairSync } from 'node:crypto'
import Provider, { type ClientMetadata } from 'oidc-provider'
import { application, documented, type Implementation, secondApplication } from '../implementation.ts'

/** oidc-provider with its own login pages and its default settings. */
export const implementation: Implementation = {
  start: async (origin) => {
    const provider = new Provider(origin, {
      clients: [application, secondApplication].map(clientOf),
      jwks: { keys: [signingKey()] },
      routes: {
        authorization: documented.authorize,
        token: documented.token,
        userinfo: documented.userinfo,
        introspection: documented.introspect,
        jwks: '/jwks',
      },
      claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'] },
      findAccount: (_, account) => ({
        accountId: account,
        claims: () => ({ sub: account, name: 'Test User', email: account, email_verified: true }),
      }),
    })
    return { listener: provider.callback(), variables: { JWKS_URL: `${origin}/jwks` } }
  },
}

function clientOf({
  id,
  secret,
  redirectUri,
}: typeof application | typeof secondApplication): ClientMetadata {
  return {
    client_id: id,
    client_secret: secret,
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
  }
}

function signingKey() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { ...privateKey.export({ format: 'jwk' }), kid: 'signing', alg: 'RS256', use: 'sig' }
}
