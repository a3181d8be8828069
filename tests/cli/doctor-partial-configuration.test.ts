import { describe, expect, test } from 'vitest'
import { plumbline } from './command.ts'
import { Doctor, withSeverity } from './doctor-fixture.ts'

const doctor = new Doctor()

describe('the doctor of a partial configuration', () => {
  const noProvider = { IDP_BASE_URL: null, JWKS_URL: null, CLAIM_RECIPE: null }
  const noApplication = { CLIENT_ID: null, CLIENT_SECRET: null, REDIRECT_URI: null }
  const noPartner = { PARTNER_API_URL: null, PARTNER_CLIENT_ID: null, PARTNER_CLIENT_SECRET: null }
  const uat = { TARGET: 'uat', REQUESTS_PER_SECOND: '100' }

  test('examines the Event Hub with the partner API alone, and names the other areas', async () => {
    const result = await doctor.diagnosed({ ...uat, ...noProvider, ...noApplication })
    expect(result).toMatchObject({ code: 0, logins: 0 })
    expect(result.findings).toContainEqual(expect.objectContaining({ topic: 'Event Hub', severity: 'ok' }))
    expect(withSeverity(result, 'skipped')).toMatchObject([
      {
        what: expect.stringMatching(
          /^IDP_BASE_URL, CLIENT_ID, CLIENT_SECRET, REDIRECT_URI are not set, so .*: discovery, .*token,.*platform$/,
        ),
      },
    ])
  })

  test('names the areas to check in its summary', async () => {
    const env = Object.fromEntries(
      Object.entries({ ...doctor.provider.variables, ...uat }).filter(
        ([name]) => !(name in noProvider || name in noApplication),
      ),
    )
    const { stdout } = await plumbline(['doctor'], { cwd: doctor.folder, env })
    expect(stdout).toContain('Next: npx plumbline check --target uat --area event-search --area events\n')
    const planned = await plumbline(['doctor'], { cwd: doctor.folder, env: { ...env, ENABLE: 'planned' } })
    expect(planned.stdout).toContain('Next: ENABLE=planned npx plumbline check --target uat --area ')
  })

  test('examines discovery and the key set with the issuer alone', async () => {
    const result = await doctor.diagnosed({ ...uat, ...noApplication, ...noPartner })
    expect(result).toMatchObject({ code: 0, logins: 0 })
    const topics = withSeverity(result, 'ok').map(({ topic }) => topic)
    expect(topics).toEqual(expect.arrayContaining(['discovery', 'key set']))
    expect(withSeverity(result, 'skipped').map(({ what }) => what)).toEqual([
      expect.stringMatching(/^CLIENT_ID, CLIENT_SECRET, REDIRECT_URI are not set, .*: authorization, token,/),
      expect.stringMatching(/^PARTNER_API_URL, .* are not set, .*: event-search, .*events$/),
    ])
  })

  test('reports the missing variables of an incomplete application as errors', async () => {
    const result = await doctor.diagnosed({ ...uat, ...noProvider, CLIENT_SECRET: null })
    expect(withSeverity(result, 'error').map(({ variables }) => variables)).toEqual(
      expect.arrayContaining([['IDP_BASE_URL'], ['CLIENT_SECRET']]),
    )
    expect(result.code).toBe(3)
  })

  test('reports an error if no area is left without the credentials of the partner API', async () => {
    const result = await doctor.diagnosed({
      ...uat,
      ...noProvider,
      ...noApplication,
      PARTNER_CLIENT_ID: null,
      PARTNER_CLIENT_SECRET: null,
      UNENTITLED_CLIENT_ID: null,
      UNENTITLED_CLIENT_SECRET: null,
    })
    expect(withSeverity(result, 'error')).toMatchObject([
      { topic: 'Event Hub', variables: ['PARTNER_CLIENT_ID', 'PARTNER_CLIENT_SECRET'] },
    ])
    expect(result.code).toBe(3)
  })

  test('reports that the partner API is not configured, and examines the rest', async () => {
    const missing = { PARTNER_API_URL: null, PARTNER_CLIENT_ID: null, PARTNER_CLIENT_SECRET: null }
    const result = await doctor.diagnosed(missing, ['--no-login'])
    expect(withSeverity(result, 'skipped')).toContainEqual(
      expect.objectContaining({
        topic: 'Event Hub',
        what: expect.stringContaining(
          'PARTNER_API_URL, PARTNER_CLIENT_ID, PARTNER_CLIENT_SECRET are not set',
        ),
      }),
    )
    expect(result.code).toBe(0)
  })
})
