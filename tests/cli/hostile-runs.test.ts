import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { runOf } from '../results/fixture/runs.ts'
import { plumbline } from './command.ts'

// A stored run may be an artefact of a pipeline or come from a colleague: commands treat it as hostile input.

vi.setConfig({ testTimeout: 60_000 })

const id = '20261120T000000Z-uat-0002'
const before = '20261119T000000Z-uat-0001'
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plumbline-hostile-'))
  save(before, results())
  save(id, results())
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function results(change: Record<string, unknown> = {}) {
  return { ...runOf([{ id: 'TOKEN-TYPE-BEARER', verdict: 'pass' }], { id }), ...change }
}

function directoryOf(run: string): string {
  return join(folder, 'reports', 'runs', run)
}

/** @returns the path of its results.json */
function save(run: string, content: unknown): string {
  mkdirSync(directoryOf(run), { recursive: true })
  const file = join(directoryOf(run), 'results.json')
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

const commands = [
  ['report', id],
  ['compare', before, id],
  ['compare', id, before],
  ['gate', id],
  ['explain', 'TOKEN-TYPE-BEARER'],
] as const

async function outcomes() {
  const ended = []
  for (const words of commands) {
    const { code, stdout, stderr } = await plumbline(words, { cwd: folder, env: { REPORT_DIR: 'reports' } })
    ended.push({ command: words.join(' '), code, text: stdout + stderr })
  }
  return ended
}

const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`
const nulls = results()
const kinds: readonly (readonly [string, (file: string) => void])[] = [
  ['deep JSON', (file) => writeFileSync(file, deep)],
  [
    'deep JSON in a member',
    (file) =>
      writeFileSync(
        file,
        JSON.stringify(results({ observations: '?' })).replace(
          '"?"',
          `[${'['.repeat(9000)}${']'.repeat(9000)}]`,
        ),
      ),
  ],
  ['null', (file) => writeFileSync(file, 'null')],
  [
    'null in place of its lists',
    (file) => writeFileSync(file, JSON.stringify({ ...nulls, requirements: null, exchanges: null })),
  ],
  [
    'null within its lists',
    (file) => writeFileSync(file, JSON.stringify({ ...nulls, requirements: [null, 'TOKEN-TYPE-BEARER'] })),
  ],
  [
    'checks that are null',
    (file) =>
      writeFileSync(
        file,
        JSON.stringify({
          ...nulls,
          requirements: [{ id: 'TOKEN-TYPE-BEARER', verdict: 'pass', checks: null }],
        }),
      ),
  ],
  ['no run', (file) => writeFileSync(file, JSON.stringify({ ...nulls, run: null }))],
  [
    'a directory',
    (file) => {
      rmSync(file)
      mkdirSync(file)
    },
  ],
  [
    'a pipe',
    (file) => {
      rmSync(file)
      execFileSync('mkfifo', [file])
    },
  ],
  [
    'an endless device',
    (file) => {
      rmSync(file)
      symlinkSync('/dev/zero', file)
    },
  ],
  ['bytes that are not text', (file) => writeFileSync(file, Buffer.from([0xff, 0xfe, 0, 0x80, 0x7b]))],
]

describe.each(kinds)('a results.json that is %s', (_kind, spoil) => {
  test.each([id, before])('in %s ends every command with a sentence', async (run) => {
    spoil(join(directoryOf(run), 'results.json'))
    for (const { command, code, text } of await outcomes()) {
      expect([0, 1, 2, 3], `${command}: ${text}`).toContain(code)
      expect(text, command).not.toMatch(/^\s+at .*:\d+|Maximum call stack|defect of Plumbline/m)
    }
  })
})

test('an attachment outside the run is not read', async () => {
  writeFileSync(join(folder, 'canary.txt'), 'canary-of-a-file')
  symlinkSync(join(folder, 'canary.txt'), join(directoryOf(id), 'linked.txt'))
  const [requirement] = results().requirements
  const attachments = [
    '../../../canary.txt',
    'linked.txt',
    '/etc/passwd',
    '../../../../../../../etc/passwd',
  ].map((path) => ({ name: 'chart', mediaType: 'text/plain', path }))
  const [check] = requirement?.checks ?? []
  for (const attachment of attachments) {
    save(
      id,
      results({ requirements: [{ ...requirement, checks: [{ ...check, attachments: [attachment] }] }] }),
    )
    await plumbline(['report', id], { cwd: folder, env: { REPORT_DIR: 'reports' } })
    for (const name of readdirSync(directoryOf(id), { recursive: true, encoding: 'utf8' })) {
      const path = join(directoryOf(id), name)
      if (name === 'linked.txt' || !/\.\w+$/.test(name)) continue
      expect(readFileSync(path, 'utf8'), name).not.toMatch(/canary-of-a-file|root:x:/)
    }
  }
})

test.each(['report', 'allure-results', 'junit.xml', 'summary.md'])(
  'a file or folder in the place of %s is one sentence',
  async (name) => {
    const path = join(directoryOf(id), name)
    if (/\./.test(name)) mkdirSync(path)
    else writeFileSync(path, 'in the way')
    const { code, stdout, stderr } = await plumbline(['report', id], {
      cwd: folder,
      env: { REPORT_DIR: 'reports' },
    })
    expect([0, 3], stdout + stderr).toContain(code)
    expect(stdout + stderr).not.toMatch(/^\s+at .*:\d+/m)
  },
)
