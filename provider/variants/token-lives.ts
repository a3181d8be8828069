import { type Behaviour, withFace } from '../behaviour.ts'
import { fieldsOf, jsonAnswer } from '../http.ts'
import { INTERACTION_PATH } from '../identity/paths.ts'

/** Forgets access tokens when something happens. */
function accessTokens({ idp }: Behaviour) {
  const live = new Set<string>()
  const ended = new Set<string>()
  idp.answers.token.push((answer) => {
    const token = fieldsOf(answer)?.access_token
    if (answer.status === 200 && typeof token === 'string') live.add(token)
  })
  const { accessTokenAccepted } = idp
  idp.accessTokenAccepted = (input, signature, keys) =>
    !ended.has(`${input}.${signature}`) && accessTokenAccepted(input, signature, keys)
  return {
    endAll: () => {
      for (const token of live) ended.add(token)
      live.clear()
    },
  }
}

const tokenLives = [
  {
    name: 'login-ends-earlier-access-tokens',
    summary: 'When a user logs in, the access tokens of earlier logins end.',
    concerns: ['USERINFO-BEARER', 'SUBJECT-STABLE'],
    ambiguity: 'Whether an access token lives through another login of its user is not said.',
    alter: (behaviour: Behaviour) => {
      const tokens = accessTokens(behaviour)
      const { accountAtLogin } = behaviour.idp
      behaviour.idp.accountAtLogin = (account) => {
        tokens.endAll()
        return accountAtLogin(account)
      }
    },
  },
  {
    name: 'one-live-refresh-token',
    summary:
      'Of a user and an application only the newest refresh token is good: a code exchange ends those before.',
    concerns: ['TOKEN-REFRESH', 'TOKEN-REFRESH-NEWEST', 'TOKEN-REFRESH-OLD-REFUSED', 'SUBJECT-AFTER-REFRESH'],
    ambiguity: 'Whether a refresh token lives through another code exchange is not said.',
    alter: ({ idp }: Behaviour) => {
      const newest = new Map<string, unknown>()
      const owners = new Map<unknown, string>()
      const ended = new Set<unknown>()
      let found: string | undefined
      idp.codeFound.push(({ accountId, clientId }) => {
        found = `${accountId} ${clientId}`
      })
      idp.answers.token.push((answer, { form }) => {
        const token = fieldsOf(answer)?.refresh_token
        if (answer.status !== 200 || typeof token !== 'string') return
        const given = form?.get('refresh_token')
        const owner = given ? owners.get(given) : found
        if (!owner) return
        if (newest.has(owner) && newest.get(owner) !== token) ended.add(newest.get(owner))
        newest.set(owner, token)
        owners.set(token, owner)
      })
      idp.admission.push(({ form }) =>
        ended.has(form?.get('refresh_token'))
          ? jsonAnswer(400, { error: 'invalid_grant', error_description: 'The token was replaced.' })
          : undefined,
      )
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
  {
    name: 'access-tokens-for-seconds',
    summary: 'Access tokens live for two seconds.',
    concerns: ['USERINFO-BEARER', 'ACCESSTOKEN-REFRESHED-EXPIRY'],
    ambiguity: 'The lifetime of access tokens is not shown.',
    alter: ({ idp }: Behaviour) => {
      idp.accessTokenLifetime = 2
    },
  },
]

const introspectedLives = [
  {
    name: 'introspection-where-logins-end-access-tokens',
    summary: 'Introspection works, and every request of a new page of the login ends earlier access tokens.',
    concerns: ['INTROSPECTION-ACTIVE'],
    ambiguity: 'Whether an access token lives through another login of its user is not said.',
    alter: (behaviour: Behaviour) => {
      behaviour.idp.introspection = 'reference'
      const tokens = accessTokens(behaviour)
      behaviour.idp.admission.push(({ path }) => {
        if (path.startsWith(INTERACTION_PATH)) tokens.endAll()
        return undefined
      })
    },
  },
]

export const tokenLiveVariants = [
  ...withFace('token', tokenLives),
  ...withFace('introspection', introspectedLives),
]
