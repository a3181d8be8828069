import { defineArea } from '../../src/check/catalogue.ts'
import { must, type Requirement, silent } from '../../src/check/requirement.ts'

const claims = 'ID token / access token claims checked by clients'
const validation = 'Authentication, 5'
const service = 'What the service does'
const clock =
  'Plumbline first measures the clock of the target, and judges no times if that clock differs from its own by more than 30 s.'
const skew = `${clock} If \`exp\` is less than 60 s in the past, but after \`iat\`, the check only adds a note: the clocks of a target's machines may differ.`

/** A rule for refreshed tokens that also applies to the tokens of a code exchange. */
const refreshed = (statement: string, addition = ''): Requirement =>
  must(
    'Token: refresh',
    statement,
    `The check judges a refresh only if the tokens of the code exchanges before it follow the rule. Otherwise only the requirement on the code exchange is violated. ${addition}`.trim(),
  )

const later =
  'The check judges all tokens that the applications received in code exchanges and refreshes: their signature, `iss`, `aud`, `exp` and `sub`. It also judges `azp`, `nonce` and `acr` of ID tokens, and whether `exp` of access tokens agrees with `expires_in`. The `sub` is compared within one application. If another requirement already reports the violation of a rule, this check does not judge that rule. If a later code exchange and the refresh after it violate the same rule, this requirement is violated. The requirements on refreshed tokens are then inconclusive.'

/** A rule on clients, which Plumbline's validator follows; tests with forged tokens prove it. */
const client = (statement: string, section = validation): Requirement => ({
  section,
  level: 'client',
  statement,
  reason:
    'Plumbline validates tokens as its partners must (src/oauth/id-token.ts); tests/oauth/id-token.test.ts shows it with forged tokens',
})

const area = {
  name: 'id-token',
  title: 'ID token and access token',
  order: 5,
  host: 'identity-provider',
  needs: ['application'],
} as const

const requirements = {
  // ID token
  'IDTOKEN-JWT': must('Token response', 'The ID token is a JWT of three parts.'),
  'IDTOKEN-ALG': must('Token response', 'The ID token is signed with RS256.'),
  'IDTOKEN-KID': must(claims, 'The header of the ID token has a `kid`.'),
  'IDTOKEN-SIGNATURE': must(
    validation,
    'The signature of the ID token verifies with the key that its `kid` identifies.',
    'No other key is tried; for an unknown `kid`, the key set is fetched once more.',
  ),
  'IDTOKEN-ISSUER': must(validation, 'The `iss` of the ID token is the issuer, byte for byte.'),
  'IDTOKEN-AUDIENCE': must(
    validation,
    'The application is in the `aud` of the ID token.',
    '`aud` may be a string or an array; whole elements are compared, and all of them must be strings (RFC 7519, 4.1.3).',
  ),
  'IDTOKEN-SECOND-AUDIENCE': must(
    validation,
    'The second application is in the `aud` of its own ID token.',
    '`aud` may be a string or an array; whole elements are compared, and all of them must be strings (RFC 7519, 4.1.3).',
  ),
  'IDTOKEN-AZP': must(
    validation,
    'The `azp` of the ID token, if present, is the application.',
    '`azp` may be absent.',
  ),
  'IDTOKEN-AZP-SEVERAL': silent(
    validation,
    'Whether an ID token can have several audiences, and `azp` with them, is not specified.',
  ),
  'IDTOKEN-EXPIRY-SECONDS': must(claims, 'The `exp` of the ID token is a number of seconds since the epoch.'),
  'IDTOKEN-EXPIRY': must(validation, 'The `exp` of a new ID token is in the future.', skew),
  'IDTOKEN-NONCE': must(validation, 'The `nonce` of the ID token is that of the request.'),
  'IDTOKEN-NONCE-OWN': must(
    claims,
    'The `nonce` of a later ID token is that of its own request.',
    'The nonce of the later request has 128 characters, that of the first one 43.',
  ),
  'IDTOKEN-ACR': must(
    validation,
    'The `acr` of the ID token is not below the requested level.',
    'ACR_ORDER configures the order of levels; without it, the requested level passes, and any other is inconclusive. If the target refuses the weakest level of ACR_ORDER, the order is wrong, and the check is inconclusive.',
  ),
  'IDTOKEN-SUBJECT': must(
    claims,
    'The `sub` of the ID token is a non-empty string, and not the client id of the application.',
  ),
  'IDTOKEN-CLAIMS': silent(claims, 'Further claims of ID tokens are not specified.'),

  // Subject
  'SUBJECT-SAME': silent(claims, 'Whether ID token and access token have the same `sub` is not specified.'),
  'SUBJECT-STABLE': must(
    claims,
    'The `sub` of the ID token is the same after another login of the same user.',
  ),
  'SUBJECT-STABLE-ACCESS-TOKEN': must(
    claims,
    'The `sub` of the access token is the same after another login of the same user.',
  ),
  'SUBJECT-AFTER-REFRESH': must(
    'Token: refresh',
    'A refreshed access token has the same `sub` as the access token before it.',
  ),
  'SUBJECT-REFRESHED-ID-TOKEN': must(
    'Token: refresh',
    'A refreshed ID token has the same `sub` as the ID token before it.',
    'An ID token is documented for the code exchange only.',
  ),
  'SUBJECT-SPHERE': {
    ...must(claims, 'The `sub` identifies a user within one Sphere, the scope of user identifiers.'),
    reason: 'The Sphere of an application is not visible from outside',
  },

  // Refreshed tokens
  'ACCESSTOKEN-REFRESHED-SIGNATURE': refreshed(
    'A refreshed access token is signed with RS256 by the key that its `kid` identifies.',
  ),
  'ACCESSTOKEN-REFRESHED-ISSUER': refreshed('The `iss` of a refreshed access token is the issuer.'),
  'ACCESSTOKEN-REFRESHED-AUDIENCE': refreshed('A refreshed access token has an audience.'),
  'ACCESSTOKEN-REFRESHED-EXPIRY': refreshed('The `exp` of a refreshed access token is in the future.', skew),
  'IDTOKEN-REFRESHED-SIGNATURE': refreshed(
    'A refreshed ID token is signed with RS256 by the key that its `kid` identifies.',
  ),
  'IDTOKEN-REFRESHED-ISSUER': refreshed('The `iss` of a refreshed ID token is the issuer.'),
  'IDTOKEN-REFRESHED-AUDIENCE': refreshed('The application is in the `aud` of a refreshed ID token.'),
  'IDTOKEN-REFRESHED-AZP': refreshed('The `azp` of a refreshed ID token, if present, is the application.'),
  'IDTOKEN-REFRESHED-ACR': refreshed(
    'The `acr` of a refreshed ID token, if present, is not below the requested level.',
    'The check needs REQUIRED_ACR and ACR_ORDER.',
  ),
  'IDTOKEN-REFRESHED-EXPIRY': refreshed('The `exp` of a refreshed ID token is in the future.', skew),

  // Tokens of the whole run
  'IDTOKEN-LATER': must(
    validation,
    'Every later ID token of the run is valid by the rules for the first one.',
    `${later} A refreshed ID token may lack \`nonce\` and \`acr\`.`,
  ),
  'ACCESSTOKEN-LATER': must(
    claims,
    'Every later access token of the run is valid by the rules for the first one.',
    `${later} Opaque access tokens are not judged.`,
  ),

  // Access token
  'ACCESSTOKEN-JWT': must(service, 'The access token is a JWT of three parts.'),
  'ACCESSTOKEN-ALG': must(service, 'The access token is signed with RS256.'),
  'ACCESSTOKEN-KID': must(claims, 'The header of the access token has a `kid`.'),
  'ACCESSTOKEN-SIGNATURE': must(
    service,
    'The signature of the access token verifies with the key that its `kid` identifies.',
  ),
  'ACCESSTOKEN-ISSUER': must(claims, 'The `iss` of the access token is the issuer, byte for byte.'),
  'ACCESSTOKEN-SUBJECT': must(
    claims,
    'The `sub` of the access token is a non-empty string, and not the client id of the application.',
  ),
  'ACCESSTOKEN-AUDIENCE': must(
    claims,
    'The access token has an audience.',
    'The audience is not specified, so only its presence is judged; `aud` may be a string or an array.',
  ),
  'ACCESSTOKEN-EXPIRY-SECONDS': must(
    claims,
    'The `exp` of the access token is a number of seconds since the epoch.',
  ),
  'ACCESSTOKEN-EXPIRY': must(claims, 'The `exp` of a new access token is in the future.', skew),
  'ACCESSTOKEN-LIFETIME': must(
    'Token response',
    'The `exp` of the access token agrees with `expires_in`.',
    `${clock} \`exp\` and \`expires_in\` may differ by a minute.`,
  ),
  'ACCESSTOKEN-REFRESHED-LIFETIME': must(
    'Token response',
    'The `exp` of a refreshed access token agrees with the `expires_in` of its refresh response.',
    `${clock} \`exp\` and \`expires_in\` may differ by a minute. The check judges a refresh only if they agree after the code exchange.`,
  ),
  'ACCESSTOKEN-CLAIMS': silent(
    claims,
    'Further claims of access tokens, and whether `azp`, nonce and `acr` are among them, are not specified.',
  ),

  // Rules on clients
  'CLIENT-LOCAL-VALIDATION': client(
    'Partners validate tokens locally: signature, `exp`, `iss` and `aud`.',
    'Introspection (unavailable to partners)',
  ),
  'CLIENT-SIGNATURE': client(
    'A partner rejects an ID token whose RS256 signature does not verify with the key that its `kid` identifies.',
  ),
  'CLIENT-ISSUER': client('A partner rejects an ID token of another issuer.'),
  'CLIENT-AUDIENCE': client('A partner rejects an ID token whose `aud` or `azp` is another client.'),
  'CLIENT-EXPIRY': client('A partner rejects an ID token that has expired.'),
  'CLIENT-CLOCK-SKEW': client(
    'A partner allows at most 60 seconds of clock skew when it compares `exp`.',
    'Limits',
  ),
  'CLIENT-NONCE': client('A partner rejects an ID token whose nonce differs from that of its request.'),
  'CLIENT-ACR': client('A partner rejects an ID token whose `acr` is below the level it needs.'),
} as const satisfies Readonly<Record<string, Requirement>>

export const { check } = defineArea(area, requirements)

declare module '../../src/check/requirement.ts' {
  interface RequirementIds extends Record<keyof typeof requirements, true> {}
}
