import type { HttpResponse } from '../../http/response.ts'
import type { AuthorizationRequest } from '../../oauth/authorization-request.ts'
import type { Form } from '../../oauth/form.ts'
import { codeOf } from '../authorization/landing-content.ts'
import type { RunContext } from '../run-context.ts'

/** A token response of the run to a request of an application. */
export interface ReceivedTokens {
  readonly response: HttpResponse
  /** The authorization request from which the tokens derive. */
  readonly request: AuthorizationRequest
  readonly grant: 'code' | 'refresh'
  /** The refresh token of the request; undefined for a code. */
  readonly refreshToken: string | undefined
}

/**
 * The token responses of the run, in order, to a code or refresh token that the same application had received. Other
 * token responses are absent: a check that sends a used code, a repeated parameter, a grant of another application, or
 * no grant judges the response itself.
 */
export function receivedTokens({ provider, authorizationLog }: RunContext): readonly ReceivedTokens[] {
  const received: ReceivedTokens[] = []
  const usedCodes = new Set<string | undefined>()
  for (const { form, application, response } of provider.log.issued) {
    const code = memberOf(form, 'code')
    const refreshToken = memberOf(form, 'refresh_token')
    const isExchange = memberOf(form, 'grant_type') === 'authorization_code'
    const repeatsParameter = new Set(form.map(([name]) => name)).size < form.length
    const isJudgedElsewhere = repeatsParameter || (isExchange && usedCodes.has(code))
    usedCodes.add(code)
    if (isJudgedElsewhere) continue
    const request = isExchange
      ? authorizationLog.redirects.find(({ landing }) => codeOf(landing) === code)?.request
      : received.find((earlier) => earlier.response.object?.refresh_token === refreshToken)?.request
    if (request === undefined || request.application.id !== application?.id) continue
    received.push({ response, request, grant: isExchange ? 'code' : 'refresh', refreshToken })
  }
  return received
}

function memberOf(form: Form, name: string): string | undefined {
  return form.find(([member]) => member === name)?.[1]
}
