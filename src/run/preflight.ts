import type { Host } from '../check/requirement.ts'
import { Recorder } from '../evidence/recorder.ts'
import type { Budget } from '../http/budget.ts'
import { HttpFailure } from '../http/failures.ts'
import { Http } from '../http/http.ts'
import { endpoint } from '../oauth/endpoints.ts'
import { type Problem, SetupError } from '../target/problem.ts'
import type { Target } from '../target/target.ts'

/**
 * Sends one harmless request to each host that is needed, so that one sentence reports a name that does not resolve or a
 * port that refuses, in place of a page of inconclusive checks. The checks judge the responses.
 * @param outOfReach receives the hosts that cannot be reached, where others can, with the reason
 * @throws {SetupError} where no host can be reached, or one cannot and there is no `outOfReach`
 */
export async function preflight(
  target: Target,
  hosts: ReadonlySet<Host>,
  budget: Budget,
  outOfReach?: Partial<Record<Host, string>>,
): Promise<void> {
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
    const { partnerApiUrl } = target
    if (partnerApiUrl !== undefined)
      await reach('PARTNER_API_URL', new URL(`${partnerApiUrl}/events/search`), 'partner-api')
  } finally {
    await http.close()
  }
  const goesOn = outOfReach !== undefined && [...hosts].some((host) => outOfReach[host] === undefined)
  if (problems.length > 0 && !goesOn) throw new SetupError(problems)
}
