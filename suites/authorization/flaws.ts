import type { RefusalId } from '../../src/check/authorization/authorization-errors.ts'
import { reservedState } from '../../src/check/authorization/long-state.ts'
import type { UserBehaviour } from '../../src/check/authorization/user-behaviour.ts'
import type { Changes } from '../../src/oauth/authorization-request.ts'
import { codeVerifier } from '../../src/oauth/pkce.ts'
import type { Target } from '../../src/target/target.ts'

/** One difference from the valid authorization request. The specification requires the refusal of such a request. */
export interface RequestFlaw {
  /** The requirement that nothing is issued. `…-ERROR` is the requirement on the error name. */
  readonly requirement: RefusalId
  /** Follows the word "request". */
  readonly difference: string
  readonly user: UserBehaviour
  readonly changes: (target: Target) => Changes
  /** Every error name that the specification documents for the flaw. */
  readonly errors: readonly string[]
}

/** A flaw of a request in the session of the signed-in user. @param errors by default invalid_request */
function flaw<const Id extends RefusalId>(
  requirement: Id,
  difference: string,
  changes: Changes | ((target: Target) => Changes),
  errors: readonly string[] = ['invalid_request'],
) {
  const changed = typeof changes === 'function' ? changes : () => changes
  return { requirement, difference, user: 'signed-in', changes: changed, errors } as const
}

/** The same flaw in a request without a session. Other requests have similar flaws in the session. */
function sentWithoutSession<const Flaw extends ReturnType<typeof flaw>>(request: Flaw) {
  return { ...request, user: 'new-login' } as const
}

/** Changes to a request without PKCE. */
export const pkceOmitted = { code_challenge: null, code_challenge_method: null }
/** The challenge method `plain`, with a challenge that this method permits. */
export const methodPlain = {
  difference: 'with `code_challenge_method=plain` and a verifier as its challenge',
  changes: () => ({ code_challenge: codeVerifier(), code_challenge_method: 'plain' }),
}

const openidErrors = ['invalid_request', 'invalid_scope']
const responseTypeErrors = ['unsupported_response_type']

/**
 * Response types that the specification does not support. The requests for `token` and `id_token` omit PKCE, which only
 * protects codes.
 */
export const unsupportedResponseTypes = [
  flaw(
    'AUTHZ-RESPONSE-TYPE',
    'with `response_type=token` and without PKCE',
    { response_type: 'token', ...pkceOmitted },
    responseTypeErrors,
  ),
  flaw(
    'AUTHZ-RESPONSE-TYPE',
    'with the unknown `response_type=plumbline`',
    { response_type: 'plumbline' },
    responseTypeErrors,
  ),
  flaw(
    'AUTHZ-RESPONSE-TYPE-ID-TOKEN',
    'with `response_type=id_token` and without PKCE',
    { response_type: 'id_token', ...pkceOmitted },
    responseTypeErrors,
  ),
  flaw(
    'AUTHZ-RESPONSE-TYPE-HYBRID',
    'with `response_type=code id_token`',
    { response_type: 'code id_token' },
    responseTypeErrors,
  ),
  flaw(
    'AUTHZ-RESPONSE-TYPE-HYBRID',
    'with `response_type=code token`',
    { response_type: 'code token' },
    responseTypeErrors,
  ),
] as const

/** Missing and malformed parameters. */
export const malformedRequests = [
  flaw('AUTHZ-RESPONSE-TYPE-REQUIRED', 'without `response_type`', { response_type: null }, [
    'invalid_request',
    ...responseTypeErrors,
  ]),
  flaw('AUTHZ-STATE-REQUIRED', 'without `state`', { state: null }),
  flaw('AUTHZ-STATE-REQUIRED', 'with an empty `state`', { state: '' }),
  flaw('AUTHZ-NONCE-REQUIRED', 'without `nonce`', { nonce: null }),
  flaw('AUTHZ-NONCE-REQUIRED', 'with an empty `nonce`', { nonce: '' }),
  sentWithoutSession(
    flaw(
      'AUTHZ-PKCE-REQUIRED',
      'without PKCE (neither `code_challenge` nor `code_challenge_method`)',
      pkceOmitted,
    ),
  ),
  flaw('AUTHZ-CHALLENGE-REQUIRED', 'without `code_challenge`', { code_challenge: null }),
  flaw('AUTHZ-CHALLENGE-METHOD-REQUIRED', 'without `code_challenge_method`', { code_challenge_method: null }),
  sentWithoutSession(flaw('AUTHZ-PKCE-S256-ONLY', methodPlain.difference, methodPlain.changes)),
  flaw('AUTHZ-PKCE-S256-ONLY', 'with `code_challenge_method=s256` in lower case', {
    code_challenge_method: 's256',
  }),
  flaw('AUTHZ-SCOPE-REQUIRED', 'without `scope`', { scope: null }, openidErrors),
  sentWithoutSession(
    flaw(
      'AUTHZ-OPENID-SCOPE',
      'whose scope lacks `openid`',
      ({ scope }) => ({ scope: others(scope).join(' ') || 'profile' }),
      openidErrors,
    ),
  ),
  flaw(
    'AUTHZ-OPENID-SCOPE',
    'with `xopenidx` in place of `openid`',
    ({ scope }) => ({ scope: ['xopenidx', ...others(scope)].join(' ') }),
    openidErrors,
  ),
] as const

/** A login that the user cancels. The state has reserved characters, for AUTHZ-ERROR-STATE. */
export const cancellation = {
  requirement: 'AUTHZ-USER-CANCEL',
  difference: 'that the user cancels',
  user: 'cancelling',
  changes: () => ({ state: reservedState() }),
  errors: ['access_denied'],
} as const satisfies RequestFlaw

/** prompt=none without a session. The state has reserved characters, for AUTHZ-ERROR-STATE. */
export const silentLogin = {
  requirement: 'AUTHZ-PROMPT-NONE',
  difference: 'with prompt=none and without a session',
  user: 'anonymous',
  changes: () => ({ prompt: 'none', state: reservedState() }),
  errors: ['login_required', 'interaction_required', 'consent_required'],
} as const satisfies RequestFlaw

/** The error names of a flaw, for the name of a check. */
export function quotedNames(names: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names.map((name) => `\`${name}\``))
}

function others(scope: string): string[] {
  return scope.split(' ').filter((one) => one !== 'openid')
}
