import type { HttpResponse } from '../http/response.ts'
import { isGiven } from '../text/json.ts'
import type { Expect } from './expect.ts'

/**
 * Whether UserInfo accepts the access token: status 200 with a JWT, or with a JSON object that is not an error (OpenID
 * Connect Core, 5.3.2). The claims are not specified.
 */
export function acceptsToken({ status, object, text }: HttpResponse): boolean {
  if (status !== 200) return false
  return object === undefined ? isJwt(text) : !isError(object)
}

export function expectAccepted(expect: Expect, response: HttpResponse): void {
  expect.that(
    acceptsToken(response),
    'status 200 with a JSON object without an error, or with a JWT',
    response,
  )
}

/** Whether an object is an error instead of the claims of a user. */
function isError({ error, sub }: NonNullable<HttpResponse['object']>): boolean {
  return isGiven(error) && !isGiven(sub)
}

/** Whether a text is a signed or an encrypted JWT, which has three or five parts. */
function isJwt(text: string): boolean {
  return /^ey[\w-]+(\.[\w-]*){2}(\.[\w-]*\.[\w-]+)?$/.test(text.trim())
}
