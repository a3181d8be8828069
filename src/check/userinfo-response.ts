import type { HttpResponse } from '../http/response.ts'
import { isGiven } from '../text/json.ts'
import { describe, type Expect } from './expect.ts'

/** Whether UserInfo accepts the access token: status 200, and no error in the body. The claims are not specified. */
export function acceptsToken({ status, object }: HttpResponse): boolean {
  return status === 200 && !isError(object)
}

/** Expects UserInfo to accept the access token. */
export function expectAccepted(expect: Expect, response: HttpResponse): void {
  expect.that(acceptsToken(response), 'status 200 without an error', describe(response))
}

/** Whether an object is an error instead of the claims of a user. */
function isError(object: HttpResponse['object']): boolean {
  return isGiven(object?.error) && !isGiven(object?.sub)
}
