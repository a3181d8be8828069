import type { RefusalId } from '../../src/check/authorization/authorization-errors.ts'
import type { CompletedLanding } from '../../src/check/authorization/landing-content.ts'
import { expectRefused } from '../../src/check/authorization/landing-expectations.ts'
import type { CheckOptions } from '../../src/check/catalogue.ts'
import { quotedNames } from './flaws.ts'
import { type AuthorizationContext, check } from './requirements.ts'

/**
 * Defines two checks of one request: the request is refused, and its refusal has a documented error.
 * @param request as a noun phrase
 * @param landingOf describes the request for findings, and sends it once per run
 */
export function checkRefusalAndError(
  id: RefusalId & `AUTHZ-${string}`,
  request: string,
  options: CheckOptions,
  errors: readonly string[],
  landingOf: (context: AuthorizationContext) => Promise<CompletedLanding>,
): void {
  check(id, `${request} is refused`, options, async (context) => {
    expectRefused(context.expect, await landingOf(context))
  })

  check(`${id}-ERROR`, `${request} is refused with ${quotedNames(errors)}`, options, async (context) => {
    await context.authorizationErrors.expectRefusedAs(id, await landingOf(context), errors)
  })
}
