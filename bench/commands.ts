import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '../src/project.ts'
import type { Figure } from './figure.ts'

/** Commands that people wait for, each with the most it may take, in milliseconds. */
const commands = [
  { words: ['--help'], aimMs: 150 },
  { words: ['plan'], aimMs: 500 },
  { words: ['explain', 'EVENT-WINDOW-LIMIT'], aimMs: 500 },
] as const

/**
 * How long commands take that send nothing, from the start of Node to its end: the least of several, since others on
 * the machine only ever add to it. The first of each fills the caches and does not count.
 */
export async function commandFigures(rounds: number): Promise<Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), 'plumbline-bench-commands-'))
  const once = (words: readonly string[]) => {
    const started = performance.now()
    const { status } = spawnSync(process.execPath, [join(projectRoot, 'bin', 'plumbline.mjs'), ...words], {
      cwd: directory,
    })
    if (status !== 0) throw new Error(`plumbline ${words.join(' ')} ended with code ${status}`)
    return performance.now() - started
  }
  const figures = commands.map(({ words, aimMs }): Figure => {
    const [, ...counted] = Array.from({ length: 2 * rounds + 2 }, () => once(words))
    const least = Math.min(...counted)
    return {
      figure: `plumbline ${words.join(' ')}, the least of ${counted.length}`,
      value: Math.round(least),
      unit: 'ms',
      aim: `< ${aimMs}`,
      holds: least < aimMs,
    }
  })
  await rm(directory, { recursive: true })
  return figures
}
