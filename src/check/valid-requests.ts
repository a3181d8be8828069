import { HttpFailure } from '../http/failures.ts'
import type { HttpResponse } from '../http/response.ts'
import type { AuthorizationRequest } from '../oauth/authorization-request.ts'
import type { ProviderLog } from '../oauth/provider-log.ts'
import type { AuthorizationLog, ReceivedRedirect } from './authorization/authorization-log.ts'
import { codeOf } from './authorization/landing-content.ts'

/** Up to this age, in milliseconds, a code or refresh token cannot have expired. */
export const freshMs = 20_000

export interface ValidTokenRequest {
  readonly applicationId: string
  readonly response: HttpResponse
}

/**
 * Valid requests that the target accepted, or had no reason to refuse because their code or refresh token was new.
 */
export class ValidRequests {
  readonly exchanges: ValidTokenRequest[] = []
  readonly refreshes: ValidTokenRequest[] = []
  readonly authorizations = new Set<AuthorizationRequest>()
  /** Whether the target refused a refresh token that another request may have invalidated. */
  hasRefusedOlderGrant = false
  /** Transient errors of the authorization endpoint, or 403 of a gateway, after which a request was repeated. */
  readonly transientErrors = new Set<string>()
}

interface Log {
  readonly validRequests: ValidRequests
  readonly authorizationLog: Pick<AuthorizationLog, 'redirects'>
  readonly provider: { readonly log: Pick<ProviderLog, 'issued' | 'tokenRefusals'> }
}

/**
 * Sends the valid exchange of a code. Logs the exchange if the target accepts it, or if the target has no reason to
 * refuse it: the code is the newest of the run and less than 20 s old.
 * @throws {HttpFailure} if a failed attempt may have used the code
 */
export async function sendValidExchange(
  { validRequests, authorizationLog }: Log,
  { code, request }: { readonly code: string; readonly request: AuthorizationRequest },
  send: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const newest = authorizationLog.redirects.findLast(({ landing }) => codeOf(landing) !== undefined)
  const mustAccept = newest !== undefined && codeOf(newest.landing) === code && isFresh(sentAt(newest))
  const response = await send()
  requireUnused(response, 'code')
  if (mustAccept || response.status < 400)
    validRequests.exchanges.push({ applicationId: request.application.id, response })
  return response
}

/**
 * Sends a valid refresh. Logs the refresh if the target accepts it, or if the target has no reason to refuse it: the
 * token is the newest of the run and less than 20 s old, and no refusal or authorization followed its issue.
 * @throws {HttpFailure} if a failed attempt may have used the refresh token
 */
export async function sendValidRefresh(
  { validRequests, authorizationLog, provider }: Log,
  { refreshToken, applicationId }: { readonly refreshToken: string; readonly applicationId: string },
  send: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const issuedAt = provider.log.issued.at(-1)?.response.exchange.sentAt ?? 0
  const redirect = authorizationLog.redirects.at(-1)
  const noLaterRedirect = redirect === undefined || sentAt(redirect) <= issuedAt
  const mustAccept = noLaterRedirect && isNewestGrant(provider.log, refreshToken)
  const response = await send()
  requireUnused(response, 'refresh token')
  if (mustAccept || response.status < 400) validRequests.refreshes.push({ applicationId, response })
  else if (isClientError(response)) validRequests.hasRefusedOlderGrant = true
  return response
}

/**
 * Requires that no earlier attempt of a request may have used its code or refresh token. A gateway may return 503
 * although the provider has processed the request; the provider then refuses the retry with `invalid_grant`.
 * @throws {HttpFailure} if an earlier attempt may explain a refusal
 */
export function requireUnused(response: HttpResponse, credential: 'code' | 'refresh token'): void {
  const { earlierFailure, object } = response
  if (earlierFailure === undefined || !isClientError(response) || object?.error !== 'invalid_grant') return
  throw new HttpFailure(
    'unavailable',
    `the token endpoint refused the ${credential} when the request was sent again after a failure (${earlierFailure}); the first attempt may have used the ${credential}`,
  )
}

/** Whether a refresh token is from the last response of the token endpoint, and cannot have expired. */
export function isNewestGrant(
  { issued, tokenRefusals }: Log['provider']['log'],
  refreshToken: string,
): boolean {
  const response = issued.at(-1)?.response
  if (response?.object?.refresh_token !== refreshToken) return false
  const issuedAt = response.exchange.sentAt
  return (tokenRefusals.at(-1)?.exchange.sentAt ?? 0) < issuedAt && isFresh(issuedAt)
}

/** Whether a response is a definite refusal: 4xx other than 429. */
export function isClientError({ status }: Pick<HttpResponse, 'status'>): boolean {
  return status >= 400 && status < 500 && status !== 429
}

function sentAt({ exchanges }: ReceivedRedirect): number {
  return exchanges.at(-1)?.sentAt ?? 0
}

/**
 * Whether a code or refresh token cannot have expired.
 * @param at when it was issued, in milliseconds since the epoch
 */
export function isFresh(at: number): boolean {
  return Date.now() - at < freshMs
}
