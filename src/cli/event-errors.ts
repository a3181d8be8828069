import { compareLocal } from '../event-hub/local-time.ts'
import type { EventWindow } from '../event-hub/window.ts'
import { type HttpFailure, whyUnreachable } from '../http/failures.ts'
import { missingVariables, partnerApiOf, partsOfPartnerApi } from '../target/parts.ts'
import { SetupError } from '../target/problem.ts'
import type { TargetName } from '../target/profiles.ts'
import type { Target } from '../target/target.ts'

/** The error for an event search that received no response, or one that Plumbline cannot use. */
export function failedSearch(target: Target, failure: HttpFailure): SetupError {
  const name = 'PARTNER_API_URL'
  if (failure.kind !== 'unreachable') {
    const advice = failure.advice === null ? {} : { advice: failure.advice }
    return new SetupError({ name, what: `could not be searched: ${failure.message}`, ...advice })
  }
  const { what, ...advice } = whyUnreachable(failure, target.proxy !== undefined)
  const { host } = new URL(partnerApiOf(target).url)
  return new SetupError({ name, what: `points to ${host}, which ${what}`, ...advice })
}

interface SearchOptions {
  readonly from?: string
  readonly to?: string
  readonly page?: string
  readonly pageSize?: string
}

/** The error for a search that the target refused with 400. Its advice names only options that the user gave. */
export function refusedOptions(
  { from, to }: EventWindow,
  options: SearchOptions,
  target: TargetName,
): SetupError {
  const name = 'The event search'
  if (compareLocal(from.add({ hours: 24 }), to) < 0) {
    const advice = `${options.to === undefined ? 'add' : 'give'} a --to at most 24 hours after --from`
    return new SetupError({ name, what: 'was refused with 400: the window is wider than 24 hours', advice })
  }
  const given = Object.entries({ '--page': options.page, '--page-size': options.pageSize })
    .filter(([, value]) => value !== undefined)
    .map(([option]) => option)
  const advice =
    given.length > 0
      ? `give a smaller value for ${given.join(' and ')}`
      : `run \`npx plumbline check --target ${target} --only EVENT-SEARCH\`, which judges it`
  return new SetupError({ name, what: 'was refused with 400', advice })
}

/**
 * Requires the variables that event searches need.
 * @param zoneReason why EVENT_TIME_ZONE is needed: the end of "is unknown, so …"; undefined if it is not needed
 * @throws {SetupError} that names every missing variable
 */
export function requireEventVariables(target: Target, zoneReason: string | undefined): void {
  const missing = missingVariables(target, partsOfPartnerApi).map((name) => ({
    name,
    what: 'is not set; event searches need it',
  }))
  const unknown =
    zoneReason === undefined || target.eventTimeZone !== 'unknown'
      ? []
      : [{ name: 'EVENT_TIME_ZONE', what: `is unknown, so ${zoneReason}`, example: 'Europe/Helsinki' }]
  if (missing.length + unknown.length > 0) throw new SetupError([...missing, ...unknown])
}
