import { EventHub } from '../event-hub/search.ts'
import { type Exchange, isServiceResponse } from '../evidence/exchange.ts'
import type { HttpResponse } from '../http/response.ts'
import { authorizationRequest } from '../oauth/authorization-request.ts'
import { endpoint } from '../oauth/endpoints.ts'
import { unknownPath } from './events/refused-search.ts'
import { EventSearchSteps } from './events/search-steps.ts'
import type { CheckExecution } from './execution.ts'
import { describe } from './expect.ts'
import { unlessUndecided } from './obstacle.ts'
import type { Host } from './requirement.ts'
import { retryWhileRefused } from './retry-after-failure.ts'
import type { RunContext, UnusableHost } from './run-context.ts'
import { Inconclusive, Violation } from './verdict.ts'

/**
 * Finds out, after a violation or an inconclusive check, whether a host can no longer be checked: it refuses valid
 * authorization requests or the credentials of the partner, or a gateway responds in its place. The remaining checks
 * of the host then send nothing, and are inconclusive.
 * @returns undefined if the host can still be checked
 */
export async function findRefusingHost(
  run: RunContext,
  execution: CheckExecution,
  error: unknown,
): Promise<UnusableHost | undefined> {
  if (!(error instanceof Violation || error instanceof Inconclusive)) return undefined
  const suspect = execution.evidence.findLast((exchange) => mayConcernAll(exchange, run))
  const host = suspect && hostOf(run, suspect)
  if (!host) return undefined
  // A violation always needs a new control (valid request). An inconclusive check needs none if an earlier control
  // already followed a refusal with the same address and status.
  if (error instanceof Inconclusive && run.questionedRefusals.has(suspect)) return undefined
  run.questionedRefusals.add(suspect)
  const send = () => sendControl(host, run, execution, suspect)
  const control = await unlessUndecided(
    retryWhileRefused(run.budget, send, (response) => isAlike(response, suspect)),
  )
  if (!control || !isAlike(control, suspect)) return undefined
  if (isPartnerRefused(host, control.status)) return markUnusable(run, host, endedCredentials(control))
  const toUnknownPath = await unlessUndecided(sendToUnknownPath(host, run, suspect))
  if (toUnknownPath && isAlike(toUnknownPath, suspect))
    return markUnusable(run, host, blockedByGateway(host, control))
  return isRefusedAuthorization(suspect, run)
    ? markUnusable(run, host, refusedAuthorization(control))
    : undefined
}

function markUnusable(run: RunContext, host: Host, refusal: UnusableHost): UnusableHost {
  run.unusableHosts[host] = refusal
  return refusal
}

function endedCredentials(control: HttpResponse): UnusableHost {
  return {
    reason: `the partner API refuses valid searches (${describe(control)}) that it accepted earlier in the run`,
    cause: 'environment',
    advice:
      'ask the operators of the target whether the secret of PARTNER_CLIENT_ID expired or was revoked during the run',
  }
}

function refusedAuthorization(control: HttpResponse): UnusableHost {
  return {
    reason: `the identity provider now refuses valid authorization requests (${describe(control)}), although it accepted them earlier in the run`,
    cause: 'environment',
    advice:
      'open the login page in your own browser; ask the operators of the target whether a firewall blocks this machine or the application',
  }
}

function blockedByGateway(host: Host, control: HttpResponse): UnusableHost {
  const name = host === 'partner-api' ? 'the partner API' : 'the identity provider'
  return {
    reason: `a gateway seems to block this machine or the service: the response of ${name} to every request is ${describe(control)}, although it accepted requests earlier in the run`,
    cause: 'throttled',
    advice:
      'wait until the block or the maintenance has ended, and set a lower REQUESTS_PER_SECOND; or ask the operators of the target to exempt this machine',
  }
}

function isPartnerRefused(host: Host, status: number): boolean {
  return host === 'partner-api' && status === 401
}

/**
 * Whether a host that accepted requests earlier may now send a response like this to every request. This requires
 * that no later request received 2xx with JSON or a JWT, and that the response is one of these:
 * - 403, or another 4xx (except 429) without an OAuth error;
 * - if the host accepted its control earlier: 404, 401 of the partner API, 3xx, or 2xx without JSON.
 */
function mayConcernAll(exchange: Exchange, run: RunContext): boolean {
  const { request, response, number } = exchange
  const host = hostOf(run, exchange)
  if (!response || !host || !run.recorder.hasAccepted(request.url)) return false
  if (run.recorder.lastServed(request.url) > number) return false
  const { status, body } = response
  const hasWorked = run.controls.hasWorked(controlOf[host])
  if (status === 429 || status >= 500) return false
  if (status < 400) return hasWorked && !isServiceResponse(response)
  if (status === 404 || isPartnerRefused(host, status)) return hasWorked
  return status === 403 || body?.error === undefined
}

/** The valid request that shows whether a host accepts requests. */
const controlOf = { 'identity-provider': 'discovery', 'partner-api': 'event search' } as const

/** The host of a request. If the base addresses of both hosts fit, the longer one decides. */
function hostOf({ target }: RunContext, { request }: Exchange): Host | undefined {
  const bases = [
    ['identity-provider', target.issuer],
    ['partner-api', target.partnerApiUrl],
  ] as const
  return bases
    .filter(([, base]) => base !== undefined && request.url.startsWith(base))
    .sort(([, a = ''], [, b = '']) => b.length - a.length)[0]?.[0]
}

/**
 * Sends a valid request to the host of a suspect response. After a refused authorization request, this is an
 * authorization request, because a gateway may block all paths except that of discovery.
 */
async function sendControl(
  host: Host,
  run: RunContext,
  execution: CheckExecution,
  suspect: Exchange,
): Promise<HttpResponse> {
  if (isRefusedAuthorization(suspect, run)) {
    const { url, state, nonce, verifier } = authorizationRequest(run.target)
    run.vault.add(state, nonce, verifier)
    return run.http.send({ method: 'GET', url, retry: 'safe' })
  }
  if (host === 'identity-provider') return run.provider.discovery()
  const query = await new EventSearchSteps(run, execution).controlQuery()
  // Not sent with `EventSearchSteps`, which logs searches: checks judge the searches in the log.
  return new EventHub(run.http, run.target).search(query)
}

/** Sends a request for a path that no service has, below the refused address or the base address of the host. */
function sendToUnknownPath(host: Host, run: RunContext, suspect: Exchange): Promise<HttpResponse> {
  const { target, http } = run
  const hostAddress = host === 'partner-api' ? target.partnerApiUrl : target.issuer
  const base = isRefusedAuthorization(suspect, run) ? endpoint(target, 'authorization').href : hostAddress
  return http.send({ method: 'GET', url: new URL(`${base}${unknownPath}`), retry: 'safe' })
}

/** Whether an exchange is a refused authorization request, after the provider accepted a valid one. */
function isRefusedAuthorization({ request, response }: Exchange, { target, controls }: RunContext): boolean {
  const isAuthorization = request.url.split('?')[0] === endpoint(target, 'authorization').href
  return isAuthorization && (response?.status ?? 0) >= 400 && controls.hasWorked('authorization')
}

/** Whether a response may come from the service or gateway that sent an earlier response. */
export function isAlike({ status, mediaType }: HttpResponse, { response }: Exchange): boolean {
  // Media types of refusals are not compared: a gateway may choose them by the Accept header of the request.
  return status === response?.status && (status >= 300 || mediaType === response.body?.mediaType)
}
