import { defaultPaging } from '../event-hub/page.ts'
import { EventHub } from '../event-hub/search.ts'
import type { Exchange } from '../evidence/exchange.ts'
import type { HttpResponse } from '../http/response.ts'
import { unknownPath } from './events/refused-search.ts'
import { EventSearchSteps } from './events/search-steps.ts'
import type { CheckExecution } from './execution.ts'
import { describe } from './expect.ts'
import { unlessUndecided } from './obstacle.ts'
import type { Host } from './requirement.ts'
import type { RunContext, UnreachableHost } from './run-context.ts'

/** Status with which gateways block a client. */
const blocked = 403

/**
 * Examines whether a gateway blocks this machine, if one may have refused a request of a check: it then refuses a valid
 * request and one for an unknown path alike, at a host that the run has reached. The remaining checks of the host are
 * then inconclusive, and send nothing.
 */
export async function gatewayBlock(
  run: RunContext,
  execution: CheckExecution,
): Promise<UnreachableHost | undefined> {
  const refused = execution.evidence.findLast(({ response, notSent, fromMemory }) => {
    return response?.status === blocked && !notSent && !fromMemory
  })
  const host = refused && hostOf(run, refused)
  if (!host || !run.recorder.hasServed(refused.request.url)) return undefined
  const control = await unlessUndecided(sendControl(host, run, execution))
  if (!control || !isAlike(control, refused)) return undefined
  const unknown = await unlessUndecided(sendUnknown(host, run))
  if (!unknown || !isAlike(unknown, refused)) return undefined
  const name = host === 'partner-api' ? 'the partner API' : 'the identity provider'
  const block: UnreachableHost = {
    reason: `a gateway seems to block this machine: ${name} refuses every request (${describe(control)}), although it accepted requests earlier in the run`,
    cause: 'throttled',
    advice:
      'wait until the block has ended, and set a lower REQUESTS_PER_SECOND; or ask the operators of the target to exempt this machine',
  }
  run.unreachableHosts[host] = block
  return block
}

/** The host that received a request: the one with the longest base address of the request's. */
function hostOf({ target }: RunContext, { request }: Exchange): Host | undefined {
  const bases = [
    ['identity-provider', target.issuer],
    ['partner-api', target.partnerApiUrl],
  ] as const
  return bases
    .filter(([, base]) => base !== undefined && request.url.startsWith(base))
    .sort(([, a = ''], [, b = '']) => b.length - a.length)[0]?.[0]
}

/** Sends a valid request. */
async function sendControl(host: Host, run: RunContext, execution: CheckExecution): Promise<HttpResponse> {
  if (host === 'identity-provider') return run.provider.discovery()
  const window = await new EventSearchSteps(run, execution).controlWindow()
  return new EventHub(run.http, run.target).search({ ...window, ...defaultPaging })
}

function sendUnknown(host: Host, { http, target }: RunContext): Promise<HttpResponse> {
  const base = host === 'partner-api' ? target.partnerApiUrl : target.issuer
  const url = new URL(`${base?.replace(/\/$/, '')}${unknownPath}`)
  return http.send({ method: 'GET', url, retry: 'safe' })
}

function isAlike({ status, mediaType }: HttpResponse, { response }: Exchange): boolean {
  return status === blocked && mediaType === (response?.body?.mediaType ?? '')
}
