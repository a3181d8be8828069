import { withSurface } from '../alteration.ts'
import { editKeys, editResponse } from '../edits.ts'
import { fieldsOf, jsonResponse } from '../http.ts'
import { activeKey, spareKey } from '../keys.ts'

export const keySetFaults = withSurface('key-set', [
  {
    name: 'key-set-needs-credentials',
    summary: 'A request for the key set without credentials is refused with 401.',
    violates: ['KEYSET-PUBLIC'],
    alter: editResponse('keySet', (response, { headers }) => {
      if (headers.authorization) return
      Object.assign(
        response,
        jsonResponse(401, { error: 'unauthorized', error_description: 'Credentials needed.' }),
      )
    }),
  },
  {
    name: 'key-set-moved',
    summary: 'The key set endpoint redirects to a login page.',
    violates: ['KEYSET-PUBLIC'],
    alter: editResponse('keySet', (response) => {
      response.status = 302
      response.headers.location = '/mga/sps/authsvc/login'
      response.body = ''
    }),
  },
  {
    name: 'key-set-as-list',
    summary: 'The key set is an array of keys without the enclosing object.',
    violates: ['KEYSET-SHAPE'],
    alter: editResponse('keySet', (response) => {
      response.body = fieldsOf(response)?.keys
    }),
  },
  {
    name: 'key-set-by-kid',
    summary: 'The keys member of the key set is an object with a member per kid.',
    violates: ['KEYSET-SHAPE'],
    alter: editResponse('keySet', (response) => {
      const keys = fieldsOf(response)?.keys
      if (Array.isArray(keys)) response.body = { keys: Object.fromEntries(keys.map((key) => [key.kid, key])) }
    }),
  },
  {
    name: 'key-set-names-ps256',
    summary: 'The published key has alg PS256.',
    violates: ['KEYSET-RS256'],
    alter: editKeys((keys) => keys.map((key) => ({ ...key, alg: 'PS256' }))),
  },
  {
    name: 'key-set-for-encryption',
    summary: 'The published key has use enc.',
    violates: ['KEYSET-RS256'],
    alter: editKeys((keys) => keys.map((key) => ({ ...key, use: 'enc' }))),
  },
  {
    name: 'key-set-with-private-key',
    summary: 'The key set contains the private members of the signing key.',
    violates: ['KEYSET-NO-PRIVATE'],
    alter: editKeys(async () => [{ ...(await activeKey()).privateJwk }]),
  },
  {
    name: 'key-set-with-private-exponent',
    summary: 'The key set contains the private exponent of a second, unused key.',
    violates: ['KEYSET-NO-PRIVATE'],
    alter: editKeys(async (keys) => {
      const { publicJwk, privateJwk } = await spareKey()
      return [...keys, { ...publicJwk, d: privateJwk.d }]
    }),
  },
  {
    name: 'key-set-with-shared-secret',
    summary: 'The key set contains a symmetric key.',
    violates: ['KEYSET-NO-PRIVATE'],
    alter: editKeys((keys) => [
      ...keys,
      { kty: 'oct', kid: 'hmac', use: 'sig', alg: 'HS256', k: 'c2hhcmVkLXNlY3JldC1vZi1hLXRlc3Q' },
    ]),
  },
  {
    name: 'key-set-kid-missing',
    summary: 'A second signing key, which is not in use yet, has no kid.',
    violates: ['KEYSET-KID'],
    alter: editKeys(async (keys) => {
      const { kid: _, ...unnamed } = (await spareKey()).publicJwk
      return [...keys, unnamed]
    }),
  },
  {
    name: 'key-set-kid-number',
    summary: 'The kid of a second signing key, which is not in use yet, is a number.',
    violates: ['KEYSET-KID'],
    alter: editKeys(async (keys) => [...keys, { ...(await spareKey()).publicJwk, kid: 2 }]),
  },
  {
    name: 'key-set-kid-repeated-beside',
    summary: 'Two keys that are not in use share a kid.',
    violates: ['KEYSET-KID-UNIQUE'],
    alter: editKeys(async (keys) => {
      const next = (await spareKey()).publicJwk
      return [...keys, next, { ...(await activeKey()).publicJwk, kid: next.kid }]
    }),
  },
  {
    name: 'key-set-kid-repeated',
    summary: 'Two different keys have the same kid; the signing key is the first.',
    violates: ['KEYSET-KID-UNIQUE'],
    consequences: ['IDTOKEN-SIGNATURE', 'ACCESSTOKEN-SIGNATURE'],
    alter: editKeys(async (keys) => [...keys, { ...(await spareKey()).publicJwk, kid: keys[0]?.kid }]),
  },
  {
    name: 'key-set-without-signer',
    summary: 'The key set contains another key than the one in use.',
    violates: ['KEYSET-HOLDS-SIGNER'],
    alter: editKeys(async () => [{ ...(await spareKey()).publicJwk }]),
  },
])
