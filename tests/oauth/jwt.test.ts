import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { exportJWK, type JWK } from 'jose'
import { describe, expect, test } from 'vitest'
import { responseLimits } from '../../src/http/response-limits.ts'
import { alterSignature, decodeJwt, forgedJwt, verifySignature } from '../../src/oauth/jwt.ts'

const [rsa, otherRsa] = [1, 2].map(() => generateKeyPairSync('rsa', { modulusLength: 2048 }))
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
if (!rsa || !otherRsa) throw new Error('no keys')
const publicJwk: JWK = { ...(await exportJWK(rsa.publicKey)), kid: 'good' }
const otherJwk: JWK = { ...(await exportJWK(otherRsa.publicKey)), kid: 'other' }
const ecJwk: JWK = { ...(await exportJWK(ec.publicKey)), kid: 'ec' }

const shortJwk: JWK = {
  ...(await exportJWK(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey)),
  kid: 'good',
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

function signed(
  header: object,
  { key = rsa?.privateKey as KeyObject, hash = 'sha256', claims = { sub: 'a' } as unknown } = {},
) {
  const input = `${encode(header)}.${encode(claims)}`
  return `${input}.${sign(hash, Buffer.from(input), key).toString('base64url')}`
}

const good = signed({ alg: 'RS256', kid: 'good' })
const keys: Record<string, JWK> = { good: publicJwk, other: otherJwk, ec: ecJwk }
const byKid = async (kid: string) => keys[kid]

/** A text that is not a JWT is rejected before its signature is verified. */
async function verify(compact: string, keyByKid: (kid: string) => Promise<JWK | undefined> = byKid) {
  const token = decodeJwt(compact)
  return token ? verifySignature(token, keyByKid) : { valid: false, reason: 'it is not a JWT' }
}

function hs256(secret: string | Buffer): string {
  const input = `${encode({ alg: 'HS256', kid: 'good' })}.${encode({ sub: 'a' })}`
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
}

test('the valid token is accepted', async () => {
  expect(await verify(good)).toEqual({ valid: true })
  expect(decodeJwt(good)).toEqual({
    compact: good,
    header: { alg: 'RS256', kid: 'good' },
    claims: { sub: 'a' },
  })
})

test('a header that is nested too deeply is not a header', () => {
  const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)])
  const deep = (depth: number) => signed({ alg: 'RS256', kid: 'good', x: nested(depth) })
  expect(decodeJwt(deep(responseLimits.depth - 1))).toBeDefined()
  expect(decodeJwt(deep(responseLimits.depth))).toBeUndefined()
})

describe('a forged token is rejected', () => {
  const [header = '', claims = '', signature = ''] = good.split('.')
  const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' }) as string
  const der = rsa.publicKey.export({ type: 'spki', format: 'der' })
  test.each<readonly [string, string]>([
    ['an altered inner character of its signature', alterSignature(good)],
    ['altered claims', `${header}.${encode({ sub: 'b' })}.${signature}`],
    ['an altered header', `${encode({ alg: 'RS256', kid: 'good', typ: 'JWT' })}.${claims}.${signature}`],
    ['another key under the same kid', signed({ alg: 'RS256', kid: 'good' }, { key: otherRsa.privateKey })],
    ['the kid of another published key', signed({ alg: 'RS256', kid: 'other' })],
    ['alg none and no signature', `${encode({ alg: 'none', kid: 'good' })}.${claims}.`],
    ['alg none and the signature', `${encode({ alg: 'none', kid: 'good' })}.${claims}.${signature}`],
    ['HS256 with the public key as PEM', hs256(pem)],
    ['HS256 with the public key as DER', hs256(der)],
    ['HS256 with the modulus', hs256(publicJwk.n ?? '')],
    ['RS512', signed({ alg: 'RS512', kid: 'good' }, { hash: 'sha512' })],
    ['RS256 in lower case', signed({ alg: 'rs256', kid: 'good' })],
    ['no alg', signed({ kid: 'good' })],
    ['no kid', signed({ alg: 'RS256' })],
    ['a kid that is not a string', signed({ alg: 'RS256', kid: 1 })],
    ['an empty kid', signed({ alg: 'RS256', kid: '' })],
    ['an unknown kid', signed({ alg: 'RS256', kid: 'unknown' })],
    ['a kid of an elliptic curve key', signed({ alg: 'RS256', kid: 'ec' })],
    ['a key of its own in the header', signed({ alg: 'RS256', kid: 'unknown', jwk: publicJwk })],
    ['a critical extension', signed({ alg: 'RS256', kid: 'good', crit: ['x'], x: 1 })],
    ['extra parts', `${good}.${signature}`],
    ['a part too few', `${header}.${claims}`],
    ['an empty signature', `${header}.${claims}.`],
    ['base64 padding', `${good}==`],
    [
      'base64 in place of base64url',
      `${header}.${claims}.${Buffer.from(signature, 'base64url').toString('base64')}`,
    ],
    ['a line break', `${good}\n`],
    ['a blank before it', ` ${good}`],
    ['a cut signature', good.slice(0, -4)],
    ['nothing', ''],
    ['only dots', '..'],
    ['a header that is not JSON', `bm9wZQ.${claims}.${signature}`],
    ['a header that is an array', `${encode([])}.${claims}.${signature}`],
  ])('%s', async (_, token) => {
    const verdict = await verify(token)
    expect(verdict.valid).toBe(false)
    expect(verdict).toHaveProperty('reason', expect.not.stringContaining(signature.slice(0, 20)))
  })

  test.each<readonly [string, JWK]>([
    ['without modulus', { kty: 'RSA', e: 'AQAB', kid: 'good' }],
    ['with a modulus that is not a string', { ...publicJwk, n: 5 as unknown as string }],
    ['with an empty modulus', { ...publicJwk, n: '' }],
    ['too short', shortJwk],
  ])('by a published key %s', async (_, jwk) => {
    expect((await verify(good, async () => jwk)).valid).toBe(false)
  })
})

describe('the reason for a refusal', () => {
  const [, claims = ''] = good.split('.')
  const malformed = 'the token, or the key with its kid, is malformed'
  const notUnderstood = 'its header has crit with an extension that is not understood (RFC 7515, 4.1.11)'
  const malformedCrit = 'its header has a malformed crit (RFC 7515, 4.1.11)'
  const unsuitable = 'the key set has no key, or more than one, with its kid'
  // Names without a token, since each run has other keys, and a mutation run finds tests by their names.
  test.each<readonly [string, string, string]>([
    ['HS256', `${encode({ alg: 'HS256', kid: 'good' })}.${claims}.c2ln`, 'it is not signed with RS256'],
    ['no kid', signed({ alg: 'RS256' }), 'its header has no kid'],
    ['a numeric kid', signed({ alg: 'RS256', kid: 1 }), 'its header has no kid'],
    ['an unknown kid', signed({ alg: 'RS256', kid: 'unknown' }), unsuitable],
    ['another key type', signed({ alg: 'RS256', kid: 'ec' }), 'the key with its kid is not an RSA key'],
    ['an altered signature', alterSignature(good), 'the key with its kid does not verify the signature'],
    ['a critical extension', signed({ alg: 'RS256', kid: 'good', crit: ['x'], x: 1 }), notUnderstood],
    [
      'a critical claim',
      signed({ alg: 'RS256', kid: 'good', crit: ['b64', 'exp'], b64: true }),
      notUnderstood,
    ],
    ['crit as a string', signed({ alg: 'RS256', kid: 'good', crit: 'exp' }), malformedCrit],
    ['an empty crit', signed({ alg: 'RS256', kid: 'good', crit: [] }), malformedCrit],
    ['a critical member that is absent', signed({ alg: 'RS256', kid: 'good', crit: ['b64'] }), malformed],
  ])('for %s', async (_, token, reason) => {
    expect(await verify(token)).toEqual({ valid: false, reason })
  })

  test.each<readonly [string, JWK]>([
    ['no modulus', { kty: 'RSA', e: 'AQAB' }],
    ['a modulus that is not a string', { ...publicJwk, n: 5 as unknown as string }],
    ['a modulus that is not a number', { ...publicJwk, n: 'AAAA' }],
    ['a modulus of 1024 bits', shortJwk],
  ])('by a key with %s', async (_, jwk) => {
    expect(await verify(good, async () => jwk)).toEqual({ valid: false, reason: malformed })
  })
})

test('another error is not a malformed key', async () => {
  const defect = new Error('a defect')
  const jwk = {
    kty: 'RSA',
    get n(): string {
      throw defect
    },
  }
  await expect(verify(good, async () => jwk)).rejects.toBe(defect)
})

test('a failure to fetch keys is not an invalid signature', async () => {
  for (const error of [new Error('no key set'), new TypeError('a defect')]) {
    const failing = verify(good, () => Promise.reject(error))
    await expect(failing).rejects.toBe(error)
  }
})

describe('decodeJwt', () => {
  test.each(['[]', 'null', '"a"', '1', '{', ''])('claims that are %s are not a JWT', (claims) => {
    const part = Buffer.from(claims).toString('base64url')
    expect(decodeJwt(`${encode({ alg: 'RS256' })}.${part}.c2ln`)).toBeUndefined()
  })

  test.each<readonly [string, string]>([
    ['nothing', ''],
    ['one part', 'a'],
    ['two parts', 'a.b'],
    ['parts that are no JSON', 'a.b.c'],
    ['only dots', '...'],
    ['a fourth part', `${good}.x`],
    ['five parts', `${good}.x.y`],
    ['no signature', good.slice(0, good.lastIndexOf('.'))],
    ['padding', `${good}=`],
    ['a blank at the end', `${good} `],
    ['a blank at the beginning', ` ${good}`],
    ['other letters', 'ä.ä.ä'],
  ])('%s is none', (_, text) => {
    expect(decodeJwt(text)).toBeUndefined()
  })
})

describe('alterSignature', () => {
  test('changes one character of the signature, and its decoded bytes', () => {
    for (let count = 0; count < 50; count += 1) {
      const token = signed({ alg: 'RS256', kid: 'good', count })
      const altered = alterSignature(token)
      const differing = [...token].flatMap((character, index) =>
        altered[index] === character ? [] : [index],
      )
      expect(differing).toHaveLength(1)
      expect(differing[0]).toBeGreaterThan(token.lastIndexOf('.'))
      const bytes = (text: string) => Buffer.from(text.split('.')[2] ?? '', 'base64url').toString('hex')
      expect(bytes(altered)).not.toBe(bytes(token))
      expect(altered).toHaveLength(token.length)
    }
  })

  test.each([
    ['a.b.CCACC', 'a.b.CCBCC'],
    ['a.b.CCBCC', 'a.b.CCACC'],
  ])('of %s gives %s', (token, altered) => {
    expect(alterSignature(token)).toBe(altered)
  })

  test('stays within a short signature', () => {
    expect(alterSignature('aaaaaaaaaaaaaaaaaaaaaaaa.bbbbbbbbbbbbbbbbbbb.AAAA')).toMatch(
      /^a+\.b+\.(?!AAAA)[AB]{4}$/,
    )
  })
})

describe('forgedJwt', () => {
  const token = signed({ alg: 'RS256', kid: 'good' }, { claims: { sub: 'a', aud: 'b' } })
  const signature = token.slice(token.lastIndexOf('.') + 1)

  test('replaces and adds members, and keeps the others and the signature', () => {
    const forged = forgedJwt(token, { header: { alg: 'none' }, claims: { sub: 'x', admin: true } }) ?? ''
    expect(decodeJwt(forged)).toMatchObject({
      header: { alg: 'none', kid: 'good' },
      claims: { sub: 'x', aud: 'b', admin: true },
    })
    expect(forged.split('.')[2]).toBe(signature)
  })

  test.each(['', 'c2ln'])('uses the signature %j', (other) => {
    expect(forgedJwt(token, { signature: other })).toBe(token.slice(0, -signature.length) + other)
  })

  test('needs a JWT', () => {
    expect(forgedJwt('opaque', { claims: {} })).toBeUndefined()
  })
})
