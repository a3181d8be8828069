import { documentedErrors } from '../oauth/errors.ts'
import type { CheckContext } from './fixtures.ts'
import { errorOf, expectErrorNamed, type Landing, requireError } from './landing.ts'
import type { RequirementId } from './requirement.ts'
import { requireRootFinding } from './root-finding.ts'

type Judging = Pick<CheckContext, 'expect' | 'inconclusive' | 'once'>

/** The requirement that a check judges, and the one that the request is refused at all. */
interface Judged {
  readonly id: RequirementId
  readonly refused: RequirementId
}

/**
 * Expects a refused request to have one of the documented error names.
 * @throws {Inconclusive} if there is no error to judge, or another requirement has the same finding
 */
export async function expectRefusedAs(
  judging: Judging,
  { id, refused }: Judged,
  landing: Landing,
  errors: readonly string[],
): Promise<void> {
  requireError(landing, refused)
  await expectDocumentedName(judging, id, landing, errors)
}

/**
 * Expects the error of a redirect to have one of the documented names. A name that the specification does not list is
 * one finding for all causes, and another cause's name is one for all causes with the same names.
 * @throws {Inconclusive} if another requirement has the same finding
 */
export async function expectDocumentedName(
  { expect, ...context }: Judging,
  id: RequirementId,
  landing: Landing,
  errors: readonly string[],
): Promise<void> {
  const error = errorOf(landing)
  if (error !== undefined && !errors.includes(error)) {
    const cause = documentedErrors.has(error) ? [...errors, error] : [error]
    await requireRootFinding(context, `authorization error ${JSON.stringify(cause)}`, id)
  }
  expectErrorNamed(expect, landing, ...errors)
}
