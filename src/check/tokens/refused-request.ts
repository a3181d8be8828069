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
 * Sends a request that must be refused, and once more if the reason of the refusal may have been temporary.
 * @param isExpected whether a response needs no second attempt
 * @param application whose credentials the request has, correct or altered
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
 * Requires that a refusal concerns its request. If it may concern the client, or has no error, like the refusal of a
 * gateway, a valid code exchange decides.
 * @returns whether the reason may have been temporary, a lock or a gateway, so that the request is worth a second
 * attempt
 * @throws {Inconclusive} if the target refuses the exchange
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
