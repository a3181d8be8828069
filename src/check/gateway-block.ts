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

/**
 * Examines whether a gateway has begun to respond in place of a host, if one may have sent a response that a check judged:
 * it then responds alike to a valid request and to one for an unknown path. The remaining checks of the host are
 * inconclusive, and send nothing.
 */
export async function gatewayBlock(
  run: RunContext,
  execution: CheckExecution,
): Promise<UnreachableHost | undefined> {
  const judged = execution.evidence.findLast((exchange) => mayBeOfGateway(exchange, run))
  const host = judged && hostOf(run, judged)
  if (!host) return undefined
  const control = await unlessUndecided(sendControl(host, run, execution))
  if (!control || !isAlike(control, judged)) return undefined
  const unknown = await unlessUndecided(sendUnknown(host, run))
  if (!unknown || !isAlike(unknown, judged)) return undefined
  const name = host === 'partner-api' ? 'the partner API' : 'the identity provider'
  const block: UnreachableHost = {
    reason: `a gateway seems to block this machine or the service: the response of ${name} to every request is ${describe(control)}, although it accepted requests earlier in the run`,
    cause: 'throttled',
    advice:
      'wait until the block or the maintenance has ended, and set a lower REQUESTS_PER_SECOND; or ask the operators of the target to exempt this machine',
  }
  run.unreachableHosts[host] = block
  return block
}

/**
 * Whether a gateway may have sent a response: 403, or a page with another status. A gateway that limits requests sends 429,
 * which is handled as throttling. The host accepted requests before; if the response is a page that the host may send
 * itself, with 404 or a status of success, one of them was the control.
 */
function mayBeOfGateway(exchange: Exchange, run: RunContext): boolean {
  const { request, response, notSent, fromMemory } = exchange
  if (!response || notSent || fromMemory || !run.recorder.hasServed(request.url)) return false
  const { status, body } = response
  if (status === 403) return true
  if (body?.mediaType !== 'text/html' || status === 429 || status >= 500) return false
  const host = hostOf(run, exchange)
  const isUsual = status === 404 || status < 300
  return !isUsual || (host !== undefined && run.controls.hasWorked(controls[host]))
}

const controls = { 'identity-provider': 'discovery', 'partner-api': 'event search' } as const

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
  return status === response?.status && mediaType === (response.body?.mediaType ?? '')
}
