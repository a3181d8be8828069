import { expectRefused, outcomeOf } from '../../src/check/landing.ts'
import { codeVerifier } from '../../src/oauth/pkce.ts'
import { check } from './requirements.ts'

const login = { effects: ['login'], needs: ['user'] } as const

check(
  'AUTHZ-PKCE-REQUIRED',
  'a request without PKCE is refused',
  login,
  async ({ authorization, expect }) => {
    expect.sending('a good request without code_challenge and code_challenge_method')
    const { landing } = await authorization.authorize('signed-in', {
      code_challenge: null,
      code_challenge_method: null,
    })
    expectRefused(expect, landing, 'invalid_request')
  },
)

check(
  'AUTHZ-CHALLENGE-REQUIRED',
  'a challenge method without a challenge is refused',
  login,
  async ({ authorization, expect }) => {
    expect.sending('a good request without code_challenge')
    const { landing } = await authorization.authorize('signed-in', { code_challenge: null })
    expectRefused(expect, landing, 'invalid_request')
  },
)

check(
  'AUTHZ-CHALLENGE-METHOD-REQUIRED',
  'a challenge without its method is refused',
  login,
  async ({ authorization, expect }) => {
    expect.sending('a good request without code_challenge_method')
    const { landing } = await authorization.authorize('signed-in', { code_challenge_method: null })
    expectRefused(expect, landing, 'invalid_request')
  },
)

check(
  'AUTHZ-PKCE-S256-ONLY',
  'the challenge method plain is refused',
  login,
  async ({ authorization, expect }) => {
    expect.sending('a good request with code_challenge_method=plain and a verifier as its challenge')
    const { landing } = await authorization.authorize('signed-in', {
      code_challenge: codeVerifier(),
      code_challenge_method: 'plain',
    })
    expectRefused(expect, landing, 'invalid_request')
  },
)

check(
  'AUTHZ-PKCE-S256-ONLY',
  'the challenge method s256 in lower case is refused',
  login,
  async ({ authorization, expect }) => {
    expect.sending('a good request with code_challenge_method=s256')
    const { landing } = await authorization.authorize('signed-in', { code_challenge_method: 's256' })
    expectRefused(expect, landing, 'invalid_request')
  },
)

check(
  'AUTHZ-MALFORMED',
  'what becomes of a challenge that is too short is recorded',
  login,
  async ({ authorization, observe }) => {
    const { landing } = await authorization.authorize('passive', { code_challenge: 'too-short' })
    observe('authorization.malformed-challenge', outcomeOf(landing))
  },
)
