import type { AuthorizationRequest, Changes } from './authorization-request.ts'
import { type Form, formOf } from './form.ts'

/** Members of a code exchange (section Token: code exchange), changed. */
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

/** Members of a refresh (section Token: refresh), changed. */
export function refreshForm(refreshToken: string, changes: Changes = {}): Form {
  return formOf({ grant_type: 'refresh_token', refresh_token: refreshToken, ...changes })
}
