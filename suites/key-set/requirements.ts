import { defineArea } from '../../src/check/catalogue.ts'
import { must, type Requirement, silent } from '../../src/check/requirement.ts'

const section = 'Key set'

const area = {
  name: 'key-set',
  title: 'Key set',
  order: 2,
  host: 'identity-provider',
} as const

const requirements = {
  'KEYSET-PUBLIC': must(
    section,
    'Without credentials, a request for the key set returns 200.',
    'A 404 can also mean a wrong JWKS_URL. If the `jwks_uri` of discovery differs from JWKS_URL, a problem with keys is inconclusive.',
  ),
  'KEYSET-SHAPE': must(
    section,
    'The key set is a JSON object whose member `keys` is an array of objects (RFC 7517, 5).',
    'The media type is not specified.',
  ),
  'KEYSET-RS256': must(
    section,
    'At least one key of the set verifies RS256 signatures.',
    'The set may contain keys of other kinds or uses.',
  ),
  'KEYSET-NO-PRIVATE': must(section, 'The key set contains only public keys.'),
  'KEYSET-KID': must(
    section,
    'Every signing key of the set has a `kid`.',
    'Clients select keys by `kid`. Keys that are not for signatures need no `kid`.',
  ),
  'KEYSET-KID-UNIQUE': must(
    section,
    'No two different signing keys of one type have the same `kid`.',
    'Keys that are not for signatures do not count, and keys of different types may share a `kid` (RFC 7517, 4.5). A key that is listed several times, as for RS256 and PS256, is one key.',
  ),
  'KEYSET-HOLDS-SIGNER': must(
    section,
    'For the `kid` of each token, the key set contains a key that is usable for RS256 signatures.',
    'Keys may rotate at any time: for an unknown `kid`, the key set is fetched once more. A key that is absent from one response and returns later is a violation; a key that is replaced is a note.',
  ),
  'KEYSET-LATER': must(
    section,
    'Every later response with the key set follows the rules for the first one, and a `kid` identifies the same key in all of them.',
    'The check judges all responses of the run: status, form, a key for RS256, public keys only and `kid`. It omits rules that the first response violates: other requirements judge those.',
  ),
  'KEYSET-CACHING': silent(section, 'How long a key set may be cached is not specified.'),
  'KEYSET-ADDRESS': silent(section, 'Whether discovery has the address of the key set is not specified.'),
  'KEYSET-KEYS': silent(section, 'The number, kinds and sizes of keys are not specified.'),
  'KEYSET-CLIENT-CACHE': {
    section,
    level: 'client',
    statement: 'A partner caches the key set.',
    reason:
      'Plumbline verifies all tokens of a run with one fetch (tests/oauth/key-set.test.ts, "is fetched once")',
  },
  'KEYSET-CLIENT-REFETCH': {
    section,
    level: 'client',
    statement: 'For an unknown `kid`, a partner fetches the key set once more.',
    interpretation: 'The shortest time between two such fetches is not specified; Plumbline waits a minute.',
    reason:
      'Plumbline fetches the key set once more for any number of unknown kids, and not again within a minute (tests/oauth/key-set.test.ts, "is fetched once more")',
  },
} as const satisfies Readonly<Record<string, Requirement>>

export const { check } = defineArea(area, requirements)

declare module '../../src/check/requirement.ts' {
  interface RequirementIds extends Record<keyof typeof requirements, true> {}
}
