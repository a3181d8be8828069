import type { HttpResponse } from '../../http/response.ts'
import { applicationOf } from '../../target/parts.ts'
import type { Application } from '../../target/target.ts'
import { isText, isTokenRefusal } from '../expect.ts'
import type { RunContext } from '../run-context.ts'
import { clientRefusal } from './refused-client.ts'
import type { TokenSteps } from './token-steps.ts'

interface Context {
  readonly run: RunContext
  readonly tokens: Pick<TokenSteps, 'requireExchange'>
}

/**
 * Sends a request that must be refused. If the reason of the refusal may have been temporary, sends the request again.
 * @param isExpected whether a refusal is as expected, so that no second attempt is necessary
 * @param application the application whose credentials the request has, correct or altered
 * @throws {Inconclusive} if the target refuses valid requests, too
 */
export async function refusalOf(
  context: Context,
  send: () => Promise<HttpResponse>,
  isExpected: (response: HttpResponse) => boolean,
  application?: Application,
): Promise<HttpResponse> {
  const response = await send()
  if (!isTokenRefusal(response) || isExpected(response)) return response
  return (await requireReasonInRequest(context, response, application)) ? send() : response
}

/**
 * Requires that the reason of a refusal is in its request. The reason may be the client instead, or a gateway if the
 * refusal has no error. In both cases, a valid code exchange decides.
 * @returns whether the reason may have been temporary (a lock or a gateway), so that a second attempt is useful
 * @throws {Inconclusive} if the target refuses the valid exchange
 */
export async function requireReasonInRequest(
  { run, tokens }: Context,
  response: HttpResponse,
  application = applicationOf(run.target),
): Promise<boolean> {
  const refusal = clientRefusal(run, application, response)
  const hasError = isText(response.object?.error)
  if (refusal || !hasError) await tokens.requireExchange(application)
  return refusal === 'locked' || !hasError
}
