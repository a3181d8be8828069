import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '../src/project.ts'

/** A `plumbline` command that runs in a temporary folder. */
export interface StartedCommand extends AsyncDisposable {
  readonly child: ChildProcess
  readonly folder: string
  /** The exit code, and all output. */
  readonly ended: Promise<{ readonly code: number | null; readonly output: string }>
}

interface CommandOptions {
  /** Variables that depend on the folder of the command. */
  readonly variablesOf?: (folder: string) => Readonly<Record<string, string>>
  /** A line of `sh` that executes the command, which is its `"$@"`. */
  readonly shell?: string
}

/** Environment variable that all processes of a command inherit. It identifies them. */
export const folderVariable = 'SIEGE_FOLDER'

/** Starts `plumbline` with these variables. */
export function startCommand(
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
  { variablesOf = () => ({}), shell = 'exec "$@"' }: CommandOptions = {},
): StartedCommand {
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-siege-'))
  const { PATH = '', HOME = '' } = process.env
  const command = [process.execPath, join(projectRoot, 'bin/plumbline.mjs'), ...args]
  const child = spawn('/bin/sh', ['-c', shell, 'sh', ...command], {
    cwd: folder,
    env: { PATH, HOME, [folderVariable]: folder, ...variables, ...variablesOf(folder) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, output }))
  return {
    child,
    folder,
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
