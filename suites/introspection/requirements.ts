import { defineArea } from '../../src/check/catalogue.ts'
import type { Requirement } from '../../src/check/requirement.ts'

const section = 'Introspection (unavailable to partners)'
const active = 'Introspection response (active token)'
const states = 'Token (introspection view)'
const available =
  'Applies only where the provider answers partners with JSON, which the document does not expect.'
const optional = `${available} Whether the member is always there is not said; an absent one is not judged.`

const must = (where: string, statement: string, ambiguity = available): Requirement => ({
  section: where,
  level: 'must',
  statement,
  ambiguity,
})

const area = {
  name: 'introspection',
  title: 'Introspection',
  order: 7,
  host: 'identity-provider',
} as const

const requirements = {
  'INTROSPECTION-UNAVAILABLE': must(
    section,
    'A partner that asks for introspection is refused: in UAT with an HTML page and status 400.',
    'The form of the refusal is an observation made in UAT, so another refusal is a note. Where introspection works, the reference behaviour is judged in its place.',
  ),

  // Active token, member by member
  'INTROSPECTION-ACTIVE': must(active, 'A good access token is reported with active true.'),
  'INTROSPECTION-SCOPE': must(active, 'scope of an active token is a string.', optional),
  'INTROSPECTION-CLIENT-ID': must(
    active,
    'client_id of an active token is the application it was issued to.',
    optional,
  ),
  'INTROSPECTION-USERNAME': must(active, 'username of an active token is an e-mail address.', optional),
  'INTROSPECTION-TOKEN-TYPE': must(
    active,
    'token_type of an active access token is Bearer.',
    `${optional} Names of token types do not depend on case (RFC 6749, 5.1).`,
  ),
  'INTROSPECTION-EXP': must(active, 'exp of an active token is a whole number of seconds to come.', optional),
  'INTROSPECTION-IAT': must(active, 'iat of an active token is a whole number of seconds gone by.', optional),
  'INTROSPECTION-NBF': must(active, 'nbf of an active token is a whole number of seconds gone by.', optional),
  'INTROSPECTION-SUB': must(active, 'sub of an active token is the one in the token.', optional),
  'INTROSPECTION-AUD': must(
    active,
    'aud of an active token is a string.',
    `${optional} An array of strings is taken as well (RFC 7662, 2.2).`,
  ),
  'INTROSPECTION-ISS': must(active, 'iss of an active token is the issuer.', optional),
  'INTROSPECTION-JTI': must(active, 'jti of an active token is a string, another for each token.', optional),

  // Inactive token
  'INTROSPECTION-INACTIVE': must(active, 'A token that was never issued is reported with active false.'),
  'INTROSPECTION-INACTIVE-ALONE': must(active, 'Nothing stands beside active false.'),
  'INTROSPECTION-INACTIVE-ALIKE': must(
    states,
    'Why a token is inactive cannot be told: an unknown and an altered one are answered alike.',
  ),
  'CLIENT-INACTIVE-ALIKE': {
    section: states,
    level: 'client',
    statement: 'A client does not tell apart why a token is inactive.',
    reason:
      'Plumbline acts on no introspection result; it reads active, and compares the answers to two inactive tokens',
  },
  'INTROSPECTION-TAMPERED': must(states, 'A token with an altered signature is not active.'),
  'INTROSPECTION-EXPIRED': must(
    states,
    'A token whose exp was reached is not active.',
    `${available} Tried only where tokens live for two minutes at most; a minute of difference between clocks is allowed.`,
  ),
  'INTROSPECTION-REVOKED': {
    ...must(states, 'A token that was revoked is not active.'),
    reason: 'The interface has no way to revoke a token',
  },

  // The request
  'INTROSPECTION-REFRESH-TOKEN': must(section, 'A good refresh token is reported active as well.'),
  'INTROSPECTION-HINT-IGNORED': must(section, 'A token_type_hint that is wrong changes nothing.'),
  'INTROSPECTION-TOKEN-REQUIRED': must(
    section,
    'A request without token is refused with 400 and invalid_request.',
  ),
  'INTROSPECTION-CLIENT-AUTH': must(
    section,
    'A request without client authentication is refused with 401 and invalid_client.',
  ),
  'INTROSPECTION-CLIENT-SECRET': must(
    section,
    'A request with a wrong client secret is refused with 401 and invalid_client.',
  ),
  'INTROSPECTION-OTHER-CLIENT': {
    section,
    level: 'silent',
    statement: 'Results depend on the calling client; what another client is told is not said.',
  },
  'CLIENT-INTROSPECTION-NOT-SHARED': {
    section,
    level: 'client',
    statement: 'A client never uses an introspection result for another user, token or client.',
    reason:
      'Plumbline keeps one result for one token of one client within one run, and tests/check/run-context.test.ts shows that runs share nothing',
  },
} as const satisfies Readonly<Record<string, Requirement>>

export const { check } = defineArea(area, requirements)

declare module '../../src/check/requirement.ts' {
  interface RequirementIds extends Record<keyof typeof requirements, true> {}
}
