import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { projectRoot } from '../src/project.ts'

/** Runs `plumbline` as a user does. @returns the duration in seconds, including the start of Node */
export function plumbline(
  args: readonly string[],
  cwd = process.cwd(),
  variables: Readonly<Record<string, string>> = {},
): Promise<number> {
  const started = performance.now()
  const child = spawn(process.execPath, [join(projectRoot, 'bin', 'plumbline.mjs'), ...args], {
    cwd,
    env: { ...process.env, ...variables },
    stdio: 'ignore',
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) =>
      code === 0
        ? resolve((performance.now() - started) / 1000)
        : reject(new Error(`plumbline ${args.join(' ')} ended with code ${code}`)),
    )
  })
}
