import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { SetupError } from '../target/problem.ts'
import { projectRoot } from './suites.ts'

export interface EmbeddedProvider {
  /** Variables that make it a target. */
  readonly variables: Readonly<Record<string, string>>
  close(): Promise<void>
}

interface Ready {
  readonly ready: true
  readonly variables: Record<string, string>
}

/**
 * Starts the embedded provider in a process of its own, which ends with this one.
 * @throws {SetupError} with the provider's own sentence where it does not start
 */
export function startEmbeddedProvider(options: readonly string[] = []): Promise<EmbeddedProvider> {
  const child = fork(join(projectRoot, 'provider', 'main.ts'), [...options], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let complaint = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    complaint += chunk
  })
  return new Promise((resolve, reject) => {
    const fail = (what: string) =>
      reject(new SetupError([{ name: 'The embedded provider', what: `did not start: ${what}` }]))
    child.once('error', (error) => fail(error.message))
    child.once('exit', (code) => fail(complaint.trim() || `it ended with code ${code}`))
    child.once('message', (message) => {
      const { variables } = message as Ready
      resolve({ variables, close: () => end(child) })
    })
  })
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once('exit', () => resolve())
    child.kill('SIGTERM')
  })
}
