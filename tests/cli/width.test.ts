import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, expect, test, vi } from 'vitest'
import { workloadOf, workloadText } from '../../load/workload.ts'
import { explain } from '../../src/cli/explain.ts'
import { list } from '../../src/cli/list.ts'
import { expectedVariables } from '../../src/embedded/embedded-provider.ts'
import { overviewOf } from '../../src/report/overview.ts'
import { terminalSummary } from '../../src/report/terminal.ts'
import { targetFrom } from '../../src/target/config.ts'
import { runOf } from '../results/fixture/runs.ts'

vi.setConfig({ testTimeout: 60_000 })

const { isTTY, columns } = process.stdout
afterEach(() => {
  vi.restoreAllMocks()
  Object.assign(process.stdout, { isTTY, columns })
})

/** Lines that a command prints at a terminal of this width. */
async function printedAt(width: number, work: () => Promise<void>): Promise<string[]> {
  const printed: string[] = []
  vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text))
  Object.assign(process.stdout, { isTTY: true, columns: width })
  await work()
  return stripVTControlCharacters(printed.join('\n')).split('\n')
}

/** A word that is longer than the line is not split. */
const tooLong = (lines: readonly string[], width: number) =>
  lines.filter((line) => line.length > width && line.trim().includes(' '))

test.for([40, 60, 80])('list and explain fit a terminal of %i columns', async (width) => {
  const listed = await printedAt(width, () => list(['EVENT-*', 'CLIENT-*'], {}))
  expect(tooLong(listed, width)).toEqual([])
  const explained = await printedAt(width, () => explain('EVENT-WINDOW-LIMIT'))
  // Commands are copied, so they stay on one line.
  expect(tooLong(explained, width).filter((line) => !line.startsWith('  repeat'))).toEqual([])
})

test('without a terminal, list and explain are wrapped at 100 columns', async () => {
  const printed: string[] = []
  vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text))
  Object.assign(process.stdout, { isTTY: false, columns: undefined })
  await list(['EVENT-*'], {})
  await explain('EVENT-WINDOW-LIMIT')
  const lines = stripVTControlCharacters(printed.join('\n')).split('\n')
  expect(tooLong(lines, 100).filter((line) => !line.startsWith('  repeat'))).toEqual([])
})

test('a workload of probes fits a terminal of 40 columns', () => {
  const target = targetFrom('embedded', expectedVariables(false))
  const workload = workloadOf(target, { probe: ['dimension'], endpoint: ['userinfo'] })
  expect(tooLong(workloadText(workload, target, 40).split('\n'), 40)).toEqual([])
})

test('a summary fits a terminal of 40 columns', () => {
  const ids = Array.from({ length: 9 }, (_, index) => `TOKEN-${index}`)
  const run = runOf([
    ...ids.map((id) => ({ id, verdict: 'inconclusive' as const, reason: 'the run was stopped' })),
    { id: 'TOKEN-NONE', verdict: 'not-applicable' },
  ])
  const text = terminalSummary(overviewOf(run), {
    stream: Object.assign(new PassThrough(), { columns: 40 }) as unknown as NodeJS.WriteStream,
    directory: '.',
  })
  expect(tooLong(text.split('\n'), 40).filter((line) => !line.startsWith('    npx '))).toEqual([])
  expect(text.replaceAll(/\s+/g, ' ')).toContain('TOKEN-0, TOKEN-1, TOKEN-2, and 6 more (see summary.md)')
})
