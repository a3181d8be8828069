import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { projectRoot } from '../../src/project.ts'

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** `plumbline` as a user runs it, without a terminal. */
export function plumbline(
  words: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string | undefined>> },
): { child: ChildProcess; ended: Promise<Ended>; texts: { stdout: string; stderr: string } } {
  const child = spawn(process.execPath, [join(projectRoot, 'bin/plumbline.mjs'), ...words], {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk: Buffer) => {
      texts[name] += chunk.toString()
    })
  const ended = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ code, ...texts })))
  return { child, ended, texts }
}
