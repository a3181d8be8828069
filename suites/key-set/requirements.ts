import { defineArea } from '../../src/check/catalogue.ts'
import type { Requirement } from '../../src/check/requirement.ts'

const section = 'Key set'

const area = {
  name: 'key-set',
  title: 'Key set',
  order: 2,
  host: 'identity-provider',
} as const

const requirements = {
  'KEYSET-PUBLIC': {
    section,
    level: 'must',
    statement: 'The key set is served to anyone, without credentials.',
    ambiguity: 'A 404 can also mean a wrong JWKS_URL.',
  },
  'KEYSET-SHAPE': {
    section,
    level: 'must',
    statement: 'The key set is a JSON object whose member keys is an array of objects (RFC 7517, 5).',
    ambiguity: 'The media type is not shown, so it is not judged.',
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
  'KEYSET-KID': {
    section,
    level: 'must',
    statement: 'Every signing key of the set has a kid to be selected by.',
    ambiguity: 'Keys that are not for signatures need no kid.',
  },
  'KEYSET-KID-UNIQUE': {
    section,
    level: 'must',
    statement: 'A kid selects one signing key of its type.',
    ambiguity:
      'Keys that are not for signatures do not count, and keys of different types may share a kid (RFC 7517, 4.5).',
  },
  'KEYSET-HOLDS-SIGNER': {
    section,
    level: 'must',
    statement: 'The keys that the tokens name are in the key set.',
    ambiguity: 'Keys may change at any time, so an unknown one is looked for once more.',
  },
  'KEYSET-CACHING': {
    section,
    level: 'silent',
    statement: 'How long a key set may be cached is not shown.',
  },
  'KEYSET-ADDRESS': {
    section,
    level: 'silent',
    statement: 'Whether discovery names the address of the key set is not shown.',
  },
  'KEYSET-KEYS': {
    section,
    level: 'silent',
    statement: 'How many keys the set has, of which kinds and sizes, is not shown.',
  },
  'KEYSET-CLIENT-CACHE': {
    section,
    level: 'client',
    statement: 'A partner caches the key set.',
    reason: 'Plumbline fetches it once a run (tests/oauth/key-set.test.ts, "is fetched once").',
  },
  'KEYSET-CLIENT-REFETCH': {
    section,
    level: 'client',
    statement: 'A partner that meets an unknown kid fetches the key set once more.',
    ambiguity: 'How long an unknown kid is not asked about again is not shown; a minute is our choice.',
    reason:
      'Plumbline fetches it once more, for whatever number of unknown kids, and not again within a minute (tests/oauth/key-set.test.ts, "is fetched once more").',
  },
} as const satisfies Readonly<Record<string, Requirement>>

export const { check } = defineArea(area, requirements)

declare module '../../src/check/requirement.ts' {
  interface RequirementIds extends Record<keyof typeof requirements, true> {}
}
