import { randomUUID } from 'node:crypto'
import type { Alter } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editTokenErrors, editTokens } from '../edits.ts'
import { type HttpRequest, type HttpResponse, jsonResponse } from '../http.ts'

/**
 * Treats requests without client authentication as requests of the last authenticated client, like a provider that
 * finds the client by the code or refresh token.
 */
export function adoptLastClient(
  lacksAuthentication: (form: URLSearchParams, request: HttpRequest) => boolean,
): Alter {
  return ({ idp }) => {
    let last: string | undefined
    idp.responses.token.push((response, { headers }) => {
      if (response.status === 200) last = headers.authorization ?? last
    })
    idp.tokenRequest.push((form, request) => {
      if (!lacksAuthentication(form, request)) return
      form.delete('client_id')
      if (last) request.headers.authorization = last
    })
  }
}

/** A successful token response with an access token that the provider does not accept. */
export function unusableTokens(): HttpResponse {
  return jsonResponse(200, {
    access_token: randomUUID(),
    token_type: 'bearer',
    expires_in: 900,
    scope: 'openid',
  })
}

const ANNOUNCED_LIFETIME_SECONDS = 3

/** Sets `exp` and `expires_in` of access tokens to 3 s, although the provider accepts the tokens longer. */
export function announceShortLifetime(behaviour: Behaviour): void {
  behaviour.idp.accessToken.push(({ claims }) => {
    claims.exp = Number(claims.iat) + ANNOUNCED_LIFETIME_SECONDS
  })
  editTokens((fields) => {
    fields.expires_in = ANNOUNCED_LIFETIME_SECONDS
  })(behaviour)
}

/** Edits the refusal of a refresh token that was never issued. */
export function editUnknownRefresh(edit: (response: HttpResponse) => void): Alter {
  return (behaviour) => {
    const issued = new Set<unknown>()
    editTokens(({ refresh_token: token }) => issued.add(token))(behaviour)
    editRefusalOfUnknown('refresh_token', issued, edit)(behaviour)
  }
}

/** Edits the refusal of a code or refresh token that is not in `issued`. */
export function editRefusalOfUnknown(
  parameter: 'code' | 'refresh_token',
  issued: ReadonlySet<unknown>,
  edit: (response: HttpResponse) => void,
): Alter {
  return editTokenErrors(({ error }, { form }, response) => {
    const given = form?.get(parameter)
    if (error === 'invalid_grant' && given && !issued.has(given)) edit(response)
  })
}
