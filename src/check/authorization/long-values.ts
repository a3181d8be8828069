import type { Agent } from '../../browser/index.ts'
import {
  type AuthorizationRequest,
  authorizationRequest,
  type Changes,
} from '../../oauth/authorization-request.ts'
import { veryLongRandomValue } from '../../oauth/pkce.ts'
import type { Application } from '../../target/target.ts'
import type { RunContext } from '../run-context.ts'
import { type CompletedLanding, codeInQuery } from './landing-content.ts'
import { reservedState } from './long-state.ts'
import { sendAuthorization } from './send-authorization.ts'

interface Request {
  readonly application: Application
  readonly changes: Changes
  /** The code_verifier; by default a new one of 43 characters. */
  readonly verifier?: string | undefined
}

/**
 * Sends a request whose state and nonce have more than 255 characters, for a user who signs in. After a redirect
 * without a code, sends a second request with such values: if it returns a code, the values were not the reason. If
 * either request returns a code, both count as valid requests.
 * @returns undefined if neither request returns a code in the query
 */
export async function codeForLongValues(
  run: RunContext,
  agent: Agent,
  { application, changes, verifier }: Request,
): Promise<{ readonly code: string; readonly request: AuthorizationRequest } | undefined> {
  const send = async (): Promise<{ request: AuthorizationRequest; landing: CompletedLanding }> => {
    const values = { state: reservedState(), nonce: veryLongRandomValue(), ...changes }
    const request = authorizationRequest(run.target, values, application, verifier)
    return { request, landing: await sendAuthorization(run, agent, request, 'sign-in', { mustReturn: true }) }
  }
  const first = await send()
  const isRefused = codeInQuery(first.landing) === undefined && first.landing.kind === 'redirect'
  const { request, landing } = isRefused ? await send() : first
  const code = codeInQuery(landing)
  if (code === undefined) return undefined
  run.validRequests.authorizations.add(first.request).add(request)
  return { code, request }
}
