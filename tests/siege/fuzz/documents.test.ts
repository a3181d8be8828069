import fc from 'fast-check'
import { expect, test } from 'vitest'
import { executeChecks } from '../../../proof/execute-checks.ts'
import { startProvider } from '../../../provider/index.ts'
import { loadSuites } from '../../../src/check/suites.ts'
import { targetFrom } from '../../../src/target/config.ts'
import { startSite } from '../../load/site.ts'
import { spoilt, tries } from './spoilt.ts'

// Whatever discovery and the key set contain, their checks give a verdict.

const metadata = {
  issuer: 'https://login.example.com',
  authorization_endpoint: 'https://login.example.com/authorize',
  token_endpoint: 'https://login.example.com/token',
  jwks_uri: 'https://login.example.com/jwks',
  scopes_supported: ['openid'],
  code_challenge_methods_supported: ['S256'],
}
const keys = { keys: [{ kty: 'RSA', kid: 'k', n: 'AQAB', e: 'AQAB', use: 'sig', alg: 'RS256', x5c: ['a'] }] }

test('discovery documents and key sets', async () => {
  const { checks } = await loadSuites()
  const documents = checks.filter(
    ({ area, effects }) => ['discovery', 'key-set'].includes(area) && !effects?.includes('login'),
  )
  expect(documents.length).toBeGreaterThan(10)
  let bodies: { discovery: unknown; keys: unknown } = { discovery: metadata, keys }
  const provider = await startProvider()
  const site = await startSite(({ url = '' }, response) => {
    const body = url.includes('/.well-known/') ? bodies.discovery : bodies.keys
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  const base = site.url.href.replace(/\/$/, '')
  const target = targetFrom('embedded', {
    ...provider.variables,
    IDP_BASE_URL: base,
    JWKS_URL: `${base}/jwks`,
    SEED: '1',
    REQUESTS_PER_SECOND: '1000',
  })
  try {
    const property = fc.asyncProperty(spoilt(metadata), spoilt(keys), async (discovery, set) => {
      bodies = { discovery, keys: set }
      const { results } = await executeChecks(documents, target)
      expect(results).toHaveLength(documents.length)
      expect(results.filter(({ cause }) => cause === 'harness')).toEqual([])
    })
    await fc.assert(property, tries(30))
  } finally {
    await site.close()
    await provider.close()
  }
}, 600_000)
