import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CommanderError } from 'commander'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { program } from '../../../src/cli/program.ts'
import { tries, unhandled } from './spoilt.ts'

// Whatever a command line contains, it is understood, or reported as a usage or setup error.

/** Commands that send nothing are executed; of all others, the command line is parsed. */
const executed = new Set(['list', 'explain', 'compare', 'gate', 'report', 'completion', '__complete'])

const folder = mkdtempSync(join(tmpdir(), 'plumbline-command-lines-'))
const before = process.cwd()
beforeAll(() => {
  process.chdir(folder)
  for (const method of ['log', 'error', 'warn'] as const) vi.spyOn(console, method).mockReturnValue()
  for (const stream of [process.stdout, process.stderr]) vi.spyOn(stream, 'write').mockReturnValue(true)
})
afterAll(() => {
  vi.restoreAllMocks()
  process.chdir(before)
  rmSync(folder, { recursive: true })
})

const names = program().commands.map((command) => command.name())
const flags = [
  ...new Set(program().commands.flatMap(({ options }) => options.map(({ long }) => long ?? '--'))),
]
const word = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...flags) },
  { weight: 1, arbitrary: fc.constantFrom('--', '-', '--only=', '-h', '--version', '--help') },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...['TOKEN-*', 'token', 'embedded', 'uat', '0', '-1', '1e9', '10s', 'latest', '../..', '[', '**/('],
      ...[
        '2026-02-30',
        '2026-01-01T00:00:00Z',
        '/dev/null',
        'results.json',
        '',
        ' ',
        '\u0000',
        '\u202e',
        '💥',
      ],
    ),
  },
  { weight: 1, arbitrary: fc.string() },
)

test('command lines', async () => {
  expect(names).toEqual(expect.arrayContaining([...executed].filter((name) => !name.startsWith('__'))))
  const property = fc.asyncProperty(
    fc.oneof(fc.constantFrom(...names), word),
    fc.array(word, { maxLength: 5 }),
    async (name, words) => {
      const plumbline = program()
      for (const command of plumbline.commands)
        if (!executed.has(command.name())) command.action(() => undefined)
      const failure = await plumbline.parseAsync([name, ...words], { from: 'user' }).then(
        () => undefined,
        (error: unknown) => error,
      )
      if (failure instanceof CommanderError) return
      const thrown = unhandled(() => {
        if (failure !== undefined) throw failure
      })
      expect(thrown).toBeUndefined()
      expect([undefined, 0, 1, 2, 3]).toContain(process.exitCode)
      process.exitCode = undefined
    },
  )
  await fc.assert(property, tries(150))
}, 600_000)
