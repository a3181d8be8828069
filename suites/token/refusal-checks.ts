import type { CheckOptions } from '../../src/check/catalogue.ts'
import { describe, isTokenRefusal } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { inconclusive } from '../../src/check/verdict.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import type { Application } from '../../src/target/target.ts'
import { type RefusalErrorId, type RefusalId, refusals } from './refusals.ts'
import { check } from './requirements.ts'
import type { SendRefused, TokenErrors } from './token-errors.ts'

/** A request that is sent once, for the check of its refusal and the check of the error. */
export interface InvalidTokenRequest {
  /** Effects and needs of both checks. */
  readonly options: CheckOptions
  /** How the request differs from the valid one. */
  readonly sending: string | ((application: Application) => string)
  readonly send: SendRefused
  /**
   * The refusal of a code exchange with the same mistake: if that is accepted as well, there is one finding, and no error
   * shows that the target noticed the mistake.
   */
  readonly twin?: readonly [id: RefusalId, request: InvalidTokenRequest]
}

/** Defines two checks of one request: it is refused, and the refusal has a documented status and error. */
export function checkRefusal(id: RefusalId, { options, sending, send, twin }: InvalidTokenRequest): void {
  const { request } = refusals[id]
  const difference = (application: Application) =>
    typeof sending === 'string' ? sending : sending(application)
  const errorId: RefusalErrorId = `${id}-ERROR`

  /** The refusal of the twin, if the target does not refuse it. */
  const acceptedTwin = async (tokenErrors: TokenErrors): Promise<RefusalId | undefined> => {
    if (!twin) return undefined
    const [twinId, { send: sendTwin }] = twin
    return isTokenRefusal(await tokenErrors.responseTo(twinId, sendTwin)) ? undefined : twinId
  }

  check(id, `${request} is refused`, options, async ({ expect, application, tokenErrors }) => {
    expect.sending(difference(application))
    const response = await tokenErrors.responseTo(id, send)
    const acceptedId = isTokenRefusal(response) ? undefined : await acceptedTwin(tokenErrors)
    if (acceptedId)
      return inconclusive('a code exchange with the same mistake is accepted as well', [acceptedId])
    expect.refused(response)
  })

  check(
    errorId,
    `${request} is refused with the documented status and error`,
    options,
    async ({ expect, application, tokenErrors }) => {
      expect.sending(difference(application))
      const response = await tokenErrors.responseTo(id, send)
      const acceptedId = await acceptedTwin(tokenErrors)
      if (acceptedId) return inconclusive('a code exchange with the same mistake is accepted', [acceptedId])
      await tokenErrors.expectPermitted(id, response)
    },
  )
}

/**
 * Adds a note for a refusal whose error differs from that of RFC 6749, 5.2 and RFC 7636, 4.6: the specification maps no error to it.
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
