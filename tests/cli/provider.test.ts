import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { startPlumbline } from './command.ts'

const cwd = mkdtempSync(join(tmpdir(), 'plumbline-provider-'))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

test('provider shows the effects without which the checks of a fault do not run', async () => {
  const faults = ['code-replay-accepted', 'window-of-25-hours-accepted', 'old-refresh-token-accepted']
  const words = ['provider', '--fault', ...faults, '--env', '.env.uat']
  const { child, ended, texts } = startPlumbline(words, { cwd })
  await vi.waitUntil(() => texts.stdout.includes('# Next'), { timeout: 30_000 })
  expect(texts.stdout).toContain(
    '# To detect code-replay-accepted, also allow token-destruction (off by default on uat).\n# To detect old-refresh-token-accepted, also allow token-destruction and slow (off by default on uat).\n# Next, in another terminal: ENABLE=token-destruction,slow npx plumbline check --target uat\n',
  )
  child.kill('SIGINT')
  expect(await ended).toMatchObject({ code: 0, stderr: '' })
})

test('provider shows the command that detects faults of webhooks, also if its variables are those of uat', async () => {
  const fault = 'webhook-digest-base64'
  const words = ['provider', '--variant', 'webhooks', '--fault', fault, '--env', '.env.uat']
  const { child, ended, texts } = startPlumbline(words, { cwd })
  await vi.waitUntil(() => texts.stdout.includes('# Next'), { timeout: 30_000 })
  expect(texts.stdout).toContain('checks also need a public WEBHOOK_RECEIVER_URL; on embedded they do not.\n')
  expect(texts.stdout).toContain(
    '# Next: start this provider with --env .env.embedded instead; then, in another terminal: ENABLE=planned npx plumbline check --target embedded\n',
  )
  child.kill('SIGINT')
  expect(await ended).toMatchObject({ code: 0, stderr: '' })
})

test('provider names its faults and variants, the file of its variables, and the next command', async () => {
  const words = ['provider', '--fault', 'window-of-25-hours-accepted', '--env', '.env.uat']
  const { child, ended, texts } = startPlumbline(words, { cwd })
  await vi.waitUntil(() => texts.stdout.includes('# Next'), { timeout: 30_000 })
  expect(texts.stdout).toMatch(/\n[A-Z_]+=.*\n# Faults: window-of-25-hours-accepted\. Variants: none\.\n/)
  expect(texts.stdout).toContain('# The variables are in .env.uat.\n')
  expect(texts.stdout).toContain('# Next, in another terminal: npx plumbline check --target uat\n')
  expect(existsSync(join(cwd, '.env.uat'))).toBe(true)
  child.kill('SIGINT')
  expect(await ended).toMatchObject({ code: 0, stderr: '' })
})
