import { codeOf, errorOf, expectRedirect, expectRefused } from '../../src/check/landing.ts'
import { codeVerifier } from '../../src/oauth/pkce.ts'
import { check } from './requirements.ts'

const login = { effects: ['login'], needs: ['user'] } as const

check('AUTHZ-STATE-REQUIRED', 'a request without state is refused', login, async ({ identity, expect }) => {
  expect.sending('a good request without state')
  const { landing } = await identity.authorize('signed-in', { state: null })
  expectRefused(expect, landing, 'invalid_request')
})

check('AUTHZ-NONCE-REQUIRED', 'a request without nonce is refused', login, async ({ identity, expect }) => {
  expect.sending('a good request without nonce')
  const { landing } = await identity.authorize('signed-in', { nonce: null })
  expectRefused(expect, landing, 'invalid_request')
})

check('AUTHZ-PKCE-REQUIRED', 'a request without PKCE is refused', login, async ({ identity, expect }) => {
  expect.sending('a good request without code_challenge and code_challenge_method')
  const { landing } = await identity.authorize('signed-in', {
    code_challenge: null,
    code_challenge_method: null,
  })
  expectRefused(expect, landing, 'invalid_request')
})

check(
  'AUTHZ-PKCE-S256-ONLY',
  'the challenge method plain is refused',
  login,
  async ({ identity, expect }) => {
    expect.sending('a good request with code_challenge_method=plain and a verifier as its challenge')
    const { landing } = await identity.authorize('signed-in', {
      code_challenge: codeVerifier(),
      code_challenge_method: 'plain',
    })
    expectRefused(expect, landing, 'invalid_request')
  },
)

check(
  'AUTHZ-OPENID-SCOPE',
  'a scope without openid is refused',
  login,
  async ({ identity, expect, target }) => {
    const others = target.scope.split(' ').filter((scope) => scope !== 'openid')
    expect.sending('a good request whose scope lacks openid')
    const { landing } = await identity.authorize('signed-in', { scope: others.join(' ') || 'profile' })
    expectRefused(expect, landing, 'invalid_request', 'invalid_scope')
  },
)

check('AUTHZ-RESPONSE-TYPE', 'response_type=token is refused', login, async ({ identity, expect }) => {
  expect.sending('a good request with response_type=token')
  const { landing } = await identity.refusedAuthorization()
  expectRefused(expect, landing, 'unsupported_response_type')
})

check(
  'AUTHZ-REDIRECT-302',
  'an error comes as a redirect with status 302',
  login,
  async ({ identity, expect, inconclusive }) => {
    expect.sending('a good request with response_type=token')
    const { landing } = await identity.refusedAuthorization()
    if (codeOf(landing) !== undefined) return inconclusive('it was not refused; see AUTHZ-RESPONSE-TYPE')
    const redirect = expectRedirect(expect, landing)
    expect.that(errorOf(redirect) !== undefined, 'a redirect with an error', 'the redirect names none')
    expect.that(redirect.status === 302, 'status 302', `the redirect had status ${redirect.status}`)
  },
)

check(
  'AUTHZ-PROMPT-NONE',
  'prompt=none without a session shows no page',
  login,
  async ({ identity, expect }) => {
    await identity.firstCode()
    expect.sending('a good request with prompt=none and a fresh cookie jar')
    const { landing } = await identity.authorize('nobody', { prompt: 'none' })
    expectRefused(expect, expectRedirect(expect, landing), 'login_required', 'interaction_required')
  },
)

check(
  'AUTHZ-USER-CANCEL',
  'a user who cancels comes back with access_denied',
  login,
  async ({ identity, expect }) => {
    await identity.firstCode()
    expect.sending('a good request, cancelled by the user')
    const { landing } = await identity.authorize('canceller')
    expectRefused(expect, expectRedirect(expect, landing), 'access_denied')
  },
)
