import type { Alter } from '../alteration.ts'
import { editCallback } from '../edits.ts'
import type { HttpRequest, HttpResponse } from '../http.ts'

export type QueryCondition = (query: URLSearchParams) => boolean

/** Flaws for which the provider refuses an authorization request, as conditions on its query. */
export const causes = {
  responseType: (query) => !query.has('response_type'),
  token: (query) => query.get('response_type') === 'token',
  idToken: (query) => query.get('response_type') === 'id_token',
  hybrid: (query) => query.get('response_type') === 'code id_token',
  state: (query) => !query.has('state'),
  nonce: (query) => !query.has('nonce'),
  pkce: (query) =>
    query.get('response_type') === 'code' &&
    !query.has('code_challenge') &&
    !query.has('code_challenge_method'),
  challenge: (query) => !query.has('code_challenge') && query.has('code_challenge_method'),
  challengeMethod: (query) => query.has('code_challenge') && !query.has('code_challenge_method'),
  plain: (query) => query.get('code_challenge_method') === 'plain',
  lowerCaseMethod: (query) => query.get('code_challenge_method') === 's256',
  scope: (query) => !query.has('scope'),
  openid: (query) => query.get('scope')?.split(' ').includes('openid') === false,
} as const satisfies Record<string, QueryCondition>

/** Edits the redirect with which the provider refuses a request for this cause. */
export function editErrorOf(cause: QueryCondition, edit: (url: URL, response: HttpResponse) => void): Alter {
  return editCallback((url, request, response) => {
    if (isRefused(url, request, cause)) edit(url, response)
  })
}

/** Whether a redirect refuses a request for this cause. A request that resumes after a login has no query. */
export function isRefused({ searchParams }: URL, { query }: HttpRequest, cause: QueryCondition): boolean {
  return searchParams.has('error') && query.has('client_id') && cause(query)
}
