import { defineArea } from '../../src/check/catalogue.ts'
import { must, type Requirement, silent } from '../../src/check/requirement.ts'

const section = 'Introspection (unavailable to partners)'
const active = 'Introspection response (active token)'
const states = 'Token (introspection view)'
const optional = 'Whether the member is always present is not specified; an absent member is not compared.'

/** A requirement that is never violated, because introspection is not available to partners. */
const reference = (where: string, statement: string, interpretation?: string): Requirement => ({
  section: where,
  level: 'reference',
  statement,
  ...(interpretation !== undefined && { interpretation }),
})

const area = {
  name: 'introspection',
  title: 'Introspection',
  order: 7,
  host: 'identity-provider',
  needs: ['application'],
} as const

const requirements = {
  'INTROSPECTION-UNAVAILABLE': must(
    section,
    'An introspection request by a partner is refused.',
    'The checks send an access token and a refresh token. The HTML page with status 400 is only an observation on UAT, so any other form of refusal passes with a note. A member reveals nothing if the response for a nonexistent token has the same member with the same value. If the response describes the token, introspection is available: this requirement does not apply, and Plumbline compares the response with the reference section instead.',
  ),

  // Active token, member by member
  'INTROSPECTION-ACTIVE': reference(active, 'The response for a valid access token has `active: true`.'),
  'INTROSPECTION-SCOPE': reference(active, 'The `scope` of an active token is a string.', optional),
  'INTROSPECTION-CLIENT-ID': reference(
    active,
    'The `client_id` of an active token is the application.',
    optional,
  ),
  'INTROSPECTION-USERNAME': reference(
    active,
    'The `username` of an active token is an e-mail address.',
    optional,
  ),
  'INTROSPECTION-TOKEN-TYPE': reference(
    active,
    'The `token_type` of an active access token is Bearer.',
    `${optional} Token types are case-insensitive (RFC 6749, 5.1).`,
  ),
  'INTROSPECTION-EXP': reference(
    active,
    'The `exp` of an active token is a number of seconds in the future.',
    optional,
  ),
  'INTROSPECTION-IAT': reference(
    active,
    'The `iat` of an active token is a number of seconds in the past.',
    optional,
  ),
  'INTROSPECTION-NBF': reference(
    active,
    'The `nbf` of an active token is a number of seconds in the past.',
    optional,
  ),
  'INTROSPECTION-SUB': reference(
    active,
    'The `sub` in the response for an active token is that of the access token.',
    optional,
  ),
  'INTROSPECTION-AUD': reference(
    active,
    'The `aud` of an active token is a string, or an array of strings (RFC 7662, 2.2).',
    optional,
  ),
  'INTROSPECTION-ISS': reference(active, 'The `iss` of an active token is the issuer.', optional),
  'INTROSPECTION-JTI': reference(
    active,
    'The `jti` of an active token is a string, different for each token.',
    optional,
  ),

  // Inactive token
  'INTROSPECTION-INACTIVE': reference(
    active,
    'The response for a token that was never issued has `active: false`.',
  ),
  'INTROSPECTION-INACTIVE-ALONE': reference(
    active,
    'The response for an inactive token has only the member `active`.',
  ),
  'INTROSPECTION-INACTIVE-ALIKE': reference(
    states,
    'The responses for an unknown token and an altered one are equal.',
  ),
  'CLIENT-INACTIVE-ALIKE': {
    section: states,
    level: 'client',
    statement: 'A partner does not distinguish why a token is inactive.',
    reason: 'Plumbline only judges introspection responses, and does not act on them',
  },
  'INTROSPECTION-TAMPERED': reference(states, 'A token with an altered signature is not active.'),
  'INTROSPECTION-EXPIRED': reference(
    states,
    'An expired token is not active.',
    'If the lifetime of a token is at most LONGEST_LIFETIME, Plumbline waits for its expiry, and a minute longer if the target still reports it as active, because clocks may differ.',
  ),
  'INTROSPECTION-REVOKED': {
    ...reference(states, 'A revoked token is not active.'),
    reason: 'The interface has no way to revoke a token',
  },

  // The request
  'INTROSPECTION-REFRESH-TOKEN': reference(
    section,
    'The response for a valid refresh token has `active: true`.',
  ),
  'INTROSPECTION-HINT-IGNORED': reference(section, 'A wrong `token_type_hint` is ignored.'),
  'INTROSPECTION-TOKEN-REQUIRED': reference(
    section,
    'A request without `token` is refused with 400 and `invalid_request`.',
  ),
  'INTROSPECTION-CLIENT-AUTH': reference(
    section,
    'A request without client authentication is refused with 401 and `invalid_client`.',
  ),
  'INTROSPECTION-CLIENT-SECRET': reference(
    section,
    'A request with a wrong client secret is refused with 401 and `invalid_client`.',
  ),
  'INTROSPECTION-OTHER-CLIENT': silent(
    section,
    'Results depend on the calling client; the response to another client is not specified.',
  ),
  'CLIENT-INTROSPECTION-NOT-SHARED': {
    section,
    level: 'client',
    statement: 'A partner never uses an introspection response for another user, token or client.',
    reason:
      'Plumbline keeps one response for one token of one client within one run, and tests/check/run-context.test.ts shows that runs share nothing',
  },
} as const satisfies Readonly<Record<string, Requirement>>

export const { check } = defineArea(area, requirements)

declare module '../../src/check/requirement.ts' {
  interface RequirementIds extends Record<keyof typeof requirements, true> {}
}
