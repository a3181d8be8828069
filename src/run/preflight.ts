import { Recorder } from '../evidence/recorder.ts'
import { HttpFailure } from '../http/failures.ts'
import { Gate, type GateState } from '../http/gate.ts'
import { Http } from '../http/http.ts'
import { endpoint } from '../oauth/endpoints.ts'
import { type Problem, SetupError } from '../target/problem.ts'
import type { Target } from '../target/target.ts'

/** Areas that ask the partner API alone; what else they need they share with others. */
const hubAreas: ReadonlySet<string> = new Set(['event-search', 'events', 'webhook-subscriptions'])

export interface PreflightOptions {
  /** Takes the areas that need an address that cannot be reached, where others do not need it, with the reason. */
  readonly outOfReach?: Record<string, string>
  /** Hears until when nothing is sent, in milliseconds since the epoch. */
  readonly onHold?: (until: number) => void
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
  { outOfReach, onHold, signal }: PreflightOptions = {},
): Promise<GateState> {
  const gate = new Gate({ ...target, ...(onHold && { onHold }), ...(signal && { signal }) })
  const http = new Http(gate, new Recorder(), target.proxy)
  const hub = [...areas].filter((area) => hubAreas.has(area))
  const identity = [...areas].filter((area) => !hubAreas.has(area))
  const problems: Problem[] = []
  const reach = async (name: string, url: URL, needing: readonly string[]) => {
    if (needing.length === 0) return
    try {
      await http.send({ method: 'GET', url, repeat: 'reads' })
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error
      // A throttled or failing target is there: its checks will say what it does.
      if (error.kind !== 'unreachable' && error.kind !== 'timed-out') return
      const what = `points to ${url.host}, which cannot be reached: ${error.message}`
      problems.push({ name, what })
      for (const area of needing) if (outOfReach) outOfReach[area] = `${name} ${what}`
    }
  }
  try {
    await reach('IDP_BASE_URL', endpoint(target, 'discovery'), identity)
    await reach('PARTNER_API_URL', new URL(`${target.partnerApiUrl}/events/search`), hub)
  } finally {
    await http.close()
  }
  const goesOn = outOfReach !== undefined && [...areas].some((area) => outOfReach[area] === undefined)
  if (problems.length > 0 && !goesOn) throw new SetupError(problems)
  return gate.state
}
