import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startProvider } from '../../provider/index.ts'
import { Workplace } from './workplace.ts'

const place = new Workplace()

const run = place.run.bind(place)

describe('login', () => {
  test('names the typed values and their fields, and the landing', async () => {
    const { code, stdout } = await place.start(['login']).ended
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /typed the user name \(TEST_USER\) at \w+\n.*typed the password \(TEST_PASSWORD\) at \w+\n/,
    )
    expect(stdout).toMatch(
      /^Result: signed in; the provider redirected to https:\/\/partner\.invalid\/callback\S* with a code\s+\(/m,
    )
    expect(stdout).toMatch(/\nMasked values with the same #… are equal\.\n\d.* m?s, \d+ requests\n$/)
    for (const secret of place.secrets()) expect(stdout).not.toContain(secret)
  })

  test('reports the obstacle in JSON', async () => {
    const { code, stdout } = await run(['login', '--json'], { TEST_PASSWORD: 'wrong-password' })
    expect(code).toBe(3)
    const report = JSON.parse(stdout)
    expect(report).toMatchObject({
      exitCode: 3,
      trouble: { cause: 'configuration', advice: expect.stringContaining('TEST_PASSWORD') },
    })
    expect(report.steps).toContainEqual(
      expect.objectContaining({ did: 'fill', what: 'password', where: 'password' }),
    )
    expect(stdout).not.toContain('wrong-password')
  })

  test('starts with the advice if the password is wrong', async () => {
    const { stdout } = await run(['login'], { TEST_PASSWORD: 'wrong-password' })
    expect(stdout).toMatch(
      /^Not signed in \(configuration\): change TEST_USER or TEST_PASSWORD; the login page/m,
    )
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(120)
  })

  test('saves a picture of a page that it does not recognise, and names the file', async () => {
    const odd = await startProvider({ variants: ['consent-not-understood'] })
    onTestFinished(() => odd.close())
    const { code, stdout } = await run(['login'], odd.variables)
    expect(code).toBe(3)
    expect(stdout.replaceAll('\n  ', ' ')).toMatch(
      /^Not signed in \(configuration\): Plumbline does not recognise a page with buttons; it shows headings? "Däl"; buttons "Dälön", "Stöpön".* probably with \{"do":"click".*"Dälön"\}\}/m,
    )
    expect(stdout).toMatch(/^The page, with its fields covered: reports\/login-embedded\.png$/m)
    const picture = readFileSync(join(place.cwd, 'reports', 'login-embedded.png'))
    expect(picture.subarray(1, 4).toString()).toBe('PNG')
  })

  test.each([
    [{ TEST_USER: undefined, TEST_PASSWORD: undefined }, [], /^TEST_USER is not set/],
    [{}, ['--slow-mo', 'fast'], /^--slow-mo "fast" is not a whole number/],
  ])('is refused in a sentence: %j %j', async (changes, words, sentence) => {
    const { code, stderr, stdout } = await run(['login', ...words], changes)
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toMatch(sentence)
  })
})

test.each(['login', 'tokens'])(
  '%s names the host that is not reachable, and its variable',
  async (command) => {
    const { code, stdout, stderr } = await run([command], { IDP_BASE_URL: 'http://127.0.0.1:9' })
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toMatch(
      /^IDP_BASE_URL points to 127\.0\.0\.1:9, which refuses connections \(ECONNREFUSED\); /,
    )
  },
)

describe('tokens', () => {
  test('shows claims without personal data, and masks the others', async () => {
    const { code, stdout } = await place.start(['tokens']).ended
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ID token {2}<\d+ characters, #[\w-]+>$/m)
    expect(stdout).toMatch(/^ {2}claim +iss +http:\/\/127\.0\.0\.1:\d+$/m)
    expect(stdout).toMatch(/^ {2}claim +exp +\d+ \(20.*Z\)$/m)
    expect(stdout).toMatch(/^ {2}claim +sub +<\d+ characters, #[\w-]+>$/m)
    expect(stdout).toMatch(/^ {2}lifetime +15 min 0 s, expires /m)
    expect(stdout).toMatch(/^ {2}signature +valid, with key /m)
    expect(stdout.match(/^ {2}validation .*$/gm)).toEqual(['  validation    valid: a client would accept it'])
    expect(stdout).not.toMatch(/ey[\w-]+\.ey/)
  })

  test('shows all of it with --reveal', async () => {
    const { stdout } = await run(['tokens', '--json', '--reveal'])
    const [idToken] = JSON.parse(stdout).tokens
    expect(idToken.compact).toMatch(/^ey[\w-]+\.ey[\w-]+\.[\w-]+$/)
    expect(JSON.parse(Buffer.from(idToken.compact.split('.')[1], 'base64url').toString())).toEqual(
      idToken.claims,
    )
  })

  test('lists the reasons for which a client must reject an ID token', async () => {
    const faulty = await startProvider({ faults: ['id-token-issuer-trailing-slash'] })
    try {
      const { code, stdout } = await run(['tokens'], faulty.variables)
      expect(code).toBe(1)
      expect(stdout).toContain('a client must reject it: iss is not IDP_BASE_URL\n')
    } finally {
      await faulty.close()
    }
  })

  test('names the refused credentials', async () => {
    const { code, stdout } = await run(['tokens'], { CLIENT_SECRET: 'a-wrong-secret' })
    expect(code).toBe(3)
    expect(stdout).toMatch(/^No tokens \(configuration\): .*CLIENT_SECRET/m)
  })
})

test.each(['login', 'tokens'])('%s is stopped by Ctrl-C with exit code 130', async (command) => {
  const requested = Promise.withResolvers<void>()
  const silent = createServer(() => requested.resolve())
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    silent.closeAllConnections()
    silent.close()
  })
  const origin = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const { child, ended } = place.start([command], { IDP_BASE_URL: origin, JWKS_URL: undefined })
  await requested.promise
  child.kill('SIGINT')
  expect((await ended).code).toBe(130)
})

describe('check', () => {
  const check = (...words: readonly string[]) => run(['check', '--no-report', ...words])

  test('--rerun-failed repeats the requirements whose last verdict on the target is fail or inconclusive', async () => {
    expect(await check('--rerun-failed')).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(
        /^--rerun-failed needs an earlier run, but there is no check of embedded in reports/,
      ),
    })
    written('20260101T000000Z-embedded-0000', {
      'DISCOVERY-PUBLIC': 'fail',
      'KEYSET-PUBLIC': 'inconclusive',
      'DISCOVERY-METADATA': 'pass',
    })
    written('20260102T000000Z-uat-0000', { 'DISCOVERY-METADATA': 'fail' })
    mkdirSync(join(place.cwd, 'reports/runs/20260103T000000Z-embedded-half'), { recursive: true })
    const first = await check('--rerun-failed')
    expect(first.stdout).toContain(
      'Running 2 requirements again, violated or inconclusive when last checked on embedded:',
    )
    expect(first.stdout).toMatch(/^2 requirements: 2 pass; 2 checks$/m)
    expect(first.code).toBe(0)
    const second = await check('--rerun-failed')
    expect(second).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Nothing to run again: no requirement was/),
    })
  })

  /** The members of a run that this test reads. */
  function written(id: string, verdicts: Readonly<Record<string, string>>): void {
    const directory = join(place.cwd, 'reports/runs', id)
    mkdirSync(directory, { recursive: true })
    const requirements = Object.entries(verdicts).map(([requirement, verdict]) => ({
      id: requirement,
      verdict,
    }))
    const target = id.split('-')[1]
    writeFileSync(
      join(directory, 'results.json'),
      JSON.stringify({ run: { id, kind: 'check', target }, requirements }),
    )
  }

  test('--slow-mo needs --headed', async () => {
    expect(await check('--slow-mo', '100')).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/^--slow-mo needs --headed/),
    })
  })

  test('--watch runs again after a change of an .env file, until Ctrl-C', async () => {
    const { child, ended, texts } = place.start([
      'check',
      '--watch',
      '--only',
      'DISCOVERY-PUBLIC',
      '--no-report',
    ])
    const runs = () => texts.stdout.split('Waiting for changes').length - 1
    await expect.poll(runs).toBe(1)
    writeFileSync(join(place.cwd, '.env'), 'SEED=1\n')
    await expect.poll(runs).toBe(2)
    child.kill('SIGINT')
    expect((await ended).code).toBe(130)
    expect(runs()).toBe(2)
  })

  test('an unreachable address stops only the checks that need it', async () => {
    const { code, stdout } = await run(
      ['check', '--no-report', '--only', 'DISCOVERY-PUBLIC', 'EVENT-PAGE-SHAPE'],
      {
        PARTNER_API_URL: 'http://127.0.0.1:9/partner',
      },
    )
    expect(code).toBe(2)
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /Configuration\. .* - PARTNER_API_URL points to 127\.0\.0\.1:9, which refuses connections \(ECONNREFUSED\).*: EVENT-PAGE-SHAPE/,
    )
    expect(stdout).toMatch(/1 inconclusive, 1 pass; 4 checks$/m)
    expect(stdout).toContain('npx plumbline doctor --target embedded\n')
  })
})
