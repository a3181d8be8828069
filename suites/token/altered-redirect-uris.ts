import { exchangesOfOneCode } from '../../src/check/exchanges-of-one-code.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import { type Alteration, alteredRedirectUri } from '../../src/oauth/redirect-uri.ts'

/** Differences of the redirect URI that are tried with one code. */
const withOneCode = [
  'trailing slash',
  'letter case',
  'query',
  'port',
  'scheme',
] as const satisfies Alteration[]

type Context = Pick<CheckContext, 'run' | 'authorization' | 'tokens' | 'application' | 'once'>

/**
 * The responses to code exchanges that are valid except for their redirect URI, each sent once per run.
 * @returns no response for a difference that the registered redirect URI cannot have
 */
export function exchangesWithAlteredUris({
  run,
  authorization,
  tokens,
  application,
  once,
}: Context): Promise<ReadonlyMap<(typeof withOneCode)[number], HttpResponse>> {
  const altered = (alteration: Alteration) => alteredRedirectUri(application.redirectUri, alteration)
  return once('exchanges with altered redirect URIs', async () => {
    await tokens.control()
    const first = await authorization.spareCode('auth_level in place of acr_values')
    const { responses } = await exchangesOfOneCode(run, first, {
      flaws: withOneCode.filter((alteration) => altered(alteration) !== undefined),
      newCode: () => authorization.code(),
      send: (code, alteration) =>
        tokens.alteredExchange(code, { redirect_uri: altered(alteration)?.uri ?? null }),
      sendValid: (code) => tokens.alteredExchange(code),
    })
    return responses
  })
}
