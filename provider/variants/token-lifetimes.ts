import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { fieldsOf } from '../http.ts'
import type { StoredRecord } from '../identity/behaviour.ts'

function revokeAccessTokensAtLogin({ idp }: Behaviour): void {
  const valid = new Set<string>()
  const revoked = new Set<string>()
  idp.responses.token.push((response) => {
    const token = fieldsOf(response)?.access_token
    if (response.status === 200 && typeof token === 'string') valid.add(token)
  })
  const { accessTokenAccepted, accountAtLogin } = idp
  idp.accessTokenAccepted = (input, signature, keys) =>
    !revoked.has(`${input}.${signature}`) && accessTokenAccepted(input, signature, keys)
  idp.accountAtLogin = (account) => {
    for (const token of valid) revoked.add(token)
    valid.clear()
    return accountAtLogin(account)
  }
}

/** Lawful lifetimes and revocations of tokens. */
export const tokenLifetimeVariants = [
  ...withSurface('token', [
    {
      name: 'login-ends-earlier-access-tokens',
      summary: "Revokes the access tokens of a user's earlier logins at the next login.",
      concerns: ['USERINFO-BEARER', 'USERINFO-REFRESHED-TOKEN', 'SUBJECT-STABLE'],
      unspecified: 'Whether a new login revokes earlier access tokens is not specified.',
      alter: revokeAccessTokensAtLogin,
    },
    {
      name: 'newest-grant-only',
      summary: 'Revokes the earlier refresh tokens of a user and application when it issues a new code.',
      concerns: [
        'TOKEN-REFRESH',
        'TOKEN-REFRESH-NEWEST',
        'TOKEN-REFRESH-OLD-REFUSED',
        'SUBJECT-AFTER-REFRESH',
      ],
      unspecified: 'Whether a new authorization revokes earlier refresh tokens is not specified.',
      alter: ({ idp }: Behaviour) => {
        const newest = new Map<string, string | undefined>()
        const { codeValue } = idp
        const owner = ({ accountId, clientId }: StoredRecord) => `${accountId} ${clientId}`
        idp.codeValue = (code) => {
          newest.set(owner(code), code.grantId)
          return codeValue(code)
        }
        idp.refreshTokenFound.push((token) => {
          if (newest.get(owner(token)) !== token.grantId) token.consumed ??= Math.floor(Date.now() / 1000)
        })
      },
    },
    {
      name: 'rotated-refresh-token-in-grace',
      summary: 'Accepts a refresh token for another 10 s after its rotation.',
      concerns: ['TOKEN-REFRESH-OLD-REFUSED', 'TOKEN-REFRESH-RACE'],
      proofWaits: true,
      unspecified: 'When a replaced refresh token becomes invalid is not specified.',
      alter: ({ idp }: Behaviour) => {
        idp.reusable = (model, usedMillisecondsAgo) =>
          model === 'RefreshToken' && usedMillisecondsAgo <= 10_000
      },
    },
    {
      name: 'replay-keeps-family',
      summary:
        'Refuses the second use of a code or refresh token, but keeps the tokens issued from it valid.',
      concerns: ['TOKEN-CODE-SINGLE-USE', 'TOKEN-REFRESH-OLD-REFUSED'],
      unspecified: 'Whether a replay revokes tokens is not specified.',
      alter: ({ idp }: Behaviour) => {
        idp.replayRevokesFamily = false
      },
    },
    {
      name: 'refresh-ends-access-token',
      summary: 'Revokes the previous access token in a refresh.',
      concerns: ['TOKEN-REFRESH', 'USERINFO-BEARER', 'USERINFO-REFRESHED-TOKEN'],
      unspecified: 'Whether a refresh revokes the previous access token is not specified.',
      alter: ({ idp }: Behaviour) => {
        const accessTokens = new Map<unknown, string>()
        const revoked = new Set<string>()
        idp.responses.token.push((response, { form }) => {
          const fields = fieldsOf(response)
          if (response.status !== 200 || !fields) return
          const before = accessTokens.get(form?.get('refresh_token'))
          if (before) revoked.add(before)
          accessTokens.set(fields.refresh_token, String(fields.access_token))
        })
        const { accessTokenAccepted } = idp
        idp.accessTokenAccepted = (input, signature, keys) =>
          !revoked.has(`${input}.${signature}`) && accessTokenAccepted(input, signature, keys)
      },
    },
    {
      name: 'short-lived-codes',
      summary: 'Issues codes that are valid for 3 s; CODE_LIFETIME is 4 s.',
      concerns: ['TOKEN-CODE-EXPIRED'],
      unspecified: 'The lifetime of codes is not specified.',
      mustPass: ['TOKEN-CODE-EXPIRED'],
      alter: (behaviour: Behaviour) => {
        behaviour.idp.codeLifetime = 3
        behaviour.variables.CODE_LIFETIME = '4'
      },
    },
    {
      name: 'codes-outlive-the-recommendation',
      summary: 'Issues codes that are valid for longer than CODE_LIFETIME.',
      concerns: ['TOKEN-CODE-EXPIRED'],
      unspecified: 'The lifetime of codes is not specified.',
      alter: (behaviour: Behaviour) => {
        behaviour.variables.CODE_LIFETIME = '1'
      },
    },
    {
      name: 'short-lived-access-tokens',
      summary: 'Issues access tokens that are valid for 4 s.',
      concerns: [
        'TOKEN-EXPIRES-IN',
        'USERINFO-BEARER',
        'USERINFO-REFRESHED-TOKEN',
        'USERINFO-EXPIRED-TOKEN',
        'USERINFO-EXPIRED-TOKEN-ERROR',
        'ACCESSTOKEN-EXPIRY',
        'ACCESSTOKEN-REFRESHED-EXPIRY',
      ],
      unspecified: 'The lifetime of access tokens is not specified.',
      alter: ({ idp }: Behaviour) => {
        idp.accessTokenLifetime = 4
      },
    },
  ]),
  ...withSurface('introspection', [
    {
      name: 'introspection-where-logins-end-access-tokens',
      summary:
        "Supports introspection, and revokes the access tokens of a user's earlier logins at the next login.",
      // A run keeps the tokens of its refresh, and its second login revokes them.
      concerns: ['TOKEN-REFRESH', 'SUBJECT-STABLE', 'INTROSPECTION-ACTIVE'],
      unspecified: 'Whether a new login revokes earlier access tokens is not specified.',
      alter: (behaviour: Behaviour) => {
        behaviour.idp.introspection = 'reference'
        revokeAccessTokensAtLogin(behaviour)
      },
    },
  ]),
]
