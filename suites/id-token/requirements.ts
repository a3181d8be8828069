import { defineArea } from '../../src/check/catalogue.ts'
import type { Requirement } from '../../src/check/requirement.ts'

const claims = 'ID token / access token claims checked by clients'
const validation = 'Authentication, 5'
const service = 'What the service does'
const clock =
  'The clock of the target is measured first; beyond 30 s of difference nothing is said about times.'

const must = (section: string, statement: string, ambiguity?: string): Requirement => ({
  section,
  level: 'must',
  statement,
  ...(ambiguity !== undefined && { ambiguity }),
})

/** A rule that tokens of a refresh keep like those of the code exchange. */
const refreshed = (statement: string, more = ''): Requirement =>
  must(
    'Token: refresh',
    statement,
    `Judged where the token of the code exchange keeps the rule: one that neither keeps is one finding. ${more}`.trim(),
  )

/** A rule on clients, which the validator keeps; forged tokens show it. */
const client = (statement: string, section = validation): Requirement => ({
  section,
  level: 'client',
  statement,
  reason:
    'Plumbline judges ID tokens by the rules of src/oauth/id-token.ts, and tests/oauth/id-token.test.ts shows by forged tokens that they keep this one',
})

const area = {
  name: 'id-token',
  title: 'ID token and access token',
  order: 5,
  host: 'identity-provider',
} as const

const requirements = {
  // ID token
  'IDTOKEN-JWT': must('Token response', 'The ID token is a JWT of three parts.'),
  'IDTOKEN-ALG': must('Token response', 'The ID token is signed with RS256.'),
  'IDTOKEN-KID': must(claims, 'The header of the ID token carries kid.'),
  'IDTOKEN-SIGNATURE': must(
    validation,
    'The key that kid names verifies the signature of the ID token.',
    'Only that key is tried; an unknown kid makes the key set be fetched once more.',
  ),
  'IDTOKEN-ISSUER': must(validation, 'iss of the ID token is the issuer, byte for byte.'),
  'IDTOKEN-AUDIENCE': must(
    validation,
    'The application is in aud of the ID token.',
    'aud may be a string or an array; whole elements are compared.',
  ),
  'IDTOKEN-AZP': must(
    validation,
    'azp of the ID token, where present, is the application.',
    'With one audience azp may be left out.',
  ),
  'IDTOKEN-AZP-SEVERAL': must(
    validation,
    'An ID token for several audiences names by azp the one it was issued to.',
    'Several audiences are not shown; OpenID Connect Core, 3.1.3.7 asks for azp then.',
  ),
  'IDTOKEN-EXPIRY-SECONDS': must(claims, 'exp of the ID token is a number of seconds since the epoch.'),
  'IDTOKEN-EXPIRY': must(validation, 'exp of a fresh ID token has not passed.', clock),
  'IDTOKEN-NONCE': must(validation, 'nonce of the ID token is the one that was sent.'),
  'IDTOKEN-NONCE-OWN': must(
    claims,
    'nonce of a later ID token is the one of its own request, shared with no other.',
  ),
  'IDTOKEN-ACR': must(
    validation,
    'acr of the ID token is not below the level that was requested.',
    'The order of levels is configuration (ACR_ORDER); without it only equality is judged.',
  ),
  'IDTOKEN-SUBJECT': must(claims, 'sub of the ID token is a non-empty string.'),
  'IDTOKEN-CLAIMS': {
    section: claims,
    level: 'silent',
    statement: 'Which further claims an ID token carries is not shown.',
  },

  // Subject
  'SUBJECT-SAME': must(claims, 'ID token and access token have the same sub.'),
  'SUBJECT-STABLE': must(claims, 'sub is the same after another login of the same user.'),
  'SUBJECT-AFTER-REFRESH': must(
    'Token: refresh',
    'The access token of a refresh has the same sub as the one before.',
  ),
  'SUBJECT-REFRESHED-ID-TOKEN': must(
    'Token: refresh',
    'The ID token of a refresh, where there is one, has the same sub as the one before.',
    'An ID token is promised for the code exchange only.',
  ),
  // Tokens of a refresh
  'ACCESSTOKEN-REFRESHED-SIGNATURE': refreshed(
    'The access token of a refresh is signed with RS256 by the key that its kid names.',
  ),
  'ACCESSTOKEN-REFRESHED-ISSUER': refreshed('iss of the access token of a refresh is the issuer.'),
  'ACCESSTOKEN-REFRESHED-AUDIENCE': refreshed('The access token of a refresh has an audience.'),
  'ACCESSTOKEN-REFRESHED-EXPIRY': refreshed('exp of the access token of a refresh has not passed.', clock),
  'IDTOKEN-REFRESHED-SIGNATURE': refreshed(
    'The ID token of a refresh, where there is one, is signed with RS256 by the key that its kid names.',
  ),
  'IDTOKEN-REFRESHED-ISSUER': refreshed('iss of the ID token of a refresh is the issuer.'),
  'IDTOKEN-REFRESHED-AUDIENCE': refreshed('The application is in aud of the ID token of a refresh.'),
  'IDTOKEN-REFRESHED-EXPIRY': refreshed('exp of the ID token of a refresh has not passed.', clock),

  'SUBJECT-SPHERE': {
    ...must(claims, 'sub identifies a user within one Sphere.'),
    reason: 'Which Sphere an application belongs to cannot be seen from outside',
  },

  // Access token
  'ACCESSTOKEN-JWT': must(service, 'The access token is a JWT of three parts.'),
  'ACCESSTOKEN-ALG': must(service, 'The access token is signed with RS256.'),
  'ACCESSTOKEN-KID': must(claims, 'The header of the access token carries kid.'),
  'ACCESSTOKEN-SIGNATURE': must(
    service,
    'The key that kid names verifies the signature of the access token.',
  ),
  'ACCESSTOKEN-ISSUER': must(claims, 'iss of the access token is the issuer, byte for byte.'),
  'ACCESSTOKEN-SUBJECT': must(claims, 'sub of the access token is a non-empty string.'),
  'ACCESSTOKEN-AUDIENCE': must(
    claims,
    'The access token has an audience.',
    'Which one is not said, so only its presence is judged; aud may be a string or an array.',
  ),
  'ACCESSTOKEN-EXPIRY-SECONDS': must(
    claims,
    'exp of the access token is a number of seconds since the epoch.',
  ),
  'ACCESSTOKEN-EXPIRY': must(claims, 'exp of a fresh access token has not passed.', clock),
  'ACCESSTOKEN-LIFETIME': must(
    'Token response',
    'exp of the access token is the time at which expires_in ends.',
    `${clock} A minute of difference is allowed.`,
  ),
  'ACCESSTOKEN-CLAIMS': {
    section: claims,
    level: 'silent',
    statement: 'Whether azp, nonce and acr are in the access token too, and what else, is not shown.',
  },

  // Rules on clients
  'CLIENT-LOCAL-VALIDATION': client(
    'Clients validate tokens themselves, by signature, exp, iss and aud, without asking the provider.',
    'Introspection (unavailable to partners)',
  ),
  'CLIENT-SIGNATURE': client(
    'A client rejects an ID token whose RS256 signature the key of its kid does not verify.',
  ),
  'CLIENT-ISSUER': client('A client rejects an ID token of another issuer.'),
  'CLIENT-AUDIENCE': client('A client rejects an ID token that is meant for others by aud or azp.'),
  'CLIENT-EXPIRY': client('A client rejects an ID token that has expired.'),
  'CLIENT-CLOCK-SKEW': client(
    'A client allows clocks to differ by 60 seconds at most when it looks at exp.',
    'Limits',
  ),
  'CLIENT-NONCE': client('A client rejects an ID token with another nonce than it sent.'),
  'CLIENT-ACR': client('A client rejects an ID token whose acr is below the level it needs.'),
} as const satisfies Readonly<Record<string, Requirement>>

export const { check } = defineArea(area, requirements)

declare module '../../src/check/requirement.ts' {
  interface RequirementIds extends Record<keyof typeof requirements, true> {}
}
