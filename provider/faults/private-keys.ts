import { type Alter, withSurface } from '../alteration.ts'
import { editKeys, editResponse } from '../edits.ts'
import { fieldsOf } from '../http.ts'
import { activeKey, type SigningKey, spareKey } from '../keys.ts'

/** Publishes the spare key in another form, outside `keys`. */
function publishBeside(form: (key: SigningKey) => unknown): Alter {
  return editResponse('keySet', async (response) => {
    response.body = { ...fieldsOf(response), spare: form(await spareKey()) }
  })
}

/** Private keys in the response with the key set, in several forms. */
export const privateKeyFaults = withSurface('key-set', [
  {
    name: 'key-set-with-private-key',
    summary: 'Publishes the private members of the signing key.',
    violates: ['KEYSET-NO-PRIVATE'],
    alter: editKeys(async () => [{ ...(await activeKey()).privateJwk }]),
  },
  {
    name: 'key-set-with-private-exponent',
    summary: 'Publishes the private exponent of a second, unused key.',
    violates: ['KEYSET-NO-PRIVATE'],
    alter: editKeys(async (keys) => {
      const { publicJwk, privateJwk } = await spareKey()
      return [...keys, { ...publicJwk, d: privateJwk.d }]
    }),
  },
  {
    name: 'key-set-with-private-key-beside-keys',
    summary: 'Publishes a private key in a member next to `keys`.',
    violates: ['KEYSET-NO-PRIVATE'],
    alter: editResponse('keySet', async (response) => {
      response.body = { ...fieldsOf(response), retired: [(await spareKey()).privateJwk] }
    }),
  },
  {
    name: 'key-set-with-private-key-inside-key',
    summary: 'Publishes a private key in a member of the public key.',
    violates: ['KEYSET-NO-PRIVATE'],
    alter: editKeys(async (keys) => {
      const { privateJwk } = await spareKey()
      return keys.map((key) => ({ ...key, pair: { private: privateJwk } }))
    }),
  },
  {
    name: 'key-set-with-private-key-in-pem',
    summary: 'Publishes a private key in PEM, in an additional member of the public key.',
    violates: ['KEYSET-NO-PRIVATE'],
    alter: editKeys(async (keys) => {
      const pem = (await spareKey()).privateKey.export({ format: 'pem', type: 'pkcs8' })
      return keys.map((key) => ({ ...key, pem }))
    }),
  },
  {
    name: 'key-set-with-private-key-in-pkcs8',
    summary:
      'Publishes a private key as base64 of its DER (PKCS #8), in an additional member of the public key.',
    violates: ['KEYSET-NO-PRIVATE'],
    alter: editKeys(async (keys) => {
      const der = (await spareKey()).privateKey.export({ format: 'der', type: 'pkcs8' })
      return keys.map((key) => ({ ...key, material: der.toString('base64') }))
    }),
  },
  {
    name: 'key-set-with-private-key-in-pkcs1',
    summary: 'Publishes a private key as base64url of its DER (PKCS #1), in a member next to `keys`.',
    violates: ['KEYSET-NO-PRIVATE'],
    alter: editResponse('keySet', async (response) => {
      const der = (await spareKey()).privateKey.export({ format: 'der', type: 'pkcs1' })
      response.body = { ...fieldsOf(response), backup: [der.toString('base64url')] }
    }),
  },
  {
    name: 'key-set-with-shared-secret',
    summary: 'Publishes a symmetric key in the key set.',
    violates: ['KEYSET-NO-PRIVATE'],
    alter: editKeys((keys) => [
      ...keys,
      { kty: 'oct', kid: 'hmac', use: 'sig', alg: 'HS256', k: 'c2hhcmVkLXNlY3JldC1vZi1hLXRlc3Q' },
    ]),
  },
  {
    name: 'key-set-with-private-members-without-type',
    summary: 'Publishes the private members of an unused key next to `keys`, without a `kty`.',
    violates: ['KEYSET-NO-PRIVATE'],
    alter: publishBeside(({ privateJwk: { d, p, q } }) => ({ d, p, q })),
  },
  {
    name: 'key-set-with-private-key-as-text',
    summary: 'Publishes an unused private key as a string that contains its JWK.',
    violates: ['KEYSET-NO-PRIVATE'],
    alter: publishBeside(({ privateJwk }) => JSON.stringify(privateJwk)),
  },
  {
    name: 'key-set-with-private-key-in-upper-case',
    summary: 'Publishes an unused private key with the member names of .NET.',
    violates: ['KEYSET-NO-PRIVATE'],
    alter: publishBeside(({ privateJwk: { n, e, d, p, q, dp, dq, qi } }) => ({
      ...{ Modulus: n, Exponent: e, D: d, P: p, Q: q, DP: dp, DQ: dq, InverseQ: qi },
    })),
  },
  {
    name: 'key-set-with-private-key-in-pem-as-base64',
    summary: 'Publishes an unused private key as base64 of its PEM.',
    violates: ['KEYSET-NO-PRIVATE'],
    alter: publishBeside(({ privateKey }) =>
      Buffer.from(privateKey.export({ format: 'pem', type: 'pkcs8' })).toString('base64'),
    ),
  },
  {
    name: 'key-set-with-private-key-in-hexadecimal',
    summary: 'Publishes an unused private key as hexadecimal digits of its DER.',
    violates: ['KEYSET-NO-PRIVATE'],
    alter: publishBeside(({ privateKey }) =>
      privateKey.export({ format: 'der', type: 'pkcs8' }).toString('hex'),
    ),
  },
  {
    name: 'key-set-with-factor-of-modulus',
    summary: 'Publishes a prime factor of the signing key next to `keys`.',
    violates: ['KEYSET-NO-PRIVATE'],
    alter: editResponse('keySet', async (response) => {
      response.body = { ...fieldsOf(response), seed: (await activeKey()).privateJwk.q }
    }),
  },
])
