import { expect, test } from 'vitest'
import { missingScopes, unlistedScopes } from '../../src/doctor/scope.ts'
import { Doctor, withSeverity } from './doctor-fixture.ts'

const doctor = new Doctor()

test.for<[scope: string, listed: unknown, unknown: string | undefined]>([
  ['openid profile', ['openid', 'profile', 'email'], undefined],
  ['openid  profile', ['openid', 'profile'], undefined],
  ['openid profil', ['openid', 'profile'], 'profil'],
  ['openid a b', ['openid', 7], 'a, b'],
  ['openid', [], 'openid'],
  // The document need not list them.
  ['openid profil', undefined, undefined],
  ['openid profil', 'openid', undefined],
])('of SCOPE "%s" and the listed scopes %j, %s is unknown', ([scope, listed, unknown]) => {
  const found = unlistedScopes(scope, { scopes_supported: listed })
  expect(found.map(({ severity, variables }) => ({ severity, variables }))).toEqual(
    unknown === undefined ? [] : [{ severity: 'warning', variables: ['SCOPE'] }],
  )
  if (unknown !== undefined) expect(found[0]?.what).toContain(`SCOPE contains ${unknown}, which `)
})

test('a misspelt scope is reported with the nearest one', () => {
  const [found] = unlistedScopes('openid emial', { scopes_supported: ['openid', 'email'] })
  expect(found?.advice).toContain('correct SCOPE (the nearest: email)')
})

test.for<[requested: string, granted: unknown, missing: string | undefined]>([
  ['openid profile', 'profile openid', undefined],
  ['openid profile', 'openid', 'profile'],
  // Without a scope in the response, the requested one is granted (RFC 6749, 5.1).
  ['openid profile', undefined, undefined],
  ['openid profile', '', undefined],
  ['openid profile', 'openid,profile', undefined],
  ['openid profile', ['openid'], undefined],
])('of the requested "%s" and the granted %j, %s is missing', ([requested, granted, missing]) => {
  const texts = missingScopes(requested, granted).map(({ what }) => what)
  expect(texts).toEqual(
    missing === undefined ? [] : [`the provider did not grant ${missing}, which SCOPE contains`],
  )
})

test('the doctor warns of a scope that the provider does not list, and of none in a valid configuration', async () => {
  const scopeWarnings = async (changes: Record<string, string>) => {
    const result = await doctor.diagnosed(changes, ['--no-login'])
    return withSeverity(result, 'warning').filter(({ variables }) => variables.includes('SCOPE'))
  }
  expect(await scopeWarnings({ SCOPE: 'openid profil' })).toMatchObject([
    { topic: 'discovery', what: 'SCOPE contains profil, which discovery does not list in scopes_supported' },
  ])
  expect(await scopeWarnings({})).toEqual([])
})
