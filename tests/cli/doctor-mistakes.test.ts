import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { diagnose, errorsOf } from '../../src/doctor/diagnosis.ts'
import { plumbline } from './command.ts'
import { Doctor, withSeverity } from './doctor-fixture.ts'

const doctor = new Doctor()

describe('the doctor reports one error for one mistake, which names the variable to change', () => {
  const wrong = 'a-wrong-secret-of-no-application'
  test.each<[string, Readonly<Record<string, string>>, string, RegExp]>([
    ['client secret', { CLIENT_SECRET: wrong }, 'CLIENT_SECRET', /refused the client credentials/],
    [
      'authentication method',
      { CLIENT_AUTH_METHOD: 'client_secret_post' },
      'CLIENT_AUTH_METHOD',
      /refused the client credentials/,
    ],
    [
      'partner secret',
      { PARTNER_CLIENT_SECRET: wrong },
      'PARTNER_CLIENT_SECRET',
      /a valid search was refused: the response was 401/,
    ],
    [
      'redirect URI',
      { REDIRECT_URI: 'https://partner.invalid/other' },
      'REDIRECT_URI',
      /page with status 400/,
    ],
    ['client', { CLIENT_ID: 'unknown-application' }, 'CLIENT_ID', /page with status 400/],
    ['scope', { SCOPE: 'openid no-such-scope' }, 'SCOPE', /invalid_scope/],
    [
      'second client secret',
      { SECOND_CLIENT_SECRET: wrong },
      'SECOND_CLIENT_SECRET',
      /refused the client credentials/,
    ],
    [
      'second redirect URI',
      { SECOND_REDIRECT_URI: 'https://second.invalid/other' },
      'SECOND_REDIRECT_URI',
      /authorization request of the second application/,
    ],
    [
      'unentitled secret',
      { UNENTITLED_CLIENT_SECRET: wrong },
      'UNENTITLED_CLIENT_SECRET',
      /does not recognise/,
    ],
    ['password', { TEST_PASSWORD: wrong }, 'TEST_PASSWORD', /was shown again after it was filled in/],
    ['browser', { CHROMIUM_PATH: '/nowhere/chromium' }, 'CHROMIUM_PATH', /could not be started/],
    ['unknown recipe', { LOGIN_RECIPE: 'nowhere.json' }, 'LOGIN_RECIPE', /cannot be read/],
    ['time zone', { EVENT_TIME_ZONE: 'Europe/Nowhere' }, 'EVENT_TIME_ZONE', /IANA time zone/],
  ])('%s', async (what, changes, variable, sentence) => {
    const behindLogin = [
      'client secret',
      'authentication method',
      'second client secret',
      'second redirect URI',
      'password',
    ]
    const result = await doctor.diagnosed(changes, behindLogin.includes(what) ? [] : ['--no-login'])
    const [error, ...others] = withSeverity(result, 'error')
    expect(error?.variables).toContain(variable)
    expect(error?.what).toMatch(sentence)
    expect(error?.advice).toBeTruthy()
    expect(others).toEqual([])
    expect([...withSeverity(result, 'unanswered'), ...withSeverity(result, 'unexpected')]).toEqual([])
    expect(result.code).toBe(3)
    expect(result.output).not.toContain(wrong)
  })

  test.each([
    ['another path', '/wrong', 'discovery', /no discovery document/],
    ['a trailing slash', '/', 'tokens', /discovery agrees with the token/],
    ['the path of an endpoint', '/.well-known/openid-configuration', 'configuration', /path of an endpoint/],
  ])('issuer with %s', async (_what, path, topic, sentence) => {
    const result = await doctor.diagnosed({ IDP_BASE_URL: `${doctor.provider.issuer}${path}` })
    expect(result.code).toBe(3)
    expect(withSeverity(result, 'error')[0]).toMatchObject({
      topic,
      variables: ['IDP_BASE_URL'],
      what: expect.stringMatching(sentence),
    })
    expect(withSeverity(result, 'warning').filter(({ topic: of }) => of === 'discovery')).toEqual([])
  })

  test.each([
    ['another path', (issuer: string) => `${issuer}/wrong`, 'error', /no discovery document/],
    ['a trailing slash', (issuer: string) => `${issuer}/`, 'warning', /they differ in the trailing slash$/],
    [
      'another host',
      (issuer: string) => issuer.replace('127.0.0.1', 'localhost'),
      'warning',
      /they differ in the host$/,
    ],
  ] as const)(
    'issuer with %s: the advice says what to compare with what',
    async (_what, change, severity, sentence) => {
      const result = await doctor.diagnosed({ IDP_BASE_URL: change(doctor.provider.issuer) }, ['--no-login'])
      expect(withSeverity(result, severity).filter(({ topic }) => topic === 'discovery')).toMatchObject([
        {
          what: expect.stringMatching(sentence),
          advice: expect.stringMatching(/^compare .* with the issuer in the provider's onboarding letter/),
        },
      ])
    },
  )

  test.each([
    ['PARTNER_API_URL', '/partner/v2', /the response was 404/],
    ['PARTNER_API_URL', '/partner/v1/events/search', /path of the event search/],
    ['JWKS_URL', '/nowhere', /no key set at JWKS_URL/],
  ])('address in %s', async (variable, path, sentence) => {
    const result = await doctor.diagnosed({ [variable]: `${doctor.provider.issuer}${path}` })
    expect(result.code).toBe(3)
    expect(withSeverity(result, 'error')[0]).toMatchObject({
      variables: [variable],
      what: expect.stringMatching(sentence),
    })
  })

  test('an unknown action in a recipe', async () => {
    const recipe = join(doctor.folder, 'recipe.json')
    writeFileSync(recipe, JSON.stringify({ signIn: [{ do: 'fil', at: { label: 'Name' } }] }))
    const result = await doctor.diagnosed({ LOGIN_RECIPE: recipe })
    expect(result.code).toBe(3)
    expect(withSeverity(result, 'error')).toMatchObject([
      { variables: ['LOGIN_RECIPE'], what: expect.stringContaining('signIn[0].do') },
    ])
  })

  test('a # in a file, quotes and example values', async () => {
    const here = mkdtempSync(join(tmpdir(), 'plumbline-doctor-'))
    onTestFinished(() => rmSync(here, { recursive: true }))
    writeFileSync(join(here, '.env'), 'TEST_PASSWORD=abc#defghijk\nTEST_USER=change-me\n')
    const { TEST_USER: _, TEST_PASSWORD: __, ...env } = doctor.provider.variables
    const { code, stdout } = await plumbline(['doctor', '--no-login'], {
      cwd: here,
      env: { ...env, UNENTITLED_CLIENT_SECRET: '"quoted-secret"', UNENTITLED_CLIENT_ID: 'x' },
    })
    expect(code).toBe(3)
    expect(stdout).toMatch(/error +configuration +TEST_PASSWORD in \.env is cut off at a #/)
    expect(stdout).toMatch(/warning +configuration +TEST_USER in \.env is the example value/)
    expect(stdout).toMatch(
      /warning +configuration +UNENTITLED_CLIENT_SECRET in the environment begins and ends with\s+quotes/,
    )
    expect(stdout).not.toMatch(/quoted-secret|defghijk/)
  })

  test('a misspelt name in a file does not appear as a variable without a value', async () => {
    const here = mkdtempSync(join(tmpdir(), 'plumbline-doctor-'))
    onTestFinished(() => rmSync(here, { recursive: true }))
    writeFileSync(join(here, '.env'), 'CLIENT_SECERT=a-secret\n')
    const { code, stdout } = await plumbline(['doctor'], { cwd: here, env: doctor.provider.variables })
    expect(code).toBe(3)
    expect(stdout).toMatch(
      /CLIENT_SECERT in \.env is not a variable of Plumbline\s+remove it: CLIENT_SECRET is set\n/,
    )
    expect(stdout).not.toContain('CLIENT_SECERT: not set')
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      'skipped browser the configuration is not valid, so these are not checked: browser, network, discovery, clock, key set, application, login, tokens, UserInfo, second application, Event Hub',
    )
  })

  test('misspelt names are reported with all other problems, and names of other tools are listed', async () => {
    const here = mkdtempSync(join(tmpdir(), 'plumbline-doctor-'))
    onTestFinished(() => rmSync(here, { recursive: true }))
    const lines = ['CLIENT_SECERT=a-secret', 'IDP_BASE_URL=idp.example', 'client_id=x', 'USERNAME=y']
    lines.push('TEST_USR=anna', 'TEST_PASSWORD=cut#off')
    writeFileSync(join(here, '.env.uat'), lines.join('\n'))
    const { code, stdout } = await plumbline(['doctor', '--target', 'uat'], { cwd: here })
    expect(code).toBe(3)
    const text = stdout.replace(/\s+/g, ' ')
    // A variable with a wrong name is not set: reporting this would be a second problem with the same cause.
    expect(text).toContain(
      ' 6 things to change: CLIENT_SECERT; client_id; TEST_USR; TEST_PASSWORD; IDP_BASE_URL; PRODUCTION_HOSTS. ',
    )
    expect(text).toContain(' ignored, since they are not variables of Plumbline: USERNAME (.env.uat) ')
    const { stderr } = await plumbline(['check', '--target', 'uat'], { cwd: here })
    expect(stderr).toMatch(/^CLIENT_SECERT in \.env\.uat (?:.*\n)*IDP_BASE_URL is not an absolute URL/)
  })

  test('a misspelt name stops a run that would start the embedded provider', async () => {
    const here = mkdtempSync(join(tmpdir(), 'plumbline-doctor-'))
    onTestFinished(() => rmSync(here, { recursive: true }))
    writeFileSync(join(here, '.env'), 'REQEST_BUDGET=5\n')
    expect(await plumbline(['check', '--no-report'], { cwd: here })).toMatchObject({
      code: 3,
      stderr: 'REQEST_BUDGET in .env is not a variable of Plumbline; rename it to REQUEST_BUDGET\n',
    })
  })

  test('an unknown client: all candidates have advice, and the summary names the response', async () => {
    const result = await doctor.diagnosed({ CLIENT_ID: 'unknown-application' }, ['--no-login'])
    expect(withSeverity(result, 'error')).toMatchObject([
      {
        variables: ['CLIENT_ID', 'REDIRECT_URI', 'CLIENT_SECRET'],
        what: expect.stringMatching(/; it refused a code exchange with error=invalid_client$/),
        advice: expect.stringMatching(
          /^set CLIENT_ID .*; if it is right, register REDIRECT_URI .* CLIENT_SECRET /,
        ),
      },
    ])
  })

  test.each<[string, Readonly<Record<string, string>>, string]>([
    ['client secret', { CLIENT_SECRET: 'wrong-one' }, 'CLIENT_SECRET or CLIENT_AUTH_METHOD'],
    ['client', { CLIENT_ID: 'unknown-application' }, 'CLIENT_ID, or both REDIRECT_URI and CLIENT_SECRET'],
    [
      'client secret and redirect URI',
      { CLIENT_SECRET: 'wrong-one', REDIRECT_URI: 'https://partner.invalid/other' },
      'CLIENT_ID, or both REDIRECT_URI and CLIENT_SECRET',
    ],
    ['redirect URI', { REDIRECT_URI: 'https://partner.invalid/other' }, 'REDIRECT_URI'],
    ['password', { TEST_PASSWORD: 'wrong-one' }, 'TEST_USER or TEST_PASSWORD'],
    [
      'client secret, and another partner',
      { CLIENT_SECRET: 'wrong-one', PARTNER_CLIENT_SECRET: 'wrong-one' },
      'CLIENT_SECRET or CLIENT_AUTH_METHOD; PARTNER_CLIENT_ID or PARTNER_CLIENT_SECRET',
    ],
  ])(
    'the summary names the variables that may be wrong, without those proved right: %s',
    async (_what, changes, names) => {
      const env = { ...doctor.provider.variables, ...changes }
      const { stdout } = await plumbline(['doctor'], { cwd: doctor.folder, env })
      expect(stdout).toContain(
        `${names.split(';').length === 1 ? '1 thing' : '2 things'} to change: ${names}.`,
      )
    },
  )

  test('errors that block most checks come first, whatever the order of examination', () => {
    const errors = (['clock', 'key set', 'application', 'Event Hub', 'network'] as const).map((topic) =>
      diagnose.error(topic, 'is wrong'),
    )
    const topics = errorsOf([diagnose.ok('browser', 'starts'), ...errors]).map(({ topic }) => topic)
    expect(topics).toEqual(['network', 'application', 'Event Hub', 'key set', 'clock'])
  })
})
