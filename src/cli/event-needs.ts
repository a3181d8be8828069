import { missingVariables, partsOfPartnerApi } from '../target/parts.ts'
import { SetupError } from '../target/problem.ts'
import type { Target } from '../target/target.ts'

/**
 * Rejects a target with which no event can be read.
 * @param zone why EVENT_TIME_ZONE is needed; undefined if it is not
 * @throws {SetupError} with everything that is missing
 */
export function requireEventVariables(target: Target, zone: string | undefined): void {
  const missing = missingVariables(target, partsOfPartnerApi).map((name) => ({
    name,
    what: 'is not set; event searches need it',
  }))
  const unknown =
    zone === undefined || target.eventTimeZone !== 'unknown'
      ? []
      : [{ name: 'EVENT_TIME_ZONE', what: `is unknown, so ${zone}`, example: 'Europe/Helsinki' }]
  if (missing.length + unknown.length > 0) throw new SetupError([...missing, ...unknown])
}
