import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generate } from 'selfsigned'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type RunningProvider, startProvider } from '../../provider/index.ts'
import { type Diagnosis, diagnose, errorsOf } from '../../src/doctor/diagnosis.ts'
import { plumbline, startPlumbline } from './command.ts'

// Each test starts processes: seconds pass on a machine that is busy with others.
vi.setConfig({ testTimeout: 120_000 })

let provider: RunningProvider
let folder: string
beforeAll(async () => {
  provider = await startProvider()
  folder = mkdtempSync(join(tmpdir(), 'plumbline-doctor-'))
  return async () => {
    await provider.close()
    rmSync(folder, { recursive: true })
  }
})

interface Output {
  readonly exitCode: number
  readonly findings: readonly Diagnosis[]
  readonly variables: readonly { readonly name: string; readonly shape: string | null }[]
  readonly requests: number
  readonly logins: number
}

/** Node reads certificates when it starts. */
const inOwnProcess = (words: readonly string[], place: { readonly cwd: string }) =>
  startPlumbline(words, place).ended

/** What `plumbline doctor --json` prints; null removes a variable. */
async function diagnosed(
  changes: Readonly<Record<string, string | null>> = {},
  words: readonly string[] = [],
  variables: Readonly<Record<string, string>> = provider.variables,
  run: typeof plumbline = plumbline,
): Promise<Output & { readonly output: string; readonly code: number | null }> {
  const env = Object.fromEntries(
    Object.entries({ ...variables, ...changes }).filter(
      (entry): entry is [string, string] => entry[1] !== null,
    ),
  )
  const { code, stdout, stderr } = await run(['doctor', '--json', ...words], { cwd: folder, env })
  expect(stderr).toBe('')
  return { ...(JSON.parse(stdout) as Output), output: stdout, code }
}

const withSeverity = ({ findings }: Output, severity: Diagnosis['severity']) =>
  findings.filter((finding) => finding.severity === severity)

describe('a good configuration', () => {
  test('has no error, takes one login and few requests, and the output contains no secret', async () => {
    const result = await diagnosed({}, [], provider.variables, inOwnProcess)
    expect(result).toMatchObject({ code: 0, exitCode: 0, logins: 1 })
    expect(result.findings.filter(({ severity }) => severity !== 'ok')).toEqual([])
    expect(result.requests).toBeLessThan(30)
    for (const [name, value] of Object.entries(provider.variables))
      if (/SECRET|PASSWORD|TEST_USER|_ID$/.test(name)) expect(result.output).not.toContain(value)
    expect(result.variables.find(({ name }) => name === 'CLIENT_SECRET')?.shape).toMatch(
      /^\d+ characters: lower-case letters, digits$/,
    )
  })

  test('may have no test user; --no-login sends no login', async () => {
    const [without, unwanted] = await Promise.all([
      diagnosed({ TEST_USER: null, TEST_PASSWORD: null }),
      diagnosed({}, ['--no-login']),
    ])
    expect(without).toMatchObject({ code: 0, logins: 0 })
    expect(unwanted).toMatchObject({ code: 0, logins: 0 })
    expect(withSeverity(without, 'skipped')).toEqual([])
    expect(withSeverity(without, 'warning')).toMatchObject([
      {
        variables: ['TEST_USER', 'TEST_PASSWORD'],
        what: expect.stringMatching(/examines nothing that needs a login, and \d{2,} checks that sign in/),
      },
    ])
    expect(withSeverity(unwanted, 'warning')).toEqual([])
    expect(withSeverity(unwanted, 'skipped')).toMatchObject([
      { topic: 'login', what: expect.stringContaining('--no-login') },
    ])
  })

  test('is printed in lines, also for the embedded provider', async () => {
    const words = ['doctor', '--no-login', '--target', 'embedded']
    const { code, stdout } = await inOwnProcess(words, { cwd: folder })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ {2}TARGET +--target +embedded$/m)
    expect(stdout).toContain('Plumbline starts its embedded provider, which needs no configuration')
    expect(stdout).toMatch(/^ {2}ok {10}discovery /m)
    expect(stdout).toContain('No errors. Next: npx plumbline check --target embedded\n')
    expect(stdout).not.toContain('\x1b')
  })
})

test('where a login page is not recognised, the doctor offers to record a recipe', async () => {
  const odd = await startProvider({ variants: ['consent-not-understood'] })
  onTestFinished(() => odd.close())
  const result = await diagnosed({ DISPLAY: '' }, [], odd.variables)
  expect(withSeverity(result, 'error')).toMatchObject([
    {
      topic: 'login',
      what: expect.stringContaining('buttons "Dälön", "Stöpön"'),
      advice: expect.stringMatching(/; npx plumbline record-login --target embedded --remote records one$/),
    },
  ])
})

describe('one mistake gives one error, which names the variable to change', () => {
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
    const result = await diagnosed(changes, behindLogin.includes(what) ? [] : ['--no-login'])
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
    const result = await diagnosed({ IDP_BASE_URL: `${provider.issuer}${path}` })
    expect(result.code).toBe(3)
    expect(withSeverity(result, 'error')[0]).toMatchObject({
      topic,
      variables: ['IDP_BASE_URL'],
      what: expect.stringMatching(sentence),
    })
  })

  test.each([
    ['PARTNER_API_URL', '/partner/v2', /the response was 404/],
    ['PARTNER_API_URL', '/partner/v1/events/search', /path of the event search/],
    ['JWKS_URL', '/nowhere', /no key set at JWKS_URL/],
  ])('address in %s', async (variable, path, sentence) => {
    const result = await diagnosed({ [variable]: `${provider.issuer}${path}` })
    expect(result.code).toBe(3)
    expect(withSeverity(result, 'error')[0]).toMatchObject({
      variables: [variable],
      what: expect.stringMatching(sentence),
    })
  })

  test('a member of a recipe', async () => {
    const recipe = join(folder, 'recipe.json')
    writeFileSync(recipe, JSON.stringify({ signIn: [{ do: 'fil', at: { label: 'Name' } }] }))
    const result = await diagnosed({ LOGIN_RECIPE: recipe })
    expect(result.code).toBe(3)
    expect(withSeverity(result, 'error')).toMatchObject([
      { variables: ['LOGIN_RECIPE'], what: expect.stringContaining('signIn[0].do') },
    ])
  })

  test('a # in a file, quotes and examples', async () => {
    const here = mkdtempSync(join(tmpdir(), 'plumbline-doctor-'))
    onTestFinished(() => rmSync(here, { recursive: true }))
    writeFileSync(join(here, '.env'), 'TEST_PASSWORD=abc#defghijk\nTEST_USER=change-me\n')
    const { TEST_USER: _, TEST_PASSWORD: __, ...env } = provider.variables
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
    const { code, stdout } = await plumbline(['doctor'], { cwd: here, env: provider.variables })
    expect(code).toBe(3)
    expect(stdout).toMatch(
      /CLIENT_SECERT in \.env is not a variable of Plumbline\s+rename it to CLIENT_SECRET\n/,
    )
    expect(stdout).not.toContain('CLIENT_SECERT: not set')
  })

  test('an unknown client: both candidates have advice, and the summary names the response', async () => {
    const result = await diagnosed({ CLIENT_ID: 'unknown-application' }, ['--no-login'])
    expect(withSeverity(result, 'error')).toMatchObject([
      {
        variables: ['CLIENT_ID', 'CLIENT_SECRET'],
        what: expect.stringMatching(/; it refused a code exchange with error=invalid_client$/),
        advice: expect.stringMatching(/; or set CLIENT_SECRET to the secret of that application$/),
      },
    ])
  })
})

test.each<[string, Readonly<Record<string, string>>, string]>([
  ['client secret', { CLIENT_SECRET: 'wrong-one' }, 'CLIENT_SECRET or CLIENT_AUTH_METHOD'],
  ['client', { CLIENT_ID: 'unknown-application' }, 'CLIENT_ID or CLIENT_SECRET'],
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
    const env = { ...provider.variables, ...changes }
    const { stdout } = await plumbline(['doctor'], { cwd: folder, env })
    expect(stdout).toContain(`${names.split(';').length === 1 ? '1 thing' : '2 things'} to change: ${names}.`)
  },
)

test('of another issuer in the ID token, the doctor names the side with which discovery agrees', async () => {
  const faulty = await startProvider({ faults: ['id-token-issuer-trailing-slash'] })
  onTestFinished(() => faulty.close())
  const result = await diagnosed({}, [], faulty.variables)
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

test('the doctor leaves the consent to the second application to the check that needs it', async () => {
  const fresh = await startProvider()
  onTestFinished(() => fresh.close())
  const result = await diagnosed({}, [], fresh.variables)
  expect(withSeverity(result, 'ok').map(({ topic }) => topic)).toContain('second application')
  const { stdout } = await plumbline(['check', '--only', 'AUTHZ-CONSENT-REFUSED', '--no-report'], {
    cwd: folder,
    env: fresh.variables,
  })
  expect(stdout).toContain('The only applicable requirement holds')
})

test('without the partner API, the doctor says so, and examines the rest', async () => {
  const missing = { PARTNER_API_URL: null, PARTNER_CLIENT_ID: null, PARTNER_CLIENT_SECRET: null }
  const result = await diagnosed(missing, ['--no-login'])
  expect(withSeverity(result, 'skipped')).toContainEqual(
    expect.objectContaining({
      topic: 'Event Hub',
      what: expect.stringContaining('PARTNER_API_URL, PARTNER_CLIENT_ID, PARTNER_CLIENT_SECRET are not set'),
    }),
  )
  expect(result.code).toBe(0)
})

test('errors that block most come first, whatever their order of examination', () => {
  const errors = (['clock', 'key set', 'application', 'Event Hub', 'network'] as const).map((topic) =>
    diagnose.error(topic, 'is wrong'),
  )
  const topics = errorsOf([diagnose.ok('browser', 'starts'), ...errors]).map(({ topic }) => topic)
  expect(topics).toEqual(['network', 'application', 'Event Hub', 'key set', 'clock'])
})

describe('a part of the variables', () => {
  const noProvider = { IDP_BASE_URL: null, JWKS_URL: null, CLAIM_RECIPE: null }
  const noApplication = { CLIENT_ID: null, CLIENT_SECRET: null, REDIRECT_URI: null }
  const noPartner = { PARTNER_API_URL: null, PARTNER_CLIENT_ID: null, PARTNER_CLIENT_SECRET: null }
  const uat = { TARGET: 'uat', REQUESTS_PER_SECOND: '100' }

  test('with the partner API alone, the doctor examines the Event Hub and names the other areas', async () => {
    const result = await diagnosed({ ...uat, ...noProvider, ...noApplication })
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

  test('the summary names the areas to check', async () => {
    const env = Object.fromEntries(
      Object.entries({ ...provider.variables, ...uat }).filter(
        ([name]) => !(name in noProvider || name in noApplication),
      ),
    )
    const { stdout } = await plumbline(['doctor'], { cwd: folder, env })
    expect(stdout).toContain('Next: npx plumbline check --target uat --area event-search --area events\n')
  })

  test('with the issuer alone, the doctor examines discovery and the key set', async () => {
    const result = await diagnosed({ ...uat, ...noApplication, ...noPartner })
    expect(result).toMatchObject({ code: 0, logins: 0 })
    const topics = withSeverity(result, 'ok').map(({ topic }) => topic)
    expect(topics).toEqual(expect.arrayContaining(['discovery', 'key set']))
    expect(withSeverity(result, 'skipped').map(({ what }) => what)).toEqual([
      expect.stringMatching(/^CLIENT_ID, CLIENT_SECRET, REDIRECT_URI are not set, .*: authorization, token,/),
      expect.stringMatching(/^PARTNER_API_URL, .* are not set, .*: event-search, .*events$/),
    ])
  })

  test('of an application that is not complete, the missing variables are errors', async () => {
    const result = await diagnosed({ ...uat, ...noProvider, CLIENT_SECRET: null })
    expect(withSeverity(result, 'error').map(({ variables }) => variables)).toEqual(
      expect.arrayContaining([['IDP_BASE_URL'], ['CLIENT_SECRET']]),
    )
    expect(result.code).toBe(3)
  })

  test('without credentials of the partner API no area is left: an error', async () => {
    const result = await diagnosed({
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
})

test('an unavailable target is not a mistake in the configuration: exit code 2', async () => {
  const down = createServer((_request, response) => response.writeHead(503, { 'Retry-After': '100' }).end())
  const origin = await listening(down)
  const result = await diagnosed({
    IDP_BASE_URL: origin,
    PARTNER_API_URL: `${origin}/partner`,
    JWKS_URL: null,
  })
  expect(withSeverity(result, 'error')).toEqual([])
  expect(withSeverity(result, 'unanswered').map(({ topic }) => topic)).toContain('discovery')
  expect(result.code).toBe(2)
})

test('clocks that differ', async () => {
  const late = await startProvider({ variants: ['clocks-just-put-back'] })
  onTestFinished(() => late.close())
  const result = await diagnosed({}, ['--no-login'], late.variables)
  expect(withSeverity(result, 'error')).toMatchObject([
    { topic: 'clock', variables: [], what: expect.stringMatching(/\d+ seconds ahead of/) },
  ])
  expect(result.code).toBe(3)
})

describe('the connection to a target', () => {
  const uat = (host: string) => ({
    TARGET: 'uat',
    IDP_BASE_URL: `https://${host}`,
    PARTNER_API_URL: `https://${host}/partner`,
    PRODUCTION_HOSTS: 'none',
    PARTNER_CLIENT_ID: 'partner',
    PARTNER_CLIENT_SECRET: 'canary-partner-secret',
    CLIENT_ID: 'application',
    CLIENT_SECRET: 'canary-client-secret',
    REDIRECT_URI: 'https://partner.invalid/callback',
  })

  test.each([
    ['login.plumbline.invalid', true],
    ['login-uat.plumbline.invalid', false],
    ['idp.test.plumbline.invalid', false],
  ])('to %s: the doctor doubts that it is a test deployment: %j', async (host, doubtful) => {
    const result = await diagnosed({}, ['--no-login'], uat(host))
    const doubts = withSeverity(result, 'warning').filter(({ what }) => what.includes(host))
    expect(doubts.map(({ variables }) => variables)).toEqual(doubtful ? [['TARGET']] : [])
  })

  test.each([
    [
      'of an unknown authority',
      { ip: '127.0.0.1', from: -1, to: 90 },
      'NODE_EXTRA_CA_CERTS',
      /not from an authority that this machine trusts/,
    ],
    ['expired', { ip: '127.0.0.1', from: -90, to: -1 }, 'IDP_BASE_URL', / expired on \d{4}-/],
    [
      'of another name',
      { ip: '127.0.0.9', from: -1, to: 90 },
      'IDP_BASE_URL',
      /for other names \(127\.0\.0\.9\)/,
    ],
    ['that is good', { ip: '127.0.0.1', from: -1, to: 90 }, undefined, /valid for 89 more days/],
    ['that ends soon', { ip: '127.0.0.1', from: -1, to: 5 }, undefined, /valid for only 4 more days/],
  ])('has a certificate %s', async (what, { ip, from, to }, variable, sentence) => {
    const { private: key, cert } = await certificate(ip, from, to)
    const server = createSecureServer({ key, cert }, (_request, response) => response.writeHead(404).end())
    const origin = await listening(server)
    const file = join(folder, `${what.replaceAll(' ', '-')}.pem`)
    writeFileSync(file, cert)
    const trusted = what === 'of an unknown authority' ? {} : { NODE_EXTRA_CA_CERTS: file }
    const result = await diagnosed(trusted, ['--no-login'], uat(new URL(origin).host), inOwnProcess)
    const network = result.findings.filter(({ topic }) => topic === 'network')
    expect(network).toMatchObject([
      {
        severity: variable === undefined ? expect.stringMatching(/ok|warning/) : 'error',
        what: expect.stringMatching(sentence),
      },
    ])
    if (variable !== undefined) {
      expect(network[0]?.variables[0]).toBe(variable)
      expect(withSeverity(result, 'error')).toHaveLength(1)
    }
  })

  test('has another protocol than its address says', async () => {
    const { host } = new URL(provider.issuer)
    const result = await diagnosed({ IDP_BASE_URL: `https://${host}`, JWKS_URL: null }, ['--no-login'])
    expect(withSeverity(result, 'error')).toMatchObject([
      {
        topic: 'network',
        variables: ['IDP_BASE_URL'],
        what: expect.stringContaining('the TLS handshake fails'),
      },
    ])
    expect(result.findings).toContainEqual(expect.objectContaining({ topic: 'Event Hub', severity: 'ok' }))
    expect(result.code).toBe(3)
  })

  test('has a name that does not resolve', async () => {
    const result = await diagnosed({}, ['--no-login'], uat('login.plumbline.invalid'))
    expect(withSeverity(result, 'error')).toMatchObject([
      {
        topic: 'network',
        variables: ['IDP_BASE_URL', 'PARTNER_API_URL'],
        what: expect.stringContaining('does not resolve'),
      },
    ])
    expect(result).toMatchObject({ code: 3, requests: 0 })
  })

  test('has a port that refuses connections', async () => {
    const server = createServer()
    const { host } = new URL(await listening(server))
    await new Promise((resolve) => server.close(resolve))
    const result = await diagnosed({}, ['--no-login'], uat(host))
    expect(withSeverity(result, 'error')).toMatchObject([
      {
        topic: 'network',
        variables: ['IDP_BASE_URL', 'PARTNER_API_URL'],
        what: expect.stringContaining('ECONNREFUSED'),
      },
    ])
    expect(result.code).toBe(3)
  })

  test.each([
    [403, /refuses it \(403\)/],
    [407, /asks for credentials/],
  ])('has a proxy that answers %d', async (status, sentence) => {
    const proxy = createServer()
    proxy.on('connect', (_request, socket) => socket.end(`HTTP/1.1 ${status} No\r\n\r\n`))
    const origin = await listening(proxy)
    const result = await diagnosed({ HTTPS_PROXY: origin }, ['--no-login'], uat('login.plumbline.invalid'))
    expect(withSeverity(result, 'error')).toMatchObject([
      { topic: 'network', variables: ['HTTPS_PROXY', 'NO_PROXY'], what: expect.stringMatching(sentence) },
    ])
    expect(result).toMatchObject({ code: 3, requests: 0 })
  })
})

/** Starts a server that ends with the test. @returns its origin */
async function listening(
  server: ReturnType<typeof createServer> | ReturnType<typeof createSecureServer>,
): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
  })
  return `http${'setSecureContext' in server ? 's' : ''}://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function certificate(ip: string, fromDays: number, toDays: number) {
  const day = 24 * 3600 * 1000
  return generate([{ name: 'commonName', value: ip }], {
    notBeforeDate: new Date(Date.now() + fromDays * day),
    notAfterDate: new Date(Date.now() + toDays * day),
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip }] }],
  })
}
