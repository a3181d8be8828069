import { type Behaviour, withFace } from '../behaviour.ts'
import { fieldsOf } from '../http.ts'
import type { StoredGrantSource } from '../identity/behaviour.ts'

/** Every login ends the access tokens that were issued before it. */
function endAccessTokensAtLogin({ idp }: Behaviour): void {
  const live = new Set<string>()
  const ended = new Set<string>()
  idp.answers.token.push((answer) => {
    const token = fieldsOf(answer)?.access_token
    if (answer.status === 200 && typeof token === 'string') live.add(token)
  })
  const { accessTokenAccepted, accountAtLogin } = idp
  idp.accessTokenAccepted = (input, signature, keys) =>
    !ended.has(`${input}.${signature}`) && accessTokenAccepted(input, signature, keys)
  idp.accountAtLogin = (account) => {
    for (const token of live) ended.add(token)
    live.clear()
    return accountAtLogin(account)
  }
}

const tokenLives = [
  {
    name: 'login-ends-earlier-access-tokens',
    summary: 'When a user logs in, the access tokens of earlier logins end.',
    concerns: ['USERINFO-BEARER', 'SUBJECT-STABLE'],
    ambiguity: 'Whether an access token lives through another login of its user is not said.',
    alter: (behaviour: Behaviour) => {
      endAccessTokensAtLogin(behaviour)
    },
  },
  {
    name: 'newest-grant-only',
    summary:
      'Of a user and an application only the newest grant lives: a code ends the refresh tokens before it.',
    concerns: ['TOKEN-REFRESH', 'TOKEN-REFRESH-NEWEST', 'TOKEN-REFRESH-OLD-REFUSED', 'SUBJECT-AFTER-REFRESH'],
    ambiguity: 'Whether a refresh token lives through another authorization of its user is not said.',
    alter: ({ idp }: Behaviour) => {
      const newest = new Map<string, string | undefined>()
      const { codeValue } = idp
      const owner = ({ accountId, clientId }: StoredGrantSource) => `${accountId} ${clientId}`
      idp.codeValue = (code) => {
        newest.set(owner(code), code.grantId)
        return codeValue(code)
      }
      idp.refreshTokenFound.push((found) => {
        if (newest.get(owner(found)) !== found.grantId) found.consumed ??= Math.floor(Date.now() / 1000)
      })
    },
  },
  {
    name: 'rotated-refresh-token-in-grace',
    summary: 'A refresh token stays good for ten seconds after it was rotated out.',
    concerns: ['TOKEN-REFRESH-OLD-REFUSED', 'TOKEN-REFRESH-RACE'],
    ambiguity: 'From which moment a rotated refresh token is refused is not said.',
    alter: ({ idp }: Behaviour) => {
      idp.reusable = (model, usedMillisecondsAgo) => model === 'RefreshToken' && usedMillisecondsAgo <= 10_000
    },
  },
]

const introspectedLives = [
  {
    name: 'introspection-where-logins-end-access-tokens',
    summary: 'Introspection works, and when a user logs in, the access tokens of earlier logins end.',
    // A refresh keeps tokens early, and the second login ends them.
    concerns: ['TOKEN-REFRESH', 'SUBJECT-STABLE', 'INTROSPECTION-ACTIVE'],
    ambiguity: 'Whether an access token lives through another login of its user is not said.',
    alter: (behaviour: Behaviour) => {
      behaviour.idp.introspection = 'reference'
      endAccessTokensAtLogin(behaviour)
    },
  },
]

export const tokenLiveVariants = [
  ...withFace('token', tokenLives),
  ...withFace('introspection', introspectedLives),
]
