import { defineArea } from '../../src/check/catalogue.ts'

const claims = 'ID token / access token claims checked by clients'
const validation = 'Authentication, 5'
const clock =
  'The clock of the target is measured first; beyond 30 s of difference nothing is said about times.'

export const { check } = defineArea('id-token', 'ID token and access token', {
  'IDTOKEN-JWT': {
    section: 'Token response',
    level: 'must',
    statement: 'The ID token is a JWT signed with RS256.',
  },
  'IDTOKEN-KID': {
    section: claims,
    level: 'must',
    statement: 'The header of the ID token carries kid.',
  },
  'IDTOKEN-SIGNATURE': {
    section: validation,
    level: 'must',
    statement: 'The key that kid names verifies the signature of the ID token.',
    ambiguity: 'Only that key is tried; an unknown kid makes the key set be fetched once more.',
  },
  'IDTOKEN-ISSUER': {
    section: validation,
    level: 'must',
    statement: 'iss of the ID token is the issuer, byte for byte.',
  },
  'IDTOKEN-AUDIENCE': {
    section: validation,
    level: 'must',
    statement: 'The application is in aud of the ID token.',
    ambiguity: 'aud may be a string or an array; whole elements are compared.',
  },
  'IDTOKEN-AZP': {
    section: validation,
    level: 'must',
    statement: 'azp of the ID token, where present, is the application.',
    ambiguity: 'Several audiences without azp are a note.',
  },
  'IDTOKEN-EXPIRY': {
    section: validation,
    level: 'must',
    statement: 'exp of a fresh ID token is a time in seconds that has not passed.',
    ambiguity: clock,
  },
  'IDTOKEN-NONCE': {
    section: validation,
    level: 'must',
    statement: 'nonce of the ID token is the one of its own authorization request.',
  },
  'IDTOKEN-ACR': {
    section: validation,
    level: 'must',
    statement: 'acr of the ID token is not below the level that was requested.',
    ambiguity: 'The order of levels is configuration (ACR_ORDER); without it only equality is judged.',
  },
  'IDTOKEN-SUBJECT': {
    section: claims,
    level: 'must',
    statement: 'sub is a non-empty string, the same in ID token and access token.',
  },
  'SUBJECT-STABLE': {
    section: claims,
    level: 'must',
    statement: 'sub is the same after another login of the same user.',
  },
  'ACCESSTOKEN-JWT': {
    section: 'What the service does',
    level: 'must',
    statement: 'The access token is a JWT signed with RS256, and its header carries kid.',
  },
  'ACCESSTOKEN-SIGNATURE': {
    section: 'What the service does',
    level: 'must',
    statement: 'The key that kid names verifies the signature of the access token.',
  },
  'ACCESSTOKEN-ISSUER': {
    section: claims,
    level: 'must',
    statement: 'iss of the access token is the issuer, byte for byte.',
  },
  'ACCESSTOKEN-EXPIRY': {
    section: 'Token response',
    level: 'must',
    statement: 'exp of the access token is the time at which expires_in ends.',
    ambiguity: `${clock} A minute of difference is allowed.`,
  },
})
