import { type Area, catalogue } from '../check/catalogue.ts'
import { Recorder } from '../evidence/recorder.ts'
import { Budget, type BudgetState } from '../http/budget.ts'
import { HttpFailure } from '../http/failures.ts'
import { Http } from '../http/http.ts'
import { endpoint } from '../oauth/endpoints.ts'
import { type Problem, SetupError } from '../target/problem.ts'
import type { Target } from '../target/target.ts'

export interface PreflightOptions {
  /** Takes the areas that need an address that cannot be reached, where others do not need it, with the reason. */
  readonly outOfReach?: Record<string, string>
  /** Hears until when nothing is sent, in milliseconds since the epoch. */
  readonly onPause?: (until: number) => void
  /** Ends waits, as an AbortError. */
  readonly signal?: AbortSignal
}

/**
 * One harmless request to each address that the selected areas need, so that a name that does not resolve or
 * a port that refuses is told in one sentence instead of a page of undecided checks. What the answers say is
 * for the checks to judge.
 * @returns where pacing and budget stand, for the run to go on from
 * @throws {SetupError} where nothing that was selected can be reached, or something without `outOfReach`
 */
export async function preflight(
  target: Target,
  areas: ReadonlySet<string>,
  { outOfReach, onPause, signal }: PreflightOptions = {},
): Promise<BudgetState> {
  const budget = new Budget({ ...target, ...(onPause && { onPause }), ...(signal && { signal }) })
  const http = new Http(budget, new Recorder(), target.proxy)
  const needing = (host: Area['host']) =>
    [...areas].filter((area) => (catalogue.areas.get(area)?.host ?? 'identity-provider') === host)
  const problems: Problem[] = []
  const reach = async (name: string, url: URL, host: Area['host']) => {
    const dependent = needing(host)
    if (dependent.length === 0) return
    try {
      await http.send({ method: 'GET', url, repeat: 'reads' })
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error
      // A throttled or failing target is there: its checks will say what it does.
      if (error.kind !== 'unreachable' && error.kind !== 'timed-out') return
      const what = `points to ${url.host}, which cannot be reached: ${error.message}`
      problems.push({ name, what })
      for (const area of dependent) if (outOfReach) outOfReach[area] = `${name} ${what}`
    }
  }
  try {
    await reach('IDP_BASE_URL', endpoint(target, 'discovery'), 'identity-provider')
    await reach('PARTNER_API_URL', new URL(`${target.partnerApiUrl}/events/search`), 'partner-api')
  } finally {
    await http.close()
  }
  const goesOn = outOfReach !== undefined && [...areas].some((area) => outOfReach[area] === undefined)
  if (problems.length > 0 && !goesOn) throw new SetupError(problems)
  return budget.state
}
