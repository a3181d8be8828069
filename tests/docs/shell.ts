import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commandServer } from '../cli/command.ts'

/** How to treat a command that cannot run unchanged with exit code 0. */
export interface Treatment {
  /** Why the command is not run. The parser checks the command nevertheless. */
  readonly notRun?: string
  /** Words to add to the command, which reduce its work. */
  readonly add?: readonly string[]
  /** Other correct exit codes. */
  readonly exits?: readonly number[]
}

/** A program that a script called. */
export interface Call {
  readonly words: readonly string[]
  /** Exit code; null if it was not run. */
  readonly code: number | null
}

export interface Tried {
  readonly code: number | null
  /** Standard output and standard error. */
  readonly output: string
  readonly calls: readonly Call[]
}

/** Programs that a stand-in replaces, because scripts must not start them. */
const replaced = ['npx', 'npm', 'node', 'plumbline', 'xdg-open']
const standIn = join(import.meta.dirname, 'stand-in.ts')

/**
 * Runs a script of a document or a pipeline with bash, like GitHub and GitLab, with stand-ins for programs.
 * @param treatments by the words of the command, separated by spaces
 */
export async function tryScript(
  text: string,
  {
    cwd,
    env = {},
    treatments = {},
    seen = '',
  }: {
    readonly cwd: string
    readonly env?: Readonly<Record<string, string>>
    readonly treatments?: Readonly<Record<string, Treatment>>
    /** A folder that remembers commands, so that each runs only once. */
    readonly seen?: string
  },
): Promise<Tried> {
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-script-'))
  try {
    for (const name of replaced) {
      const file = join(folder, name)
      writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${standIn}' ${name} "$@"\n`)
      chmodSync(file, 0o755)
    }
    const calls = join(folder, 'calls')
    const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', text], {
      cwd,
      env: {
        PATH: `${folder}:${process.env.PATH}`,
        HOME: process.env.HOME,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        TREATMENTS: JSON.stringify(treatments),
        CALLS: calls,
        COMMAND_SERVER: await commandServer(),
        SEEN: seen,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    return { code, output, calls: existsSync(calls) ? callsIn(readFileSync(calls, 'utf8')) : [] }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function callsIn(text: string): Call[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Call)
}

/**
 * The arguments of `plumbline` in the call of a program.
 * @returns undefined for the call of another program
 */
export function plumblineWords([name, ...rest]: readonly string[]): readonly string[] | undefined {
  if (name === 'plumbline') return rest
  if (name === 'npx' && rest[0] === 'plumbline') return rest.slice(1)
  if (name === 'npm' && rest[0] === 'start')
    return ['check', ...rest.slice(1).filter((word) => word !== '--')]
  return undefined
}
