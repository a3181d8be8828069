import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { plumbline, startPlumbline } from './command.ts'

vi.setConfig({ testTimeout: 60_000 })

const folder = mkdtempSync(join(tmpdir(), 'plumbline-completion-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** The candidates for the last word, and whether it may be a file name. */
async function offered(...words: readonly string[]): Promise<{ values: readonly string[]; files: boolean }> {
  const { stdout, stderr, code } = await plumbline(['complete', '--', ...words], { cwd: folder })
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
  const lines = stdout.trimEnd().split('\n')
  return { values: lines.slice(0, -1).map((line) => line.split('\t')[0] ?? ''), files: lines.at(-1) === ':0' }
}

describe('candidates come from the commands themselves', () => {
  test.each<[readonly string[], readonly string[]]>([
    [['do'], ['doctor']],
    [['--ver'], ['--version']],
    [['check', '--slow'], ['--slow-mo']],
    [
      ['check', '--target', ''],
      ['embedded', 'uat', 'production'],
    ],
    [['check', '--headed', '--target', 'u'], ['uat']],
    [['check', '--only', 'event-window-l'], ['EVENT-WINDOW-LIMIT']],
    [['check', '--only', 'EVENT-ID', 'event-window-l'], ['EVENT-WINDOW-LIMIT']],
    [
      ['check', '--area', 'key-set', 'ev'],
      ['event-search', 'events'],
    ],
    [['explain', 'IDTOKEN-ISS'], ['IDTOKEN-ISSUER']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['provider', '--fault', 'id-token-issuer-t'], ['id-token-issuer-trailing-slash']],
    [['provider', '--port', '4000', '--variant', 'no-consent-p'], ['no-consent-page']],
    [['list', '--o'], []],
  ])('%j', async (words, values) => {
    expect(await offered(...words)).toEqual({ values, files: false })
  })

  test.each([[['report', '']], [['check', '--out', '']]])('%j may be a file', async (words) => {
    expect(await offered(...words)).toEqual({ values: [], files: true })
  })

  test('commands, without those for scripts only', async () => {
    const { values } = await offered('')
    expect(values).toContain('tokens')
    expect(values).not.toContain('complete')
  })
})

test('the script of bash offers it, and runs nothing that was typed', async () => {
  const { stdout } = await startPlumbline(['completion', 'bash'], { cwd: folder }).ended
  writeFileSync(join(folder, 'script'), stdout)
  const words = `COMP_WORDS=(plumbline explain '$(touch ran)' IDTOKEN-ISS) COMP_CWORD=3; _plumbline`
  const shell = spawnSync(
    'bash',
    ['--norc', '-c', `. ./script; . ./script; ${words}; echo "\${COMPREPLY[@]}"; ls`],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  )
  expect(shell.stderr).toBe('')
  expect(shell.stdout).toBe('IDTOKEN-ISSUER\nscript\n')
})

test('another shell is refused in a sentence', async () => {
  const { code, stderr } = await plumbline(['completion', 'tcsh'], { cwd: folder })
  expect({ code, stderr }).toEqual({ code: 3, stderr: 'The shell "tcsh" is not one of bash, zsh, fish\n' })
})
