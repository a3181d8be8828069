import { type Alter, withSurface } from '../alteration.ts'
import { editKeys, editResponse, type Fields } from '../edits.ts'
import { fieldsOf } from '../http.ts'
import type { UnsignedJwt } from '../identity/behaviour.ts'
import { activeKey, type SigningKey, signRs256, spareKey } from '../keys.ts'

/**
 * Signs with another key after the first request for the key set.
 * @param edit returns the keys that later responses publish
 */
function rotate(edit: (oldKeys: Fields[], newKey: Fields) => Fields[]): Alter {
  return (behaviour) => {
    let next: SigningKey | undefined
    let fetches = 0
    editKeys(async (keys) => {
      next = await spareKey()
      fetches += 1
      return fetches === 1 ? keys : edit(keys, { ...next.publicJwk })
    })(behaviour)
    const sign = (jwt: UnsignedJwt) => {
      if (!next) return
      const { kid, privateKey } = next
      jwt.header.kid = kid
      jwt.sign = (input) => signRs256(input, privateKey)
    }
    behaviour.idp.idToken.push(sign)
    behaviour.idp.accessToken.push(sign)
    const { accessTokenAccepted } = behaviour.idp
    behaviour.idp.accessTokenAccepted = (input, signature, keys) =>
      accessTokenAccepted(input, signature, next ? [...keys, next.publicKey] : keys)
  }
}

/** Gives the signing key a new `kid` from the seventh token on, and another `kid` from the eleventh token on. */
const renameTwice: Alter = (behaviour) => {
  let tokens = 0
  const names = ['', '-second', '-third']
  const newest = () => (tokens > 10 ? 2 : tokens > 6 ? 1 : 0)
  editKeys((keys) =>
    names.slice(0, newest() + 1).flatMap((name) => keys.map((key) => ({ ...key, kid: `${key.kid}${name}` }))),
  )(behaviour)
  const rename = ({ header }: UnsignedJwt) => {
    tokens += 1
    header.kid = `${header.kid}${names[newest()]}`
  }
  behaviour.idp.idToken.push(rename)
  behaviour.idp.accessToken.push(rename)
}

const ROTATION = ['KEYSET-HOLDS-SIGNER', 'IDTOKEN-SIGNATURE', 'ACCESSTOKEN-SIGNATURE']
const KEY_TYPES = ['KEYSET-KID', 'KEYSET-KID-UNIQUE', 'KEYSET-RS256', ...ROTATION]

/** The example key of RFC 7517 appendix A.1. */
const EC_KEY = {
  kty: 'EC',
  crv: 'P-256',
  x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
  y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
}

const cacheKeySet = (value: string) =>
  editResponse('keySet', (response) => {
    response.headers['cache-control'] = value
  })

/** Lawful key sets and key rotations. */
export const keySetVariants = withSurface('key-set', [
  {
    name: 'two-signing-keys',
    summary: 'Publishes a second signing key before the one in use.',
    concerns: ['KEYSET-KID', 'KEYSET-KID-UNIQUE', 'KEYSET-RS256', 'KEYSET-KEYS', 'IDTOKEN-SIGNATURE'],
    unspecified: 'The number of keys is not specified.',
    alter: editKeys(async (all) => [(await spareKey()).publicJwk, ...all]),
  },
  {
    name: 'encryption-key-beside',
    summary: 'Publishes an encryption key without a `kid` and an ES256 key in addition to the signing key.',
    concerns: ['KEYSET-KID', 'KEYSET-KID-UNIQUE', 'KEYSET-RS256', 'KEYSET-KEYS'],
    unspecified: 'Other keys in the key set are not excluded.',
    alter: editKeys(async (all) => {
      const { publicJwk } = await spareKey()
      const encryption = { ...publicJwk, kid: undefined, use: 'enc', alg: 'RSA-OAEP-256' }
      return [encryption, ...all, { ...EC_KEY, use: 'sig', alg: 'ES256', kid: 'elliptic-1' }]
    }),
  },
  {
    name: 'key-without-use-and-alg',
    summary: 'Omits `use` and `alg` from the published key.',
    concerns: ['KEYSET-RS256'],
    unspecified: 'use and alg are optional (RFC 7517 section 4).',
    alter: editKeys((all) => all.map((key) => ({ ...key, use: undefined, alg: undefined }))),
  },
  {
    name: 'key-members-null',
    summary: 'Publishes the signing key with null for each member that it does not need.',
    concerns: ['KEYSET-NO-PRIVATE', 'KEYSET-RS256', 'IDTOKEN-SIGNATURE'],
    unspecified:
      'Additional members are not excluded; a null states no use, no algorithm and no private value.',
    mustPass: ['KEYSET-NO-PRIVATE', 'KEYSET-RS256', 'IDTOKEN-SIGNATURE', 'ACCESSTOKEN-SIGNATURE'],
    alter: editKeys((all) =>
      all.map((key) => ({ ...key, ...{ use: null, alg: null, key_ops: null, d: null, p: null, oth: null } })),
    ),
  },
  {
    name: 'public-keys-in-der-beside',
    summary: 'Publishes the keys a second time, in base64 DER: in a member of each key, and next to `keys`.',
    concerns: ['KEYSET-NO-PRIVATE', 'KEYSET-SHAPE'],
    unspecified: 'Additional members are not excluded, and public keys are published in any case.',
    mustPass: ['KEYSET-NO-PRIVATE'],
    alter: editResponse('keySet', async (response) => {
      const { publicKey } = await activeKey()
      const [spki, pkcs1] = (['spki', 'pkcs1'] as const).map((type) =>
        publicKey.export({ format: 'der', type }).toString('base64'),
      )
      const keys = fieldsOf(response)?.keys
      if (Array.isArray(keys))
        response.body = { keys: keys.map((key) => ({ ...key, spki })), backup: [pkcs1] }
    }),
  },
  {
    name: 'key-rotation-described-beside',
    summary: 'Publishes objects next to `keys` whose members `n` and `d` describe key rotation.',
    concerns: ['KEYSET-NO-PRIVATE', 'KEYSET-SHAPE'],
    unspecified: 'Additional members are not excluded, and clients ignore them (RFC 7517 section 5).',
    mustPass: ['KEYSET-NO-PRIVATE'],
    alter: editResponse('keySet', (response) => {
      response.body = { ...fieldsOf(response), rotation: { n: 3, d: 30 }, overlap: { n: '3', d: '30 days' } }
    }),
  },
  {
    name: 'key-set-media-type',
    summary: 'Returns the key set with the media type `application/jwk-set+json` and an additional member.',
    concerns: ['KEYSET-SHAPE', 'KEYSET-PUBLIC'],
    unspecified: 'The media type of the key set is not specified, and additional members are not excluded.',
    alter: editResponse('keySet', (response) => {
      response.headers['content-type'] = 'application/jwk-set+json'
      response.body = { ...fieldsOf(response), issued: 1 }
    }),
  },
  {
    name: 'key-set-cached-for-a-day',
    summary: 'Allows clients to cache the key set for a day.',
    concerns: ['KEYSET-CACHING'],
    unspecified: 'Caching headers are not specified.',
    alter: cacheKeySet('public, max-age=86400'),
  },
  {
    name: 'key-set-not-cached',
    summary: 'Forbids clients to store the key set.',
    concerns: ['KEYSET-CACHING'],
    unspecified: 'Caching headers are not specified.',
    alter: cacheKeySet('no-store'),
  },
  {
    name: 'key-rotated-beside',
    summary:
      'Signs tokens with a new key, published in addition to the old one, after the first request for the key set.',
    concerns: ROTATION,
    unspecified:
      'When keys are rotated is not specified; clients fetch the key set again for an unknown kid.',
    mustPass: ROTATION,
    alter: rotate((oldKeys, newKey) => [...oldKeys, newKey]),
  },
  {
    name: 'key-rotated-in-place',
    summary: 'Replaces the signing key with a new one after the first request for the key set.',
    concerns: ROTATION,
    unspecified:
      'When keys are rotated is not specified; clients fetch the key set again for an unknown kid.',
    mustPass: ROTATION,
    alter: rotate((_, newKey) => [newKey]),
  },
  {
    name: 'keys-rotated-twice-in-a-run',
    summary:
      'Gives the signing key a new `kid` at the seventh token, and again at the eleventh; all are published.',
    concerns: [...ROTATION, 'IDTOKEN-LATER', 'ACCESSTOKEN-LATER'],
    unspecified: 'When keys are rotated is not specified.',
    mustPass: ROTATION,
    alter: renameTwice,
  },
  {
    name: 'key-for-agreement-beside',
    summary:
      'Publishes an EC key for key agreement, without `use` and `kid`, in addition to the signing key.',
    concerns: KEY_TYPES,
    unspecified: 'Other keys in the key set are not excluded; only signing keys need a kid.',
    mustPass: KEY_TYPES,
    alter: editKeys((keys) => [
      { ...EC_KEY, key_ops: ['deriveKey'] },
      { ...EC_KEY, alg: 'ECDH-ES' },
      ...keys,
    ]),
  },
  {
    name: 'signing-key-listed-for-two-algorithms',
    summary: 'Publishes the signing key twice with one `kid`: for PS256 and for RS256.',
    concerns: KEY_TYPES,
    unspecified: 'Only different keys need different kids (RFC 7517 section 4.5).',
    mustPass: KEY_TYPES,
    alter: editKeys((keys) => keys.flatMap((key) => [{ ...key, alg: 'PS256' }, key])),
  },
  {
    name: 'signing-key-listed-twice',
    summary: 'Publishes the signing key twice, with all its members.',
    concerns: KEY_TYPES,
    unspecified: 'Only different keys need different kids (RFC 7517 section 4.5).',
    mustPass: KEY_TYPES,
    alter: editKeys((keys) => [...keys, ...keys]),
  },
  {
    name: 'kid-shared-between-types',
    summary: 'Publishes an EC key with the same `kid` as the RSA signing key.',
    concerns: KEY_TYPES,
    unspecified: 'Keys of different types may have the same kid (RFC 7517 section 4.5).',
    mustPass: KEY_TYPES,
    alter: editKeys((keys) => [{ ...EC_KEY, use: 'sig', alg: 'ES256', kid: keys[0]?.kid }, ...keys]),
  },
])
