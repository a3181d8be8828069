import { type CompletedLanding, codeOf } from '../../src/check/authorization/landing-content.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { notApplicable } from '../../src/check/verdict.ts'

/** Ends a check of a passive or cancelling user as not applicable if the target returns codes without interaction. */
export async function requireInteraction(
  { authorization }: Pick<CheckContext, 'authorization'>,
  landing: CompletedLanding,
): Promise<void> {
  if (codeOf(landing) === undefined || (await authorization.first()).interactive) return
  notApplicable('the target needs no user interaction to return a code', 'target')
}
