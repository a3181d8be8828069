import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editResponse, editTokens, grantType } from '../edits.ts'
import { htmlResponse, jsonResponse } from '../http.ts'
import { tokenRequestsOfSecond } from './second-application.ts'
import { bearerCredentialOf } from './userinfo.ts'

const invalidToken = { error: 'invalid_token', error_description: 'The access token is not known.' }

/** Valid access tokens that UserInfo refuses. */
export const userinfoBearerFaults = withSurface('userinfo', [
  {
    name: 'userinfo-refuses-good-token',
    summary: 'Returns 403 from UserInfo for a valid access token.',
    violates: ['USERINFO-BEARER'],
    alter: editResponse('userinfo', (response) => {
      if (response.status !== 200) return
      Object.assign(
        response,
        jsonResponse(403, { error: 'insufficient_scope', error_description: 'Not allowed.' }),
      )
    }),
  },
  {
    name: 'userinfo-error-with-200',
    summary: 'Returns status 200 with the error `invalid_token` from UserInfo for a valid access token.',
    violates: ['USERINFO-BEARER'],
    alter: editResponse('userinfo', (response) => {
      if (response.status === 200) response.body = invalidToken
    }),
  },
  {
    name: 'userinfo-refreshed-token-error-with-200',
    summary: 'Returns status 200 with the error `invalid_token` from UserInfo for a refreshed access token.',
    violates: ['USERINFO-REFRESHED-TOKEN'],
    alter: (behaviour: Behaviour) => {
      const refreshed = refreshedAccessTokens(behaviour)
      behaviour.idp.responses.userinfo.push((response, request) => {
        if (refreshed.has(bearerCredentialOf(request))) response.body = invalidToken
      })
    },
  },
  {
    name: 'access-token-single-use',
    summary: 'Returns 401 `invalid_token` from UserInfo for the second use of an access token.',
    violates: ['USERINFO-BEARER'],
    alter: ({ idp }: Behaviour) => {
      const used = new Set<string | undefined>()
      idp.responses.userinfo.push((response, request) => {
        if (response.status !== 200) return
        const token = bearerCredentialOf(request)
        const body = { error: 'invalid_token', error_description: 'The access token was used.' }
        if (used.has(token)) {
          Object.assign(response, jsonResponse(401, body))
          response.headers['www-authenticate'] = 'Bearer error="invalid_token"'
        }
        used.add(token)
      })
    },
  },
  {
    name: 'userinfo-refuses-token-of-second-application',
    summary: 'Returns 403 from UserInfo for the access tokens of the second application.',
    violates: ['USERINFO-BEARER'],
    alter: (behaviour: Behaviour) => {
      const ofSecond = new Set<unknown>()
      const isOfSecond = tokenRequestsOfSecond(behaviour)
      editTokens((fields) => {
        if (isOfSecond()) ofSecond.add(fields.access_token)
      })(behaviour)
      behaviour.idp.responses.userinfo.push((response, request) => {
        if (!ofSecond.has(bearerCredentialOf(request))) return
        const body = { error: 'insufficient_scope', error_description: 'The application may not.' }
        Object.assign(response, jsonResponse(403, body))
      })
    },
  },
  {
    name: 'userinfo-refuses-refreshed-token',
    summary: 'Returns 401 `invalid_token` from UserInfo for a refreshed access token.',
    violates: ['USERINFO-REFRESHED-TOKEN'],
    alter: (behaviour: Behaviour) => {
      const refreshed = refreshedAccessTokens(behaviour)
      behaviour.idp.responses.userinfo.push((response, request) => {
        if (!refreshed.has(bearerCredentialOf(request))) return
        Object.assign(response, jsonResponse(401, invalidToken))
        response.headers['www-authenticate'] = 'Bearer realm="users", error="invalid_token"'
      })
    },
  },
  ...(['id', 'refresh'] as const).map((kind) => ({
    name: `userinfo-accepts-${kind}-token`,
    summary: `Accepts ${kind === 'id' ? 'an ID' : 'a refresh'} token instead of an access token at UserInfo.`,
    violates: [`USERINFO-${kind.toUpperCase()}-TOKEN`],
    alter: (behaviour: Behaviour) => {
      const accessTokens = new Map<unknown, unknown>()
      editTokens((fields) => {
        accessTokens.set(fields[`${kind}_token`], fields.access_token)
      })(behaviour)
      behaviour.idp.interceptors.push((request) => {
        const accessToken = accessTokens.get(bearerCredentialOf(request) ?? '')
        if (accessToken !== undefined) request.headers.authorization = `Bearer ${accessToken}`
        return undefined
      })
    },
  })),
  ...[
    {
      name: 'page',
      what: 'a login page',
      answer: htmlResponse(200, '<!doctype html><title>Sign in</title><h1>Sign in</h1>'),
    },
    { name: 'nothing', what: 'an empty body', answer: { status: 200, headers: {}, body: '' } },
    { name: 'null', what: 'the JSON value null', answer: jsonResponse(200, 'null') },
  ].map(({ name, what, answer }) => ({
    name: `userinfo-as-${name}`,
    summary: `Returns status 200 and ${what} from UserInfo for a valid access token.`,
    violates: ['USERINFO-BEARER'],
    alter: editResponse('userinfo', (response) => {
      if (response.status === 200) Object.assign(response, structuredClone(answer))
    }),
  })),
  {
    name: 'userinfo-as-204',
    summary: 'Returns 204 without a body from UserInfo for a valid access token.',
    violates: ['USERINFO-BEARER'],
    alter: editResponse('userinfo', (response) => {
      if (response.status === 200) Object.assign(response, { status: 204, headers: {}, body: '' })
    }),
  },
])

/** The access tokens of all refreshes. The set grows with each refresh. */
function refreshedAccessTokens(behaviour: Behaviour): ReadonlySet<unknown> {
  const refreshed = new Set<unknown>()
  editTokens((fields, request) => {
    if (grantType(request) === 'refresh_token') refreshed.add(fields.access_token)
  })(behaviour)
  return refreshed
}
