import type { Code } from '../../src/check/authorization-steps.ts'
import { isTokenRefusal } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import { type Alteration, alteredRedirectUri } from '../../src/oauth/redirect-uri.ts'
import { issuedAccessToken } from '../../src/oauth/token-keeper.ts'

/** Differences of the redirect URI that are tried with one code. */
const withOneCode = [
  'trailing slash',
  'letter case',
  'query',
  'port',
  'scheme',
] as const satisfies Alteration[]

type AlterationOfExchange = (typeof withOneCode)[number]

type Context = Pick<CheckContext, 'run' | 'authorization' | 'tokens' | 'application' | 'once'>
type Responses = Map<AlterationOfExchange, HttpResponse>

/**
 * The responses to code exchanges that are valid except for their redirect URI, each sent once per run. They share one
 * code, and its valid exchange follows. If that is refused, the target may end a code after a refused exchange, which
 * would explain all refusals but the first one: the others are repeated with a code of their own.
 * @returns no response for a difference that the registered redirect URI cannot have
 */
export function exchangesWithAlteredUris(context: Context): Promise<Responses> {
  const { authorization, tokens, application, once } = context
  return once('exchanges with altered redirect URIs', async () => {
    await tokens.control()
    const responses: Responses = new Map()
    let code = await authorization.spareCode('auth_level in place of acr_values')
    let refused: AlterationOfExchange[] = []
    for (const alteration of withOneCode) {
      if (!alteredRedirectUri(application.redirectUri, alteration)) continue
      const response = await alteredExchange(context, code, alteration)
      responses.set(alteration, response)
      if (isTokenRefusal(response)) refused.push(alteration)
      else {
        // The code was valid until now, and has been exchanged.
        refused = []
        code = await authorization.code()
      }
    }
    const [, ...later] = refused
    if (later.length === 0) return responses
    const valid = await tokens.alteredExchange(code)
    if (issuedAccessToken(valid) === undefined) await repeat(context, later, responses, valid)
    return responses
  })
}

/**
 * Repeats refused exchanges, each with a code of its own.
 * @param valid the refusal of a valid exchange. If the target accepts another one after a refused exchange, it had no
 * reason to refuse that.
 */
async function repeat(
  context: Context,
  refused: readonly AlterationOfExchange[],
  responses: Responses,
  valid: HttpResponse,
): Promise<void> {
  const { run, authorization, tokens, application } = context
  for (const [index, alteration] of refused.entries()) {
    const code = await authorization.code()
    responses.set(alteration, await alteredExchange(context, code, alteration))
    if (index === 0 && issuedAccessToken(await tokens.alteredExchange(code)) !== undefined)
      run.validRequests.exchanges.push({ applicationId: application.id, response: valid })
  }
}

function alteredExchange(
  { tokens, application }: Context,
  code: Code,
  alteration: AlterationOfExchange,
): Promise<HttpResponse> {
  const redirectUri = alteredRedirectUri(application.redirectUri, alteration)?.uri ?? null
  return tokens.alteredExchange(code, { redirect_uri: redirectUri })
}
