import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { startProvider } from '../../provider/index.ts'
import type { Diagnosis } from '../../src/doctor/diagnosis.ts'
import { examine } from '../../src/doctor/doctor.ts'
import { runChecks } from '../../src/run/run-checks.ts'
import { targetFrom } from '../../src/target/config.ts'
import { type Site, startSite } from '../browser/site.ts'

// Deployments whose addresses are not all on one host at its root.

vi.setConfig({ testTimeout: 60_000 })

let reportDir: string
/** Serves the key set of a provider on another host. */
let keys: Site
let keySet: string
beforeAll(async () => {
  reportDir = mkdtempSync(join(tmpdir(), 'plumbline-addresses-'))
  keys = await startSite(() => ({ headers: { 'content-type': 'application/json' }, body: keySet }))
})
afterAll(async () => {
  rmSync(reportDir, { recursive: true, force: true })
  await keys?.close()
})

async function provide(variants: string[] = []) {
  const provider = await startProvider({ variants })
  onTestFinished(() => provider.close())
  keySet = await (await fetch(provider.jwksUrl)).text()
  return provider
}

async function checked(variables: Readonly<Record<string, string>>, only: readonly string[]) {
  const { results } = await runChecks({
    target: targetFrom('embedded', { ...variables, REPORT_DIR: reportDir }),
    selection: { only, areas: [] },
    report: false,
    output: new PassThrough() as unknown as NodeJS.WriteStream,
    runner: 'direct',
  })
  const observed = new Map(results.observations.map(({ key, value }) => [key, value]))
  return {
    verdicts: Object.fromEntries(results.requirements.map(({ id, verdict }) => [id, verdict])),
    observed,
  }
}

async function diagnosed(variables: Readonly<Record<string, string>>): Promise<string[]> {
  const found: Diagnosis[] = []
  const target = targetFrom('embedded', { ...variables, REPORT_DIR: reportDir })
  await examine(target, new Map(), { login: true, onDiagnosis: (one) => found.push(one) })
  expect(found.filter(({ severity }) => severity === 'error' || severity === 'unanswered')).toEqual([])
  return found.map(({ what }) => what)
}

test('a key set on another host is used if JWKS_URL names it, and the run reports it', async () => {
  const { variables } = await provide()
  const elsewhere = { ...variables, JWKS_URL: `${keys.origin}/jwks` }
  const { verdicts, observed } = await checked(elsewhere, [
    'IDTOKEN-SIGNATURE',
    'KEYSET-PUBLIC',
    'KEYSET-ADDRESS',
  ])
  expect(verdicts).toMatchObject({ 'IDTOKEN-SIGNATURE': 'pass', 'KEYSET-PUBLIC': 'pass' })
  expect(observed.get('key-set.jwks-uri')).toBe('another address')
  expect(await diagnosed(elsewhere)).toContainEqual(
    `the key set at ${keys.origin}/jwks (JWKS_URL) has 1 signing key`,
  )
})

test('a wrong key set on another host is a matter of the configuration if discovery names none', async () => {
  const { variables } = await provide(['discovery-without-key-set'])
  const elsewhere = { ...variables, JWKS_URL: `${keys.origin}/jwks` }
  const only = ['IDTOKEN-SIGNATURE', 'KEYSET-HOLDS-SIGNER', 'KEYSET-KID', 'KEYSET-RS256']
  const all = (verdict: string) => Object.fromEntries(only.map((id) => [id, verdict]))
  expect((await checked(elsewhere, only)).verdicts).toEqual(all('pass'))
  keySet = JSON.stringify({ keys: [{ kty: 'EC', crv: 'P-256', x: 'eA', y: 'eQ' }] })
  expect((await checked(elsewhere, only)).verdicts).toEqual(all('inconclusive'))
})

test('a key set that discovery names on another host of the configuration is used', async () => {
  const provider = await provide()
  const { JWKS_URL: _, ...variables } = provider.variables
  // Discovery is on the host of the identity provider, its keys on that of the partner API.
  const front = await startSite(({ url }) => {
    const body = JSON.stringify({ issuer: variables.IDP_BASE_URL, jwks_uri: `${keys.origin}/jwks` })
    return url.pathname.endsWith('/openid-configuration')
      ? { headers: { 'content-type': 'application/json' }, body }
      : undefined
  })
  onTestFinished(() => front.close())
  const split = { ...variables, IDP_BASE_URL: front.origin }
  const only = ['KEYSET-PUBLIC', 'KEYSET-RS256']
  const pass = { 'KEYSET-PUBLIC': 'pass', 'KEYSET-RS256': 'pass' }
  expect((await checked({ ...split, PARTNER_API_URL: keys.origin }, only)).verdicts).toEqual(pass)
  const before = keys.log.length
  expect((await checked(split, only)).verdicts).not.toEqual(pass)
  expect(keys.log).toHaveLength(before)
})

test('an identity provider under a path is addressed below it', async () => {
  const { variables, requests } = await provide(['issuer-with-path'])
  expect(variables.IDP_BASE_URL).toMatch(/\/tenant-7$/)
  expect(await diagnosed(variables)).toContainEqual(expect.stringMatching(/^TEST_USER signed in within /))
  expect(requests.filter(({ status }) => status === 404)).toEqual([])
})

test('if discovery names other paths, the documented ones are used, and the doctor and the run report it', async () => {
  const { variables, requests } = await provide(['discovery-names-other-paths'])
  expect(await diagnosed(variables)).toContainEqual(
    expect.stringMatching(
      /^discovery lists addresses that differ from the documented ones: .*token_endpoint \(Plumbline uses \/mga\//,
    ),
  )
  const { verdicts, observed } = await checked(variables, ['TOKEN-CODE-EXCHANGE', 'DISCOVERY-ADDRESSES'])
  expect(verdicts).toMatchObject({ 'TOKEN-CODE-EXCHANGE': 'pass' })
  expect(observed.get('discovery.documented-addresses')).toEqual([])
  expect(requests.filter(({ path }) => path.startsWith('/oauth/'))).toEqual([])
})

test('where the documented paths are missing and discovery names others, the doctor refers to the operators', async () => {
  const { variables } = await provide()
  const site = await startSite(({ url }) => {
    const issuer = url.origin
    const metadata = {
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
    }
    const documents: Readonly<Record<string, object>> = {
      '/.well-known/openid-configuration': metadata,
      '/keys': JSON.parse(keySet),
    }
    const document = documents[url.pathname]
    return document && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(document) }
  })
  onTestFinished(() => site.close())
  const found: Diagnosis[] = []
  const given = { ...variables, IDP_BASE_URL: site.origin, REPORT_DIR: reportDir }
  await examine(targetFrom('embedded', given), new Map(), {
    login: false,
    onDiagnosis: (one) => found.push(one),
  })
  expect(found).toContainEqual(
    expect.objectContaining({
      severity: 'warning',
      topic: 'discovery',
      what: expect.stringMatching(/^discovery lists addresses that differ from the documented ones/),
    }),
  )
  expect(found.filter(({ topic }) => topic === 'application')).toMatchObject([
    {
      severity: 'error',
      variables: [],
      advice: expect.stringMatching(/^have the operators of the target serve the documented addresses/),
    },
  ])
})
