import { describe, kindOf } from '../../src/check/expect.ts'
import { codeOf, describeLanding } from '../../src/check/landing.ts'
import { partnerHeaders } from '../../src/event-hub/search.ts'
import { alteredRedirectUris } from '../../src/oauth/redirect-uri.ts'
import { check } from './requirements.ts'

const login = { effects: ['login'], needs: ['user'] } as const

check(
  'PLATFORM-REDIRECT-MISMATCH',
  'an unregistered redirect URI is answered 400 or 302',
  login,
  async ({ identity, expect, target, inconclusive }) => {
    const [altered] = alteredRedirectUris(target.application.redirectUri)
    if (!altered) return inconclusive('REDIRECT_URI cannot be altered', 'configuration')
    expect.sending(`a good request whose redirect URI has another ${altered[0]}`)
    const { landing } = await identity.authorize('signed-in', { redirect_uri: altered[1] })
    if (codeOf(landing) !== undefined) return inconclusive('a code was issued; see AUTHZ-REDIRECT-URI-EXACT')
    if (landing.kind !== 'redirect' && landing.kind !== 'page') {
      return inconclusive(`${describeLanding(landing)}, which does not tell`)
    }
    // A 302 may lead to an error page of the provider, whose own status is then its business.
    const documented =
      landing.kind === 'redirect' ? landing.status === 302 : landing.status === 400 || landing.redirected
    expect.that(documented, 'status 400, or a 302', `${describeLanding(landing)} (status ${landing.status})`)
  },
)

check(
  'PLATFORM-MACHINE-TO-MACHINE',
  'client_credentials brings no token',
  login,
  async ({ identity, expect }) => {
    await identity.exchangeControl()
    expect.sending('grant_type=client_credentials with the credentials of the application')
    const response = await identity.provider.token([['grant_type', 'client_credentials']])
    expect.that(
      response.object?.access_token === undefined,
      'a refusal without a token',
      `it was answered ${describe(response)}`,
    )
  },
)

check('PLATFORM-NOT-FOUND', 'an address that does not exist is answered 404', async ({ events, expect }) => {
  const response = await events.answerAt('/events/plumbline-no-such-resource')
  expect.status(response, 404)
  events.givesNoEvent(response)
})

check(
  'PLATFORM-FEATURE-DISABLED',
  'FEATURE_DISABLED comes with type and message',
  { needs: ['unentitledPartner'] },
  async ({ events, expect, target, notApplicable }) => {
    if (!target.unentitledPartner) return
    const response = await events.answerTo(
      partnerHeaders(target.unentitledPartner),
      'with credentials of a partner without the Event Hub',
    )
    if (response.object?.type !== 'FEATURE_DISABLED') {
      return notApplicable('the refusal of the unentitled partner does not name FEATURE_DISABLED', 'target')
    }
    expect.status(response, 403)
    const { message } = expect.object(response)
    expect.that(typeof message === 'string', 'message as a string', `it was ${kindOf(message)}`)
  },
)
