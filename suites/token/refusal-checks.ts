import type { CheckOptions } from '../../src/check/catalogue.ts'
import { describe, isTokenRefusal } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { inconclusive } from '../../src/check/verdict.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import type { Application } from '../../src/target/target.ts'
import { type RefusalErrorId, refusals, type TokenRefusalId } from './refusals.ts'
import { check } from './requirements.ts'
import type { SendRefused, TokenErrors } from './token-errors.ts'

/** A request with a flaw. It is sent once for two checks: one of the refusal, and one of its status and error. */
export interface InvalidTokenRequest {
  /** The request in the names of the checks; by default the one in refusals.ts. */
  readonly request?: string
  /** Effects and needs of both checks. */
  readonly options: CheckOptions
  /** The request in findings, with its difference from the valid one. */
  readonly requestText: string | ((application: Application) => string)
  readonly send: SendRefused
  /** What to check first if the target accepts the request. */
  readonly advice?: (application: Application) => string
  /**
   * A code exchange with the same flaw. If the target accepts that exchange, only the requirement on the exchange is
   * violated. The error of this request is then not judged, because the target ignores the flaw.
   */
  readonly exchangeWithSameFlaw?: readonly [id: TokenRefusalId, request: InvalidTokenRequest]
}

/** Defines two checks of one request: the request is refused, and its refusal has a documented status and error. */
export function checkRefusalAndError(id: TokenRefusalId, invalid: InvalidTokenRequest): void {
  const { options, requestText, send, advice, exchangeWithSameFlaw, request = refusals[id].request } = invalid
  const requestOf = (application: Application) =>
    typeof requestText === 'string' ? requestText : requestText(application)
  const errorId: RefusalErrorId = `${id}-ERROR`

  /** The requirement on the code exchange with the same flaw, if the target accepts that exchange. */
  const violatedByExchange = async (tokenErrors: TokenErrors): Promise<TokenRefusalId | undefined> => {
    if (!exchangeWithSameFlaw) return undefined
    const [exchangeId, exchange] = exchangeWithSameFlaw
    return isTokenRefusal(await tokenErrors.responseTo(exchangeId, exchange.send)) ? undefined : exchangeId
  }

  check(id, `${request} is refused`, options, async ({ expect, application, tokenErrors }) => {
    expect.describeRequest(requestOf(application))
    const response = await tokenErrors.responseTo(id, send)
    const violatedId = isTokenRefusal(response) ? undefined : await violatedByExchange(tokenErrors)
    if (violatedId)
      return inconclusive('a code exchange with the same flaw is accepted as well', [violatedId])
    expect.refused(response, advice?.(application))
  })

  check(
    errorId,
    `${request} is refused with the documented status and error`,
    options,
    async ({ expect, application, tokenErrors }) => {
      expect.describeRequest(requestOf(application))
      const response = await tokenErrors.responseTo(id, send)
      const violatedId = await violatedByExchange(tokenErrors)
      if (violatedId) return inconclusive('a code exchange with the same flaw is accepted', [violatedId])
      await tokenErrors.expectPermitted(id, response)
    },
  )
}

/**
 * Adds a note for a refusal whose error differs from that of RFC 6749, 5.2 and RFC 7636, 4.6. The specification does
 * not define the error of this refusal.
 * @param refused the refused part of the request, as a noun phrase
 */
export function noteOtherError(
  { note }: Pick<CheckContext, 'note'>,
  refused: string,
  response: HttpResponse,
): void {
  if (response.status === 400 && response.object?.error === 'invalid_grant') return
  note(`${refused} is refused: ${describe(response)}; the RFCs define 400 invalid_grant`)
}
