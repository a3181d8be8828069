import { type Behaviour, withFace } from '../behaviour.ts'
import { fieldsOf } from '../http.ts'
import type { UnsignedJwt } from '../identity/behaviour.ts'
import { type SigningKey, signRs256, spareKey } from '../keys.ts'

type Jwk = Record<string, unknown>

/** Edits the published keys; `asked` counts how often the set was asked for before. */
function publish({ idp }: Behaviour, edit: (keys: Jwk[], asked: number) => Jwk[] | Promise<Jwk[]>): void {
  let asked = 0
  idp.answers.keySet.push(async (answer) => {
    const keys = fieldsOf(answer)?.keys
    if (Array.isArray(keys)) answer.body = { keys: await edit(keys, asked) }
    asked += 1
  })
}

/** Signs with another key as soon as somebody has fetched the key set. */
function rotate(behaviour: Behaviour, edit: (before: Jwk[], next: Jwk) => Jwk[]): void {
  let next: SigningKey | undefined
  publish(behaviour, async (keys, asked) => {
    next = await spareKey()
    return asked === 0 ? keys : edit(keys, { ...next.publicJwk })
  })
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

const rotation = ['KEYSET-HOLDS-SIGNER', 'IDTOKEN-SIGNATURE', 'ACCESSTOKEN-SIGNATURE']

// The example key of RFC 7517 appendix A.1.
const elliptic = {
  kty: 'EC',
  crv: 'P-256',
  x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
  y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
}
const kinds = ['KEYSET-KID', 'KEYSET-KID-UNIQUE', 'KEYSET-RS256', ...rotation]

/** Lawful key sets, and lawful changes of them. */
export const keyVariants = withFace('key-set', [
  {
    name: 'key-rotated-beside',
    summary:
      'Once the key set has been fetched, tokens are signed with a new key, published beside the old one.',
    concerns: rotation,
    ambiguity: 'When keys change is not said; an unknown kid is a reason to fetch the set once more.',
    decided: rotation,
    alter: (behaviour: Behaviour) => rotate(behaviour, (before, next) => [...before, next]),
  },
  {
    name: 'key-rotated-in-place',
    summary: 'Once the key set has been fetched, a new key takes the place of the old one.',
    concerns: rotation,
    ambiguity: 'When keys change is not said; an unknown kid is a reason to fetch the set once more.',
    decided: rotation,
    alter: (behaviour: Behaviour) => rotate(behaviour, (_, next) => [next]),
  },
  {
    name: 'key-for-agreement-beside',
    summary: 'An EC key for key agreement, without use and kid, is published beside the signing key.',
    concerns: kinds,
    ambiguity: 'What else the key set holds is not said; a kid is for keys that sign.',
    decided: kinds,
    alter: (behaviour: Behaviour) =>
      publish(behaviour, (keys) => [
        { ...elliptic, key_ops: ['deriveKey'] },
        { ...elliptic, alg: 'ECDH-ES' },
        ...keys,
      ]),
  },
  {
    name: 'kid-shared-between-types',
    summary: 'An EC key has the kid of the RSA key that signs.',
    concerns: kinds,
    ambiguity: 'Keys of different types may have the same kid (RFC 7517 section 4.5).',
    decided: kinds,
    alter: (behaviour: Behaviour) =>
      publish(behaviour, (keys) => [{ ...elliptic, use: 'sig', alg: 'ES256', kid: keys[0]?.kid }, ...keys]),
  },
])
