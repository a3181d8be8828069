import { defineArea } from '../../src/check/catalogue.ts'
import type { Requirement } from '../../src/check/requirement.ts'

const bearer = 'Errors: Bearer-token errors'

const must = (section: string, statement: string, ambiguity?: string): Requirement => ({
  section,
  level: 'must',
  statement,
  ...(ambiguity !== undefined && { ambiguity }),
})

const area = {
  name: 'userinfo',
  title: 'UserInfo',
  order: 6,
  host: 'identity-provider',
} as const

const requirements = {
  'USERINFO-BEARER': must(
    'UserInfo',
    'A good access token as bearer credential is answered with success.',
    'The body is not shown; JSON is only asked for by the Accept header. Whether a refresh or another login ends an access token is not said either, so the newest one is sent, and one of the moment decides.',
  ),
  'USERINFO-TOKEN-REQUIRED': must(
    'Authentication, 3',
    'Without an access token there are no claims.',
    'The form of this refusal is not shown.',
  ),
  'USERINFO-CLAIMS': {
    section: 'ID token / access token claims checked by clients',
    level: 'silent',
    statement: 'Which claims user-info holds is not shown.',
  },
  'USERINFO-MALFORMED-TOKEN': must(bearer, 'Something that is no access token is refused with status 401.'),
  'USERINFO-TAMPERED-TOKEN': must(
    bearer,
    'An access token with an altered signature is refused with status 401.',
  ),
  'USERINFO-ALTERED-CLAIMS': must(
    bearer,
    'An access token whose claims do not belong to its signature is refused with status 401.',
  ),
  'USERINFO-UNSIGNED-TOKEN': must(
    bearer,
    'An access token that names no algorithm and has no signature is refused with status 401.',
  ),
  'USERINFO-EXPIRED-TOKEN': must(
    bearer,
    'An expired access token is refused with status 401.',
    'Tried only where tokens live for two minutes at most; a minute of difference between clocks is allowed.',
  ),
  'USERINFO-REVOKED-TOKEN': {
    ...must(bearer, 'A revoked access token is refused with status 401.'),
    reason: 'The interface has no way to revoke a token',
  },
  'USERINFO-REFUSED-CLAIMS': must(
    'Authentication, 3',
    'The refusal of an access token holds no claims of a user.',
    'Which claims user-info holds is not shown: what stands in the answer to a good token as well is taken for one.',
  ),
  'USERINFO-CHALLENGE': must(
    bearer,
    'A refused access token is answered with a Bearer challenge in WWW-Authenticate.',
    'Other challenges may stand beside it, in any order and with any quoting (RFC 9110, 11.6.1).',
  ),
  'USERINFO-CHALLENGE-ERROR': must(
    bearer,
    'The Bearer challenge to a refused access token names invalid_token.',
    'Judged on every kind of refused token that was tried.',
  ),
  'USERINFO-INSUFFICIENT-SCOPE': {
    ...must(
      bearer,
      'An access token that lacks a required scope is refused with 403 and insufficient_scope.',
    ),
    reason:
      'Which scope user-info requires is not shown, and without openid, the only scope known, there are no tokens',
  },
  'CLIENT-REFRESH-ONCE': {
    section: bearer,
    level: 'client',
    statement: 'A client whose access token is refused as invalid_token refreshes and tries again once.',
    reason:
      'Plumbline asks user-info through TokenKeeper (src/oauth/token-keeper.ts), and tests/oauth/token-keeper.test.ts counts what it sends',
  },
} as const satisfies Readonly<Record<string, Requirement>>

export const { check } = defineArea(area, requirements)

declare module '../../src/check/requirement.ts' {
  interface RequirementIds extends Record<keyof typeof requirements, true> {}
}
