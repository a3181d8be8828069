import { defineArea } from '../../src/check/catalogue.ts'

const section = 'Key set'

export const { check } = defineArea('key-set', 'Key set', {
  'KEYSET-PUBLIC': {
    section,
    level: 'must',
    statement: 'The key set is served to anyone as a JSON object with keys.',
    ambiguity: 'A 404 can also mean a wrong JWKS_URL.',
  },
  'KEYSET-RS256': {
    section,
    level: 'must',
    statement: 'At least one key of the set can verify RS256 signatures.',
    ambiguity: 'Keys of other kinds or uses may stand beside it.',
  },
  'KEYSET-NO-PRIVATE': {
    section,
    level: 'must',
    statement: 'The key set holds public keys only.',
  },
  'KEYSET-KID-UNIQUE': {
    section,
    level: 'must',
    statement: 'A kid selects one signing key.',
    ambiguity: 'Keys that are not for signatures need no kid.',
  },
  'KEYSET-HOLDS-SIGNER': {
    section,
    level: 'must',
    statement: 'The keys that the tokens name are in the key set.',
  },
  'KEYSET-CACHING': {
    section,
    level: 'silent',
    statement: 'How long a key set may be cached is not shown.',
  },
})
