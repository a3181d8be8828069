import type { Host } from '../check/requirement.ts'
import { Recorder } from '../evidence/recorder.ts'
import { Budget, type BudgetState } from '../http/budget.ts'
import { HttpFailure } from '../http/failures.ts'
import { Http } from '../http/http.ts'
import { endpoint } from '../oauth/endpoints.ts'
import { type Problem, SetupError } from '../target/problem.ts'
import type { Target } from '../target/target.ts'

export interface PreflightOptions {
  /** Takes the hosts that cannot be reached, where others can, with the reason. */
  readonly outOfReach?: Partial<Record<Host, string>>
  /** Hears until when nothing is sent, in milliseconds since the epoch. */
  readonly onPause?: (until: number) => void
  /** Ends waits, as an AbortError. */
  readonly signal?: AbortSignal
}

/**
 * One harmless request to each host that is needed, so that a name that does not resolve or
 * a port that refuses is told in one sentence instead of a page of undecided checks. What the answers say is
 * for the checks to judge.
 * @returns where pacing and budget stand, for the run to go on from
 * @throws {SetupError} where nothing that was selected can be reached, or something without `outOfReach`
 */
export async function preflight(
  target: Target,
  hosts: ReadonlySet<Host>,
  { outOfReach, onPause, signal }: PreflightOptions = {},
): Promise<BudgetState> {
  const budget = new Budget({ ...target, ...(onPause && { onPause }), ...(signal && { signal }) })
  const http = new Http(budget, new Recorder(), target.proxy)
  const problems: Problem[] = []
  const reach = async (name: string, url: URL, host: Host) => {
    if (!hosts.has(host)) return
    try {
      await http.send({ method: 'GET', url, repeat: 'reads' })
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error
      // A throttled or failing target is there: its checks will say what it does.
      if (error.kind !== 'unreachable' && error.kind !== 'timed-out') return
      const what = `points to ${url.host}, which cannot be reached: ${error.message}`
      problems.push({ name, what })
      if (outOfReach) outOfReach[host] = `${name} ${what}`
    }
  }
  try {
    await reach('IDP_BASE_URL', endpoint(target, 'discovery'), 'identity-provider')
    await reach('PARTNER_API_URL', new URL(`${target.partnerApiUrl}/events/search`), 'partner-api')
  } finally {
    await http.close()
  }
  const hasMorePages = outOfReach !== undefined && [...hosts].some((host) => outOfReach[host] === undefined)
  if (problems.length > 0 && !hasMorePages) throw new SetupError(problems)
  return budget.state
}
