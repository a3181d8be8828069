import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { projectRoot } from '../src/project.ts'

/** Time limit of a process, in milliseconds. */
const timeoutMs = 30 * 60_000

/**
 * Runs a script of the project with Node, and waits for its end.
 * @param args path of the script and its arguments
 * @returns code null if a signal or the time limit ended it
 */
export async function runProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly stdout: string }> {
  const options = { cwd: projectRoot, timeout: timeoutMs, env: { ...process.env, ...env } }
  return promisify(execFile)(process.execPath, args, options).then(
    ({ stdout }) => ({ stdout, code: 0 }),
    ({ stdout, code }: { stdout: string; code: number | null }) => ({ stdout, code }),
  )
}
