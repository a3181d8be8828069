import { type Behaviour, withFace } from '../behaviour.ts'
import { fieldsOf, jsonAnswer } from '../http.ts'
import { activeKey, spareKey } from '../keys.ts'

type Jwk = Record<string, unknown>

/** Edits the published keys. */
function onKeys({ idp }: Behaviour, edit: (keys: Jwk[]) => Jwk[] | Promise<Jwk[]>): void {
  idp.answers.keySet.push(async (answer) => {
    const keys = fieldsOf(answer)?.keys
    if (Array.isArray(keys)) answer.body = { keys: await edit(keys.map((key) => ({ ...key }))) }
  })
}

export const keySetFaults = withFace('key-set', [
  {
    name: 'key-set-needs-credentials',
    summary: 'The key set is refused with 401 to a request without credentials.',
    violates: ['KEYSET-PUBLIC'],
    alter: ({ idp }: Behaviour) =>
      idp.answers.keySet.push((answer, { headers }) => {
        if (headers.authorization) return
        Object.assign(
          answer,
          jsonAnswer(401, { error: 'unauthorized', error_description: 'Credentials needed.' }),
        )
      }),
  },
  {
    name: 'key-set-moved',
    summary: 'The address of the key set redirects to a login page.',
    violates: ['KEYSET-PUBLIC'],
    alter: ({ idp }: Behaviour) =>
      idp.answers.keySet.push((answer) => {
        answer.status = 302
        answer.headers.location = '/mga/sps/authsvc/login'
        answer.body = ''
      }),
  },
  {
    name: 'key-set-as-list',
    summary: 'The key set is a list of keys without the object around it.',
    violates: ['KEYSET-SHAPE'],
    alter: ({ idp }: Behaviour) =>
      idp.answers.keySet.push((answer) => {
        answer.body = fieldsOf(answer)?.keys
      }),
  },
  {
    name: 'key-set-by-kid',
    summary: 'The keys of the key set are an object with a member for each kid.',
    violates: ['KEYSET-SHAPE'],
    alter: ({ idp }: Behaviour) =>
      idp.answers.keySet.push((answer) => {
        const keys = fieldsOf(answer)?.keys
        if (Array.isArray(keys)) answer.body = { keys: Object.fromEntries(keys.map((key) => [key.kid, key])) }
      }),
  },
  {
    name: 'key-set-names-ps256',
    summary: 'The published key is declared for PS256.',
    violates: ['KEYSET-RS256'],
    alter: (behaviour: Behaviour) =>
      onKeys(behaviour, (keys) => keys.map((key) => ({ ...key, alg: 'PS256' }))),
  },
  {
    name: 'key-set-for-encryption',
    summary: 'The published key is declared for encryption.',
    violates: ['KEYSET-RS256'],
    alter: (behaviour: Behaviour) => onKeys(behaviour, (keys) => keys.map((key) => ({ ...key, use: 'enc' }))),
  },
  {
    name: 'key-set-with-private-key',
    summary: 'The key set holds the private members of the signing key.',
    violates: ['KEYSET-NO-PRIVATE'],
    alter: (behaviour: Behaviour) => onKeys(behaviour, async () => [{ ...(await activeKey()).privateJwk }]),
  },
  {
    name: 'key-set-with-private-exponent',
    summary: 'A second, unused key in the set has its private exponent.',
    violates: ['KEYSET-NO-PRIVATE'],
    alter: (behaviour: Behaviour) =>
      onKeys(behaviour, async (keys) => {
        const { publicJwk, privateJwk } = await spareKey()
        return [...keys, { ...publicJwk, d: privateJwk.d }]
      }),
  },
  {
    name: 'key-set-with-shared-secret',
    summary: 'A symmetric key stands beside the signing key.',
    violates: ['KEYSET-NO-PRIVATE'],
    alter: (behaviour: Behaviour) =>
      onKeys(behaviour, (keys) => [
        ...keys,
        { kty: 'oct', kid: 'hmac', use: 'sig', alg: 'HS256', k: 'c2hhcmVkLXNlY3JldC1vZi1hLXRlc3Q' },
      ]),
  },
  {
    name: 'key-set-kid-missing',
    summary: 'A second signing key, not in use yet, has no kid.',
    violates: ['KEYSET-KID'],
    alter: (behaviour: Behaviour) =>
      onKeys(behaviour, async (keys) => {
        const { kid: _, ...unnamed } = (await spareKey()).publicJwk
        return [...keys, unnamed]
      }),
  },
  {
    name: 'key-set-kid-number',
    summary: 'The kid of a second signing key, not in use yet, is a number.',
    violates: ['KEYSET-KID'],
    alter: (behaviour: Behaviour) =>
      onKeys(behaviour, async (keys) => [...keys, { ...(await spareKey()).publicJwk, kid: 2 }]),
  },
  {
    name: 'key-set-kid-repeated-beside',
    summary: 'Two keys that are not in use share a kid.',
    violates: ['KEYSET-KID-UNIQUE'],
    alter: (behaviour: Behaviour) =>
      onKeys(behaviour, async (keys) => {
        const next = (await spareKey()).publicJwk
        return [...keys, next, { ...(await activeKey()).publicJwk, kid: next.kid }]
      }),
  },
  {
    name: 'key-set-kid-repeated',
    summary: 'Two different keys are published under one kid; the signing key comes first.',
    violates: ['KEYSET-KID-UNIQUE'],
    consequences: ['IDTOKEN-SIGNATURE', 'ACCESSTOKEN-SIGNATURE'],
    alter: (behaviour: Behaviour) =>
      onKeys(behaviour, async (keys) => [...keys, { ...(await spareKey()).publicJwk, kid: keys[0]?.kid }]),
  },
  {
    name: 'key-set-without-signer',
    summary: 'The key set holds another key than the one in use.',
    violates: ['KEYSET-HOLDS-SIGNER'],
    alter: (behaviour: Behaviour) => onKeys(behaviour, async () => [{ ...(await spareKey()).publicJwk }]),
  },
])
