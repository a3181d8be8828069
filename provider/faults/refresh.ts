import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editResponse, editTokenErrors, editTokens, type Fields, grantType } from '../edits.ts'
import { fieldsOf, type HttpRequest, type HttpResponse, jsonResponse } from '../http.ts'
import { editUnknownRefresh, unusableTokens } from './token-edits.ts'

/** Delay of refreshes, longer than the time between two concurrent requests. */
const OVERLAP_MILLISECONDS = 40

/** Edits the refusal of a refresh, if a concurrent refresh with the same token succeeds. */
function editLostRace(edit: (response: HttpResponse) => void): Alter {
  return ({ idp }) => {
    const running = new Map<string, Set<HttpRequest>>()
    const racing = new WeakSet<HttpRequest>()
    idp.tokenRequest.push(async (form, request) => {
      const token = form.get('refresh_token')
      if (!token) return
      const concurrent = running.get(token) ?? new Set()
      running.set(token, concurrent.add(request))
      if (concurrent.size > 1) for (const refresh of concurrent) racing.add(refresh)
      // Both requests wait before either uses the token, as with a slow store.
      await new Promise((resolve) => setTimeout(resolve, OVERLAP_MILLISECONDS))
    })
    idp.responses.token.push((response, request) => {
      const token = request.form?.get('refresh_token')
      if (!token) return
      running.get(token)?.delete(request)
      if (racing.has(request) && fieldsOf(response)?.error === 'invalid_grant') edit(response)
    })
  }
}

/** Edits the body of a response to a refresh. */
function editRefreshResponse(
  edit: (fields: Fields, request: HttpRequest, response: HttpResponse) => void,
): Alter {
  return editResponse('token', (response, request) => {
    const fields = fieldsOf(response)
    if (fields && grantType(request) === 'refresh_token') edit(fields, request, response)
  })
}

/** Edits the body of a successful refresh. */
function editRefresh(edit: (fields: Fields, response: HttpResponse) => void): Alter {
  return editRefreshResponse((fields, _, response) => {
    if (response.status === 200) edit(fields, response)
  })
}

export const refreshFaults = withSurface('token', [
  {
    name: 'refresh-repeats-access-token',
    summary: 'Returns the previous access token for a refresh.',
    violates: ['TOKEN-REFRESH-NEW'],
    alter: ({ idp }: Behaviour) => {
      const accessTokens = new Map<unknown, unknown>()
      idp.responses.token.push((response, { form }) => {
        const fields = fieldsOf(response)
        if (response.status !== 200 || !fields) return
        const earlier = accessTokens.get(form?.get('refresh_token'))
        if (earlier) fields.access_token = earlier
        accessTokens.set(fields.refresh_token, fields.access_token)
      })
    },
  },
  {
    name: 'second-refresh-repeats-access-token',
    summary: 'Returns the previous access token for each refresh except the first after a code exchange.',
    violates: ['TOKEN-REFRESH-NEW'],
    alter: ({ idp }: Behaviour) => {
      const refreshed = new Map<unknown, unknown>()
      idp.responses.token.push((response, request) => {
        const fields = fieldsOf(response)
        if (response.status !== 200 || !fields || grantType(request) !== 'refresh_token') return
        const earlier = refreshed.get(request.form?.get('refresh_token'))
        if (earlier) fields.access_token = earlier
        refreshed.set(fields.refresh_token, fields.access_token)
      })
    },
  },
  {
    name: 'old-refresh-token-accepted',
    summary: 'Accepts a refresh token again after its rotation.',
    violates: ['TOKEN-REFRESH-OLD-REFUSED'],
    proofWaits: true,
    alter: ({ idp }: Behaviour) => {
      idp.reusable = (model) => model === 'RefreshToken'
    },
  },
  {
    name: 'old-refresh-token-with-401',
    summary:
      'Returns 401 `invalid_token` for a replaced refresh token, including to the loser of two concurrent refreshes.',
    violates: ['TOKEN-REFRESH-RACE-ERROR'],
    alter: ({ idp }: Behaviour) => {
      const used = new WeakSet<HttpRequest>()
      idp.refreshTokenFound.push((token, request) => {
        if (token.consumed) used.add(request)
      })
      idp.responses.token.push((response, request) => {
        if (!used.has(request)) return
        Object.assign(
          response,
          jsonResponse(401, { error: 'invalid_token', error_description: 'The token was used.' }),
        )
      })
    },
  },
  {
    name: 'old-refresh-token-as-token-rotated',
    summary:
      'Returns the error `token_rotated` for a replaced refresh token, except to the loser of two concurrent refreshes.',
    violates: ['TOKEN-REFRESH-OLD-REFUSED-ERROR'],
    alter: (behaviour: Behaviour) => {
      const rotatedAt = new Map<unknown, number>()
      editRefreshResponse((fields, request, response) => {
        const token = request.form?.get('refresh_token')
        const age = Date.now() - (rotatedAt.get(token) ?? Number.POSITIVE_INFINITY)
        if (response.status === 200) rotatedAt.set(token, Date.now())
        else if (age > OVERLAP_MILLISECONDS) fields.error = 'token_rotated'
      })(behaviour)
    },
  },
  {
    name: 'lost-refresh-race-with-empty-200',
    summary: 'Returns an empty object with status 200 to one of two concurrent refreshes with one token.',
    violates: ['TOKEN-REFRESH-RACE'],
    alter: editLostRace((response) => Object.assign(response, jsonResponse(200, {}))),
  },
  {
    name: 'lost-refresh-race-with-unbacked-tokens',
    summary: 'Returns an unusable access token to one of two concurrent refreshes with one token.',
    violates: ['TOKEN-REFRESH-RACE'],
    // The unusable access tokens are not JWTs.
    consequences: ['ACCESSTOKEN-LATER'],
    alter: editLostRace((response) => Object.assign(response, unusableTokens())),
  },
  {
    name: 'concurrent-refresh-locked',
    summary: 'Returns the error `locked` for a refresh while another refresh with the same token is running.',
    violates: ['TOKEN-REFRESH-RACE-ERROR'],
    alter: editLostRace((response) => {
      const fields = fieldsOf(response)
      if (fields) fields.error = 'locked'
    }),
  },
  {
    name: 'lost-refresh-race-with-409',
    summary: 'Returns 409 to one of two concurrent refreshes with one token.',
    violates: ['TOKEN-REFRESH-RACE-ERROR'],
    alter: editLostRace((response) => {
      response.status = 409
    }),
  },
  {
    name: 'refresh-with-201',
    summary: 'Returns 201 for a refresh.',
    violates: ['TOKEN-REFRESH'],
    alter: editRefresh((_, response) => {
      response.status = 201
    }),
  },
  {
    name: 'refresh-scope-number',
    summary: 'Returns a number as the `scope` of a refresh response.',
    violates: ['TOKEN-REFRESH-SCOPE'],
    alter: editRefresh((fields) => {
      fields.scope = 1
    }),
  },
  {
    name: 'refresh-token-type-missing',
    summary: 'Omits `token_type` from the response to a refresh.',
    violates: ['TOKEN-REFRESH-TYPE'],
    alter: editRefresh((fields) => {
      delete fields.token_type
    }),
  },
  {
    name: 'refresh-expires-in-as-text',
    summary: 'Returns the `expires_in` of a refresh response as a string.',
    violates: ['TOKEN-REFRESH-EXPIRES-IN'],
    alter: editRefresh((fields) => {
      fields.expires_in = String(fields.expires_in)
    }),
  },
  {
    name: 'refresh-expires-in-of-the-session',
    summary: 'Returns an `expires_in` of one day for a refresh, although the access token expires earlier.',
    violates: ['ACCESSTOKEN-REFRESHED-LIFETIME'],
    alter: editRefresh((fields) => {
      fields.expires_in = 86_400
    }),
  },
  {
    name: 'refresh-token-null',
    summary: 'Returns `null` as `refresh_token` for a refresh that does not rotate the refresh token.',
    violates: ['TOKEN-REFRESH-TOKEN-FORM'],
    alter: (behaviour: Behaviour) => {
      behaviour.idp.refreshRotation = 'repeat'
      editRefresh((fields) => {
        fields.refresh_token = null
      })(behaviour)
    },
  },
  {
    name: 'rotated-refresh-token-as-number',
    summary: 'Rotates the refresh token, but returns a number instead of the new one.',
    violates: ['TOKEN-REFRESH-TOKEN-FORM'],
    alter: editRefresh((fields) => {
      fields.refresh_token = 5
    }),
  },
  {
    name: 'rotated-refresh-token-not-stored',
    summary: 'Returns a new refresh token that does not work.',
    violates: ['TOKEN-REFRESH-NEWEST'],
    alter: editRefresh((fields) => {
      fields.refresh_token = `${fields.refresh_token}-2`
    }),
  },
  {
    name: 'second-rotation-not-stored',
    summary: 'Returns an unusable refresh token in the second of two refreshes in a row.',
    violates: ['TOKEN-REFRESH-NEWEST'],
    alter: (behaviour: Behaviour) => {
      const generations = new Map<unknown, number>()
      editRefreshResponse((fields, { form }, { status }) => {
        if (status !== 200) return
        const generation = (generations.get(form?.get('refresh_token')) ?? 0) + 1
        if (generation > 1) fields.refresh_token = `${fields.refresh_token}-2`
        generations.set(fields.refresh_token, generation)
      })(behaviour)
    },
  },
  {
    name: 'refresh-token-of-another-client-refreshed-without-grant',
    summary: "Refreshes another client's refresh token for a client that lacks the refresh grant.",
    violates: ['TOKEN-REFRESH-OTHER-CLIENT'],
    alter: (behaviour: Behaviour) => {
      const issued = new Set<unknown>()
      editTokens(({ refresh_token: token }) => issued.add(token))(behaviour)
      editTokenErrors((fields, { form }, response) => {
        if (fields.error === 'unauthorized_client' && issued.has(form?.get('refresh_token')))
          Object.assign(response, unusableTokens())
      })(behaviour)
    },
  },
  {
    name: 'unknown-refresh-token-accepted',
    summary: 'Returns an access token for a refresh token that was never issued.',
    violates: ['TOKEN-REFRESH-UNKNOWN'],
    alter: editUnknownRefresh((response) => {
      Object.assign(response, unusableTokens())
    }),
  },
  {
    name: 'unknown-refresh-token-refused-with-401',
    summary: 'Returns 401 `invalid_grant` for a refresh token that was never issued.',
    violates: ['TOKEN-ERROR-STATUS'],
    alter: editUnknownRefresh((response) => {
      response.status = 401
    }),
  },
  {
    name: 'refresh-token-of-another-client-accepted',
    summary: "Refreshes another client's refresh token.",
    violates: ['TOKEN-REFRESH-OTHER-CLIENT'],
    variants: ['second-application-may-refresh'],
    alter: ({ idp }: Behaviour) => {
      const adopt = (record: { clientId?: string }, request: HttpRequest) => {
        if (grantType(request) === 'refresh_token' && request.client) record.clientId = request.client
      }
      idp.refreshTokenFound.push(adopt)
      idp.grantFound.push(adopt)
    },
  },
  {
    name: 'lost-refresh-race-as-invalid-request',
    summary: 'Returns the error `invalid_request` to one of two concurrent refreshes with one token.',
    violates: ['TOKEN-REFRESH-RACE-ERROR'],
    alter: editLostRace((response) => {
      const fields = fieldsOf(response)
      if (fields) fields.error = 'invalid_request'
    }),
  },
  {
    name: 'refresh-answered-with-error-and-200',
    summary: 'Returns an error with status 200 for a refresh.',
    violates: ['TOKEN-REFRESH'],
    consequences: ['TOKEN-REFRESH-RACE'],
    alter: editRefresh((_, response) => {
      response.body = { error: 'server_error', error_description: 'Please try again.' }
    }),
  },
])
