import type { AuthorizationRequest, Changes } from './authorization-request.ts'

export type Form = readonly (readonly [name: string, value: string])[]

/** A form of the members that are not null. */
export function formOf(members: Changes): Form {
  return Object.entries(members).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))
}

/** Members of a code exchange (section Token: code exchange), with changes. */
export function exchangeForm(
  code: string,
  request: Pick<AuthorizationRequest, 'verifier' | 'redirectUri'>,
  changes: Changes = {},
): Form {
  return formOf({
    grant_type: 'authorization_code',
    code,
    code_verifier: request.verifier,
    redirect_uri: request.redirectUri,
    ...changes,
  })
}

/** Members of a refresh (section Token: refresh), with changes. */
export function refreshForm(refreshToken: string, changes: Changes = {}): Form {
  return formOf({ grant_type: 'refresh_token', refresh_token: refreshToken, ...changes })
}
