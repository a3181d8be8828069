import { login } from '../../src/check/check-options.ts'
import { describe, kindOf, quotedOrMasked } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { inconclusive, requireData } from '../../src/check/verdict.ts'
import { isSigningKey, keysOf } from '../../src/oauth/key-set.ts'
import { privateProblem } from './private-keys.ts'
import { check } from './requirements.ts'
import { kidProblem, kidUniqueProblem, rs256Problem, signerProblem } from './rules.ts'

check('KEYSET-PUBLIC', 'the key set is served without credentials', async ({ discovery, expect }) => {
  expect.describeRequest('a GET without any credentials')
  const response = await discovery.keySet()
  if (response.status === 404) return inconclusive('the key set was not found', { variables: ['JWKS_URL'] })
  if (response.status !== 200) await discovery.requireOwnKeySet(`there is no key set (${describe(response)})`)
  expect.status(response, 200)
})

check('KEYSET-SHAPE', 'the key set is an object with `keys`', async ({ discovery, expect }) => {
  const response = await discovery.keySet()
  if (response.status !== 200)
    return inconclusive(`there is no key set (${describe(response)})`, ['KEYSET-PUBLIC'])
  if (keysOf(response) === undefined)
    await discovery.requireOwnKeySet(`there is no key set (${describe(response)})`)
  const { keys } = expect.object(response)
  expect.that(Array.isArray(keys), 'keys as an array', `keys: ${kindOf(keys)}`)
  expect.that(keysOf(response) !== undefined, 'every key as an object', 'a key that is not an object')
})

check('KEYSET-RS256', 'a key of the set verifies RS256', async ({ discovery, expect, basis }) => {
  const keys = await discovery.publishedKeys()
  const problem = rs256Problem(keys)
  if (problem !== undefined) await discovery.requireOwnKeySet('no key of the set is for RS256')
  expect.that(problem === undefined, 'at least one RSA key for RS256', problem ?? '')
  basis({ keys: keys.length })
})

check('KEYSET-NO-PRIVATE', 'no key of the set has private members', async ({ discovery, expect, basis }) => {
  const keys = await discovery.publishedKeys()
  requireData(keys.length, 1, 'key in the key set')
  const problem = privateProblem(await discovery.keySet())
  if (problem !== undefined) await discovery.requireOwnKeySet('a key has private members')
  expect.that(problem === undefined, 'public members only', problem ?? '')
  basis({ keys: keys.length })
})

check('KEYSET-KID', 'each signing key has a `kid`', async ({ expect, discovery, basis }) => {
  const problem = kidProblem(await signingKeys({ discovery, basis }))
  if (problem !== undefined) await discovery.requireOwnKeySet('a key has no kid')
  expect.that(problem === undefined, 'a kid on every signing key', problem ?? '')
})

check(
  'KEYSET-KID-UNIQUE',
  'no two signing keys of one type have the same `kid`',
  async ({ expect, discovery, basis }) => {
    const problem = kidUniqueProblem(await signingKeys({ discovery, basis }))
    if (problem !== undefined) await discovery.requireOwnKeySet('two keys have the same kid')
    expect.that(problem === undefined, 'a different kid on every signing key', problem ?? '')
  },
)

check(
  'KEYSET-HOLDS-SIGNER',
  'the keys that signed the tokens are in the set',
  login,
  async ({ discovery, tokens, expect, basis }) => {
    const named = [await tokens.jwt('idToken'), await tokens.jwt('accessToken')]
      .map(({ header }) => header.kid)
      .filter((kid): kid is string => typeof kid === 'string' && kid !== '')
    if (named.length === 0) return inconclusive('no token has a kid', ['IDTOKEN-KID'])
    for (const kid of named) {
      expect.that(
        (await discovery.publishedWith(kid)) > 0,
        'the kid of the token in the key set, if necessary after a second fetch',
        'a key set without that kid',
      )
      const problem = signerProblem(await discovery.publishedKeys(), kid)
      expect.that(
        problem === undefined,
        'a key for RS256 signatures with the kid of the token',
        problem ?? '',
      )
    }
    basis({ tokens: named.length })
  },
)

check('KEYSET-CACHING', 'caching headers of the key set are recorded', async ({ discovery, observe }) => {
  const response = await discovery.keySet()
  if (response.status !== 200)
    return inconclusive(`there is no key set (${describe(response)})`, ['KEYSET-PUBLIC'])
  observe('key-set.cache-control', response.header('cache-control') ?? null)
})

check('KEYSET-ADDRESS', 'the `jwks_uri` of discovery is recorded', async ({ discovery, target, observe }) => {
  const { jwks_uri: uri } = await discovery.metadata()
  const isConfigured = target.jwksUrl === undefined ? 'the only address' : 'as JWKS_URL'
  observe(
    'key-set.jwks-uri',
    typeof uri !== 'string'
      ? kindOf(uri)
      : uri === (await discovery.keySetUrl()).href
        ? isConfigured
        : 'another address',
  )
})

check('KEYSET-KEYS', 'kinds and sizes of keys are recorded', async ({ discovery, observe }) => {
  const kinds = (await discovery.publishedKeys()).map(({ kty, use, n }) => {
    const bits = typeof n === 'string' ? ` ${Buffer.from(n, 'base64url').length * 8}` : ''
    return `${quotedOrMasked(kty)}${bits}${use === undefined ? '' : ` for ${quotedOrMasked(use)}`}`
  })
  observe('key-set.keys', kinds.sort())
})

async function signingKeys({ discovery, basis }: Pick<CheckContext, 'discovery' | 'basis'>) {
  const signing = (await discovery.publishedKeys()).filter(isSigningKey)
  requireData(signing.length, 1, 'signing key in the key set')
  basis({ keys: signing.length })
  return signing
}
