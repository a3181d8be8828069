import type { CheckOptions } from '../../src/check/catalogue.ts'
import { describe, isTokenRefusal } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { inconclusive } from '../../src/check/verdict.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import type { Application } from '../../src/target/target.ts'
import { type RefusalErrorId, refusals, type TokenRefusalId } from './refusals.ts'
import { check } from './requirements.ts'
import type { SendRefused, TokenErrors } from './token-errors.ts'

/** A request that is sent once, for the check of its refusal and the check of the error. */
export interface InvalidTokenRequest {
  /** The request in the names of the checks; by default that of the requirement, which may include other requests. */
  readonly request?: string
  /** Effects and needs of both checks. */
  readonly options: CheckOptions
  /** How the request differs from the valid one. */
  readonly requestText: string | ((application: Application) => string)
  readonly send: SendRefused
  /** What to check before the target is blamed for accepting the request. */
  readonly advice?: (application: Application) => string
  /**
   * The refusal of a code exchange with the same flaw. If the target accepts that exchange, only the requirement on the
   * exchange is violated, and the error of this request is not judged: it would not show that the target noticed the flaw.
   */
  readonly sameFlaw?: readonly [id: TokenRefusalId, request: InvalidTokenRequest]
}

/** Defines two checks of one request: it is refused, and the refusal has a documented status and error. */
export function checkRefusalAndError(id: TokenRefusalId, invalid: InvalidTokenRequest): void {
  const { options, requestText, send, advice, sameFlaw, request = refusals[id].request } = invalid
  const requestOf = (application: Application) =>
    typeof requestText === 'string' ? requestText : requestText(application)
  const errorId: RefusalErrorId = `${id}-ERROR`

  /** The requirement that judges the code exchange with the same flaw, if the target does not refuse that. */
  const violatedByExchange = async (tokenErrors: TokenErrors): Promise<TokenRefusalId | undefined> => {
    if (!sameFlaw) return undefined
    const [exchangeId, exchange] = sameFlaw
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
 * Adds a note for a refusal whose error differs from that of RFC 6749, 5.2 and RFC 7636, 4.6: the specification maps no
 * error to it.
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
