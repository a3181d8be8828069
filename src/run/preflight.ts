import { Recorder } from '../evidence/recorder.ts'
import { HttpFailure } from '../http/failures.ts'
import { Gate, type GateState } from '../http/gate.ts'
import { Http } from '../http/http.ts'
import { endpoint } from '../oauth/endpoints.ts'
import { type Problem, SetupError } from '../target/problem.ts'
import type { Target } from '../target/target.ts'

/** Areas that ask the partner API alone; what else they need they share with others. */
const hubAreas: ReadonlySet<string> = new Set(['event-search', 'events', 'webhook-subscriptions'])

/**
 * One harmless request to each address that the selected areas need, so that a name that does not resolve or
 * a port that refuses is told in one sentence instead of a page of undecided checks. What the answers say is
 * for the checks to judge.
 * @returns where pacing and budget stand, for the run to go on from
 * @throws {SetupError} where an address cannot be reached
 */
export async function preflight(target: Target, areas: ReadonlySet<string>): Promise<GateState> {
  const gate = new Gate(target)
  const http = new Http(gate, new Recorder(), target.proxy)
  const eventHub = [...areas].some((area) => hubAreas.has(area))
  const identity = [...areas].some((area) => !hubAreas.has(area))
  const problems: Problem[] = []
  const reach = async (name: string, url: URL) => {
    try {
      await http.send({ method: 'GET', url, repeat: 'reads' })
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error
      // A throttled or failing target is there: its checks will say what it does.
      if (error.kind === 'unreachable' || error.kind === 'timed-out') {
        problems.push({ name, what: `points to ${url.host}, which cannot be reached: ${error.message}` })
      }
    }
  }
  try {
    if (identity) await reach('IDP_BASE_URL', endpoint(target, 'discovery'))
    if (eventHub) await reach('PARTNER_API_URL', new URL(`${target.partnerApiUrl}/events/search`))
  } finally {
    await http.close()
  }
  if (problems.length > 0) throw new SetupError(problems)
  return gate.state
}
