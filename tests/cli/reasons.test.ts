import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startProvider } from '../../provider/index.ts'
import type { RunResults } from '../../src/results/results.ts'
import { Workplace } from './workplace.ts'

const workplace = new Workplace()

/** Checks requirements without a report. */
async function checked(only: string, changes: Readonly<Record<string, string>> = {}) {
  const { stdout, stderr, code } = await workplace.run(['check', '--no-report', '--only', only], changes)
  const results = () =>
    JSON.parse(readFileSync(join(workplace.cwd, 'reports/latest/results.json'), 'utf8')) as RunResults
  return { stdout: stdout.replaceAll(/\s+/g, ' '), stderr, code, results }
}

test('refused searches are the only reason for checks that need events', async () => {
  const { code, stdout, results } = await checked('EVENT-WINDOW*', {
    PARTNER_CLIENT_SECRET: 'another-secret',
  })
  expect(code).toBe(2)
  const reasons = results().requirements.flatMap(({ checks }) => checks.map(({ reason }) => reason))
  expect(new Set(reasons.filter((reason) => reason !== null))).toEqual(
    new Set(['a valid search was refused: the response was 401 with a JSON body that has no "error" member']),
  )
  expect(stdout).not.toContain('EVENT_WINDOW_FROM')
})

test('the media type of a refused search is recorded as it is spelled', async () => {
  const { results } = await checked('EVENT-REFUSAL-BODY')
  const recorded = results().observations.find(({ key }) => key === 'events.refusal.media-type')
  expect(recorded?.value).toEqual(['application/json'])
})

test('an issuer that discovery has, too, is a violation with advice on IDP_BASE_URL', async () => {
  const { issuer } = workplace.provider
  const { code, stdout, results } = await checked('IDTOKEN-ISSUER,AUTHZ-ISS', {
    IDP_BASE_URL: issuer.replace('127.0.0.1', 'localhost'),
  })
  expect(code).toBe(1)
  const advice = 'check IDP_BASE_URL first: set it to this issuer if you agreed on it with the provider'
  expect(stdout).toContain(`actual iss "${issuer}", the same as in discovery advice ${advice}`)
  const advices = results().requirements.flatMap(({ checks }) => checks.map((one) => one.advice))
  expect(advices).toEqual([advice, advice])
  expect(stdout).toContain(
    "You have to act first: follow the advice. If the violation remains, the provider's",
  )
})

test('a missing refresh token is a violation with advice on SCOPE and the registration', async () => {
  const faulty = await startProvider({ faults: ['refresh-token-missing'] })
  onTestFinished(() => faulty.close())
  const { code, stdout } = await checked('TOKEN-REFRESH-TOKEN-ISSUED', faulty.variables)
  expect(code).toBe(1)
  expect(stdout).toContain(
    'actual refresh_token: absent advice check SCOPE first: some providers issue a refresh token only if it contains offline_access; then check whether the application is registered for refresh tokens',
  )
})

test('a target that accepts both authentication methods is a violation with advice on CLIENT_AUTH_METHOD', async () => {
  const faulty = await startProvider({ faults: ['auth-method-not-enforced'] })
  onTestFinished(() => faulty.close())
  const { code, stdout } = await checked('TOKEN-CLIENT-AUTH-METHOD', faulty.variables)
  expect(code).toBe(1)
  expect(stdout).toContain(
    'request an otherwise valid code exchange with client_secret_post, while CLIENT_AUTH_METHOD is client_secret_basic',
  )
  expect(stdout).toContain(
    'advice check CLIENT_AUTH_METHOD first (now client_secret_basic, the default): Plumbline cannot see which method is registered',
  )
})

test('variables of the environment that differ from the file of the target are named, without their values', async () => {
  const { PARTNER_CLIENT_SECRET: secret = '', ...others } = workplace.provider.variables
  const file = Object.entries({ ...others, PARTNER_CLIENT_SECRET: 'other-secret', TEST_USER: 'other-user' })
  const lines = file.map(([name, value]) => `${name}='${value}'\n`)
  writeFileSync(join(workplace.cwd, '.env.uat'), lines.join(''))
  const words = ['check', '--no-report', '--only', 'DISCOVERY-ISSUER', '--target', 'uat']
  const { stdout } = await workplace.run(words)
  expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /^The environment overrides \.env\.uat: this run uses the values of PARTNER_CLIENT_SECRET, TEST_USER from the environment Checks/,
  )
  for (const value of [secret, 'other-secret', 'other-user']) expect(stdout).not.toContain(value)
})

test('a port that refuses connections is reported with what to correct', async () => {
  const { code, stderr } = await checked('DISCOVERY-ISSUER', {
    IDP_BASE_URL: 'http://127.0.0.1:9',
    JWKS_URL: '',
  })
  expect(stderr).toBe(
    'IDP_BASE_URL points to 127.0.0.1:9, which refuses connections (ECONNREFUSED); correct the host and port, or start the server there. Nothing was checked. To examine the connection, run `npx plumbline doctor --target embedded`.\n',
  )
  expect(code).toBe(3)
})
