import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editKeys, editResponse } from '../edits.ts'
import { fieldsOf, jsonResponse } from '../http.ts'
import { activeKey, spareKey } from '../keys.ts'

export const keySetFaults = withSurface('key-set', [
  {
    name: 'key-set-needs-credentials',
    summary: 'Returns 401 for a request for the key set without credentials.',
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
    summary: 'Redirects from the key set endpoint to a login page.',
    violates: ['KEYSET-PUBLIC'],
    alter: editResponse('keySet', (response) => {
      response.status = 302
      response.headers.location = '/mga/sps/authsvc/login'
      response.body = ''
    }),
  },
  {
    name: 'key-set-as-list',
    summary: 'Returns the key set as an array of keys without the enclosing object.',
    violates: ['KEYSET-SHAPE'],
    alter: editResponse('keySet', (response) => {
      response.body = fieldsOf(response)?.keys
    }),
  },
  {
    name: 'key-set-by-kid',
    summary: 'Returns `keys` as an object with one member per `kid` instead of an array.',
    violates: ['KEYSET-SHAPE'],
    alter: editResponse('keySet', (response) => {
      const keys = fieldsOf(response)?.keys
      if (Array.isArray(keys)) response.body = { keys: Object.fromEntries(keys.map((key) => [key.kid, key])) }
    }),
  },
  {
    name: 'key-set-names-ps256',
    summary: 'Publishes the signing key with `alg` set to `PS256`.',
    violates: ['KEYSET-RS256'],
    alter: editKeys((keys) => keys.map((key) => ({ ...key, alg: 'PS256' }))),
  },
  {
    name: 'key-set-for-encryption',
    summary: 'Publishes the signing key with `use` set to `enc`.',
    violates: ['KEYSET-RS256'],
    alter: editKeys((keys) => keys.map((key) => ({ ...key, use: 'enc' }))),
  },
  {
    name: 'key-set-kid-missing',
    summary: 'Publishes a second, unused signing key without a `kid`.',
    violates: ['KEYSET-KID'],
    alter: editKeys(async (keys) => {
      const { kid: _, ...unnamed } = (await spareKey()).publicJwk
      return [...keys, unnamed]
    }),
  },
  {
    name: 'key-set-kid-number',
    summary: 'Publishes a second, unused signing key with a number as its `kid`.',
    violates: ['KEYSET-KID'],
    alter: editKeys(async (keys) => [...keys, { ...(await spareKey()).publicJwk, kid: 2 }]),
  },
  {
    name: 'key-set-kid-repeated-beside',
    summary: 'Publishes two unused keys with the same `kid`.',
    violates: ['KEYSET-KID-UNIQUE'],
    alter: editKeys(async (keys) => {
      const next = (await spareKey()).publicJwk
      return [...keys, next, { ...(await activeKey()).publicJwk, kid: next.kid }]
    }),
  },
  {
    name: 'key-set-kid-repeated',
    summary: 'Publishes two different keys with the same `kid`, the signing key first.',
    violates: ['KEYSET-KID-UNIQUE'],
    consequences: ['IDTOKEN-SIGNATURE', 'ACCESSTOKEN-SIGNATURE'],
    alter: editKeys(async (keys) => [...keys, { ...(await spareKey()).publicJwk, kid: keys[0]?.kid }]),
  },
  {
    name: 'key-set-signer-for-encryption',
    summary: 'Publishes the signing key with `use` set to `enc`, and another key for signatures.',
    violates: ['KEYSET-HOLDS-SIGNER'],
    alter: editKeys(async (keys) => [
      ...keys.map((key) => ({ ...key, use: 'enc' })),
      (await spareKey()).publicJwk,
    ]),
  },
  {
    name: 'key-set-signer-for-rs512',
    summary: 'Publishes the signing key with `alg` set to `RS512`, and another key for RS256.',
    violates: ['KEYSET-HOLDS-SIGNER'],
    alter: editKeys(async (keys) => [
      ...keys.map((key) => ({ ...key, alg: 'RS512' })),
      (await spareKey()).publicJwk,
    ]),
  },
  {
    name: 'key-set-without-signer-now-and-then',
    summary: 'Publishes another key instead of the signing key in every second response.',
    violates: ['KEYSET-HOLDS-SIGNER'],
    alter: (behaviour: Behaviour) => {
      let responses = 0
      editKeys(async (keys) => {
        responses += 1
        return responses % 2 === 0 ? [{ ...(await spareKey()).publicJwk }] : keys
      })(behaviour)
    },
  },
  {
    name: 'key-set-modulus-in-plain-base64',
    summary: 'Publishes the modulus of the signing key in Base64 with padding instead of base64url.',
    violates: ['KEYSET-RS256'],
    alter: editKeys(async (keys) =>
      keys.map(({ n, ...key }) => ({ ...key, n: Buffer.from(String(n), 'base64url').toString('base64') })),
    ),
  },
  {
    name: 'key-set-without-signer',
    summary: 'Publishes another key instead of the signing key.',
    violates: ['KEYSET-HOLDS-SIGNER'],
    alter: editKeys(async () => [{ ...(await spareKey()).publicJwk }]),
  },
])
