import { describe, expect, onTestFinished, test } from 'vitest'
import { startProvider } from '../../provider/index.ts'
import { plumbline } from './command.ts'
import { Doctor, inOwnProcess, withSeverity } from './doctor-fixture.ts'

const doctor = new Doctor()

describe('the doctor of a valid configuration', () => {
  test('reports no error, needs one login and few requests, and prints no secret', async () => {
    const result = await doctor.diagnosed({}, [], doctor.provider.variables, inOwnProcess)
    expect(result).toMatchObject({ code: 0, exitCode: 0, logins: 1 })
    expect(result.findings.filter(({ severity }) => severity !== 'ok')).toEqual([])
    expect(result.requests).toBeLessThan(30)
    for (const [name, value] of Object.entries(doctor.provider.variables))
      if (/SECRET|PASSWORD|TEST_USER|_ID$/.test(name)) expect(result.output).not.toContain(value)
    expect(result.variables.find(({ name }) => name === 'CLIENT_SECRET')?.shape).toMatch(
      /^\d+ characters: lower-case letters, digits$/,
    )
  })

  test('needs no test user; --no-login sends no login', async () => {
    const [without, unwanted] = await Promise.all([
      doctor.diagnosed({ TEST_USER: null, TEST_PASSWORD: null }),
      doctor.diagnosed({}, ['--no-login']),
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

  test('prints lines, also for the embedded provider', async () => {
    const words = ['doctor', '--no-login', '--target', 'embedded']
    const { code, stdout } = await inOwnProcess(words, { cwd: doctor.folder })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ {2}TARGET +--target +embedded$/m)
    expect(stdout).toContain('Plumbline starts its embedded provider, which needs no configuration')
    expect(stdout).toMatch(/^ {2}ok {10}discovery /m)
    expect(stdout).toContain('No errors. Next: npx plumbline check --target embedded\n')
    expect(stdout).not.toContain('\x1b')
  })

  test('leaves the consent to the second application to the check that needs it', async () => {
    const fresh = await startProvider()
    onTestFinished(() => fresh.close())
    const result = await doctor.diagnosed({}, [], fresh.variables)
    expect(withSeverity(result, 'ok').map(({ topic }) => topic)).toContain('second application')
    const { stdout } = await plumbline(['check', '--only', 'AUTHZ-CONSENT-REFUSED', '--no-report'], {
      cwd: doctor.folder,
      env: fresh.variables,
    })
    expect(stdout).toContain('The only checked requirement holds')
  })
})
