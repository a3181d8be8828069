import { describe, expect, test } from 'vitest'
import { Workplace } from './workplace.ts'

const workplace = new Workplace()
const identityProvider = {
  IDP_BASE_URL: undefined,
  JWKS_URL: undefined,
  CLIENT_ID: undefined,
  CLIENT_SECRET: undefined,
  REDIRECT_URI: undefined,
  CLAIM_RECIPE: undefined,
}
const uat = { TARGET: 'uat', REQUESTS_PER_SECOND: '100' }

describe('a selection of areas needs only their variables', () => {
  test('the event search needs the partner API only', async () => {
    const words = ['check', '--no-report', '--only', 'EVENT-SEARCH', 'EVENT-WINDOW-LIMIT']
    const { code, stdout, stderr } = await workplace.run(words, { ...uat, ...identityProvider })
    expect(code, stderr).toBe(0)
    expect(stdout).toContain('2 pass')
  })

  test('discovery and the key set need the issuer only', async () => {
    const application = { ...identityProvider, IDP_BASE_URL: workplace.provider.issuer }
    const without = { ...uat, ...application, PARTNER_API_URL: undefined }
    const words = ['--area', 'discovery', '--area', 'key-set']
    const { code, stdout, stderr } = await workplace.run(['check', '--no-report', ...words], without)
    expect(code, stderr).toBe(0)
    expect(stdout).toContain('key-set')
    const plan = await workplace.run(['plan', ...words], without)
    expect(plan.stdout).toContain('needs CLIENT_ID, CLIENT_SECRET and REDIRECT_URI to be set')
  })

  test('tokens need an application, and the error names its variables', async () => {
    const words = ['check', '--area', 'event-search', '--area', 'token']
    const { code, stderr } = await workplace.run(words, { ...uat, ...identityProvider })
    expect(code).toBe(3)
    for (const name of ['IDP_BASE_URL', 'CLIENT_ID', 'CLIENT_SECRET', 'REDIRECT_URI'])
      expect(stderr).toContain(`${name} is not set; the area token needs it`)
  })
})
