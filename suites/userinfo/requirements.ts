import { defineArea } from '../../src/check/catalogue.ts'
import { must, type Requirement, silent } from '../../src/check/requirement.ts'
import { capitalized } from '../../src/text/format.ts'

const bearer = 'Errors: Bearer-token errors'

const invalidToken = (credential: string): Requirement =>
  must(
    bearer,
    `${capitalized(credential)} is refused with 401, the status of \`invalid_token\`.`,
    'The error in the challenge is judged once for all refused tokens (USERINFO-CHALLENGE-ERROR).',
  )

/** The interpretation of the requirements to refuse an ID token or a refresh token. */
const otherToken =
  'Any refusal without claims of a user passes. If the target accepts even a credential that is not a token, only USERINFO-MALFORMED-TOKEN is violated, and this requirement is inconclusive.'

const area = {
  name: 'userinfo',
  title: 'UserInfo',
  order: 6,
  host: 'identity-provider',
  needs: ['application'],
} as const

const requirements = {
  'USERINFO-BEARER': must(
    'UserInfo',
    'A request with a valid access token returns 200, however often the token is used.',
    'The claims are not specified: any JSON object or JWT passes, except an object with an `error` and no `sub`. Whether a refresh or another login invalidates an access token is not specified either: if an earlier token is refused, the response to a new token decides. If the target accepts a token, refuses it, and accepts it again, that is a violation. If it refuses a token at first and accepts it later, Plumbline records that.',
  ),
  'USERINFO-REFRESHED-TOKEN': must(
    'Token: refresh',
    'A request with a refreshed access token returns 200.',
    'If the token is refused with 401, which another login may cause, Plumbline obtains new tokens, refreshes them and judges the second response.',
  ),
  'USERINFO-TOKEN-REQUIRED': must(
    'Authentication, 3',
    'A request without an access token receives no claims.',
    'The form and status of this refusal are not specified: a page with status 200 passes too, such as a login page, if it contains no claims.',
  ),
  'USERINFO-CLAIMS': silent(
    'ID token / access token claims checked by clients',
    'The claims of UserInfo are not specified.',
  ),
  'USERINFO-MALFORMED-TOKEN': must(bearer, 'A credential that is not an access token is refused.'),
  'USERINFO-MALFORMED-TOKEN-ERROR': invalidToken('a credential that is not an access token'),
  'USERINFO-ID-TOKEN': must('Authentication, 3', 'An ID token is refused as an access token.', otherToken),
  'USERINFO-REFRESH-TOKEN': must(
    'Authentication, 3',
    'A refresh token is refused as an access token.',
    otherToken,
  ),
  'USERINFO-TAMPERED-TOKEN': must(bearer, 'An access token with an altered signature is refused.'),
  'USERINFO-TAMPERED-TOKEN-ERROR': invalidToken('an access token with an altered signature'),
  'USERINFO-ALTERED-CLAIMS': must(
    bearer,
    'An access token whose claims were altered is refused, even if it was signed again: with the public key as a shared secret, or with a key in its header.',
  ),
  'USERINFO-ALTERED-CLAIMS-ERROR': invalidToken('an access token whose claims were altered'),
  'USERINFO-UNSIGNED-TOKEN': must(
    bearer,
    'An access token without a signature is refused, whether its `alg` is `none` or unchanged.',
  ),
  'USERINFO-UNSIGNED-TOKEN-ERROR': invalidToken('an access token without a signature'),
  'USERINFO-EXPIRED-TOKEN': must(
    bearer,
    'An expired access token is refused.',
    'If the lifetime of a token is at most LONGEST_LIFETIME, Plumbline waits for its expiry, and a minute longer if the target still accepts it, because clocks may differ.',
  ),
  'USERINFO-EXPIRED-TOKEN-ERROR': invalidToken('an expired access token'),
  'USERINFO-REVOKED-TOKEN': {
    ...must(bearer, 'A revoked access token is refused with status 401.'),
    reason: 'The interface has no way to revoke a token',
  },
  'USERINFO-REFUSED-CLAIMS': must(
    'Authentication, 3',
    'The refusal of an access token contains no claims of a user.',
    'The claims of UserInfo are not specified: every member of the response to a valid token counts as a claim. There are two exceptions. A non-standard member does not count if the refusal of a request without an access token has it, too. Claims of the refused token itself do not count either, because the caller presented them.',
  ),
  'USERINFO-CHALLENGE': must(
    bearer,
    'The 401 for a refused access token has a Bearer challenge in `WWW-Authenticate`.',
    'The response may have other challenges, in any order and with any quoting (RFC 9110, 11.6.1).',
  ),
  'USERINFO-CHALLENGE-ERROR': must(
    bearer,
    'The Bearer challenge to a refused access token has the error `invalid_token`.',
    'The checks judge the refusals with status 401, one for each kind of bad token. An expired token needs ENABLE=slow.',
  ),
  'USERINFO-INSUFFICIENT-SCOPE': {
    ...must(bearer, 'An access token without a required scope is refused with 403 and `insufficient_scope`.'),
    reason:
      'The scope that UserInfo requires is not specified. The only documented scope is `openid`, without which the provider issues no tokens',
  },
  'CLIENT-REFRESH-ONCE': {
    section: bearer,
    level: 'client',
    statement: 'A partner whose access token is refused with `invalid_token` refreshes and retries once.',
    reason:
      'Plumbline sends access tokens through TokenKeeper (src/oauth/token-keeper.ts), which refreshes and retries once; tests/oauth/token-keeper.test.ts counts its requests',
  },
} as const satisfies Readonly<Record<string, Requirement>>

export const { check } = defineArea(area, requirements)

declare module '../../src/check/requirement.ts' {
  interface RequirementIds extends Record<keyof typeof requirements, true> {}
}
