import { createHmac, type KeyObject, sign } from 'node:crypto'
import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editKeys } from '../edits.ts'
import type { UnsignedJwt } from '../identity/behaviour.ts'
import { activeKey, signRs256, spareKey } from '../keys.ts'

function editIdToken(edit: (jwt: UnsignedJwt) => void | Promise<void>): Alter {
  return ({ idp }) => idp.idToken.push((jwt) => edit(jwt))
}

function signWith(algorithm: string, input: string, key: KeyObject): string {
  return sign(algorithm, Buffer.from(input), key).toString('base64url')
}

export const idTokenFormFaults = withSurface('jwt', [
  {
    name: 'id-token-unsigned',
    summary: 'Issues ID tokens with `alg` none and an empty signature.',
    violates: ['IDTOKEN-JWT'],
    alter: editIdToken((jwt) => {
      jwt.header.alg = 'none'
      jwt.sign = () => ''
    }),
  },
  {
    name: 'id-token-padded',
    summary: 'Pads the signature of ID tokens as in base64.',
    violates: ['IDTOKEN-JWT'],
    alter: editIdToken((jwt) => {
      const { sign: unpadded } = jwt
      jwt.sign = async (input) => `${await unpadded(input)}==`
    }),
  },
  {
    name: 'id-token-rs512',
    summary: 'Signs ID tokens with RS512 instead of RS256.',
    violates: ['IDTOKEN-ALG'],
    alter: editIdToken(async (jwt) => {
      const { privateKey } = await activeKey()
      jwt.header.alg = 'RS512'
      jwt.sign = (input) => signWith('sha512', input, privateKey)
    }),
  },
  {
    name: 'id-token-hs256-with-public-key',
    summary: 'Signs ID tokens with HS256 and the public key as the secret.',
    violates: ['IDTOKEN-ALG'],
    alter: editIdToken(async (jwt) => {
      const secret = (await activeKey()).publicKey.export({ type: 'spki', format: 'pem' })
      jwt.header.alg = 'HS256'
      jwt.sign = (input) => createHmac('sha256', secret).update(input).digest('base64url')
    }),
  },
  {
    name: 'id-token-kid-missing',
    summary: 'Omits `kid` from the header of ID tokens.',
    violates: ['IDTOKEN-KID'],
    alter: editIdToken(({ header }) => {
      delete header.kid
    }),
  },
  {
    name: 'id-token-kid-number',
    summary: 'Writes the `kid` of ID tokens as a number.',
    violates: ['IDTOKEN-KID'],
    alter: editIdToken(({ header }) => {
      header.kid = 1
    }),
  },
  {
    name: 'id-token-critical-exp',
    summary: 'Lists `exp` in the `crit` of the header of ID tokens, as an extension that must be understood.',
    violates: ['IDTOKEN-SIGNATURE'],
    alter: editIdToken(({ header }) => {
      header.crit = ['exp']
    }),
  },
  {
    name: 'id-token-kid-of-another-key',
    summary: 'Publishes two keys, signs ID tokens with one, and writes the `kid` of the other.',
    violates: ['IDTOKEN-SIGNATURE'],
    alter: (behaviour: Behaviour) => {
      editKeys(async (keys) => [...keys, (await spareKey()).publicJwk])(behaviour)
      editIdToken(async ({ header }) => {
        header.kid = (await spareKey()).kid
      })(behaviour)
    },
  },
  {
    name: 'id-token-signed-by-unpublished-key',
    summary: 'Signs ID tokens with an unpublished key under the `kid` of the published key.',
    violates: ['IDTOKEN-SIGNATURE'],
    alter: editIdToken(async (jwt) => {
      const { privateKey } = await spareKey()
      jwt.sign = (input) => signRs256(input, privateKey)
    }),
  },
  {
    name: 'id-token-signed-before-edit',
    summary: 'Adds a claim to ID tokens after it has signed them.',
    violates: ['IDTOKEN-SIGNATURE'],
    alter: editIdToken(async (jwt) => {
      const { privateKey } = await activeKey()
      const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
      const signature = await signRs256(`${part(jwt.header)}.${part(jwt.claims)}`, privateKey)
      jwt.claims.channel = 'web'
      jwt.sign = () => signature
    }),
  },
])
