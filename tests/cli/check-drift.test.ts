import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startProvider } from '../../provider/index.ts'
import { plumbline } from './command.ts'

const folder = mkdtempSync(join(tmpdir(), 'plumbline-drift-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Checks a provider with one variant, like a user. */
async function check(variants: string[], ...words: string[]) {
  const provider = await startProvider({ variants })
  try {
    const { code, stdout } = await plumbline(['check', '--no-report', ...words, '--area', 'discovery'], {
      cwd: folder,
      env: { ...provider.variables, REPORT_DIR: 'reports' },
    })
    const summary = readFileSync(join(folder, 'reports', 'latest', 'summary.md'), 'utf8')
    return { code, out: stdout, summary }
  } finally {
    await provider.close()
  }
}

test('a run reports its drift in one line, and fails because of it only with --fail-on drift', async () => {
  const first = await check([], '--fail-on', 'drift')
  expect(first.out).not.toContain('Drift')
  expect(first.code).toBe(0)
  const same = await check([], '--fail-on', 'drift')
  expect(same.out).toMatch(/^Drift since [\s\S]*?no\s+verdict\s+or\s+observation\s+changed/m)
  expect(same.code).toBe(0)
  const other = await check(['discovery-minimal'])
  expect(other.out).toMatch(/^Drift since [\s\S]*?: 2\s+observations changed/m)
  expect(other.summary).toMatch(/## Drift\n\nSince .*: 2 observations changed/)
  expect(other.code).toBe(0)
  const back = await check([], '--fail-on', 'drift')
  expect(back.out).toMatch(/^Drift since [\s\S]*?: 2\s+observations changed/m)
  expect(back.code).toBe(1)
}, 120_000)
