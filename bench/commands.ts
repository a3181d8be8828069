import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { plumbline } from './command.ts'
import { type Figure, figure, median } from './figure.ts'

/** Commands that send no request, which should respond at once. */
const commands = [['--help'], ['list'], ['plan'], ['explain', 'EVENT-WINDOW-LIMIT']] as const
const maxSeconds = 0.3

/**
 * Durations of commands that send no request. They are short, so each command runs more often than `rounds`. Its first
 * run fills caches and does not count.
 */
export async function commandFigures(rounds: number): Promise<Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), 'plumbline-bench-commands-'))
  const figures: Figure[] = []
  for (const words of commands) {
    const seconds: number[] = []
    for (let round = 0; round < 2 * rounds + 2; round += 1) seconds.push(await plumbline(words, directory))
    figures.push(figure(`plumbline ${words.join(' ')}`, median(seconds.slice(1)), 's', maxSeconds))
  }
  await rm(directory, { recursive: true })
  return figures
}
