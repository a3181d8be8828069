import { createServer } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startProvider } from '../../provider/index.ts'
import { Doctor, listening, withSeverity } from './doctor-fixture.ts'

const doctor = new Doctor()

describe('the doctor of a target that misbehaves', () => {
  test('has a login page that is not recognised: the doctor offers to record a recipe', async () => {
    const odd = await startProvider({ variants: ['consent-not-understood'] })
    onTestFinished(() => odd.close())
    const result = await doctor.diagnosed({ DISPLAY: '' }, [], odd.variables)
    expect(withSeverity(result, 'error')).toMatchObject([
      {
        topic: 'login',
        what: expect.stringContaining('buttons "Dälön", "Stöpön"'),
        advice: expect.stringMatching(/; npx plumbline record-login --target embedded --remote records one$/),
      },
    ])
  })

  test('has another issuer in the ID token: the doctor names the side with which discovery agrees', async () => {
    const faulty = await startProvider({ faults: ['id-token-issuer-trailing-slash'] })
    onTestFinished(() => faulty.close())
    const result = await doctor.diagnosed({}, [], faulty.variables)
    expect(withSeverity(result, 'unexpected')).toMatchObject([
      {
        topic: 'tokens',
        what: expect.stringMatching(/; discovery agrees with IDP_BASE_URL, so the token is wrong$/),
        advice: expect.stringContaining('IDTOKEN-ISSUER'),
      },
    ])
    expect(withSeverity(result, 'skipped').map(({ topic }) => topic)).toEqual([
      'UserInfo',
      'second application',
    ])
    expect(result.code).toBe(2)
  })

  test('is unavailable: this is not a configuration error, and the exit code is 2', async () => {
    const down = createServer((_request, response) => response.writeHead(503, { 'Retry-After': '100' }).end())
    const origin = await listening(down)
    const result = await doctor.diagnosed({
      IDP_BASE_URL: origin,
      PARTNER_API_URL: `${origin}/partner`,
      JWKS_URL: null,
    })
    expect(withSeverity(result, 'error')).toEqual([])
    expect(withSeverity(result, 'unanswered').map(({ topic }) => topic)).toContain('discovery')
    expect(withSeverity(result, 'skipped').map(({ topic }) => topic)).toEqual(
      expect.arrayContaining(['clock', 'key set', 'application', 'login', 'tokens', 'UserInfo']),
    )
    expect(result.code).toBe(2)
  })

  test('has a clock that differs from the one of this machine', async () => {
    const late = await startProvider({ variants: ['clocks-just-put-back'] })
    onTestFinished(() => late.close())
    const result = await doctor.diagnosed({}, ['--no-login'], late.variables)
    expect(withSeverity(result, 'error')).toMatchObject([
      { topic: 'clock', variables: [], what: expect.stringMatching(/\d+ seconds ahead of/) },
    ])
    expect(result.code).toBe(3)
  })
})
