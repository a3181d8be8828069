import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Secret, TOTP } from 'otpauth'
import { beforeEach, expect, test, vi } from 'vitest'

const secret = new Secret({ size: 20 }).base32
const log = join(mkdtempSync(join(tmpdir(), 'totp-')), 'reports', 'one-time-password.json')
const start = Date.parse('2026-03-02T12:00:10.000Z')

type Passwords = typeof import('../../src/browser/one-time-password.ts')
let processes = 0

/** The functions as another process has them: a new query makes Node evaluate the module again. */
async function newProcess(): Promise<Passwords> {
  processes += 1
  return import(`../../src/browser/one-time-password.ts?process=${processes}`)
}

beforeEach(() => {
  vi.useFakeTimers({ now: start, toFake: ['Date'] })
  return () => vi.useRealTimers()
})

test('a later process waits for a password that no earlier one has used', async () => {
  const first = (await newProcess()).oneTimePassword(secret, log)
  expect(first.waitMs).toBe(0)
  vi.setSystemTime(start + 5000)
  const second = (await newProcess()).oneTimePassword(secret, log)
  expect(second.waitMs).toBe(15_000)
  expect(second.value).not.toBe(first.value)
  vi.setSystemTime(start + 60_000)
  expect((await newProcess()).oneTimePassword(secret, log).waitMs).toBe(0)
})

test('so does one after a password that a person typed', async () => {
  vi.setSystemTime(start + 600_000)
  const typed = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() })
  const { wasOneTimePassword } = await newProcess()
  expect(wasOneTimePassword(secret, (password) => password === typed, log)).toBe(true)
  expect((await newProcess()).oneTimePassword(secret, log).waitMs).toBe(20_000)
})

test('the file contains only the time; a file that is damaged or from the future is ignored', async () => {
  vi.setSystemTime(start + 1_200_000)
  const { oneTimePassword } = await newProcess()
  oneTimePassword(secret, log)
  expect(JSON.parse(readFileSync(log, 'utf8'))).toEqual({ usedUntil: '2026-03-02T12:20:30.000Z' })
  for (const text of ['{', '{"usedUntil":"2030-01-01T00:00:00Z"}']) {
    writeFileSync(log, text)
    expect((await newProcess()).oneTimePassword(secret, log).waitMs).toBe(0)
  }
})
