import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { exitCodes } from '../exit-codes.ts'
import { projectRoot } from '../project.ts'

export interface ProviderOptions {
  readonly port?: string
  readonly fault?: readonly string[]
  readonly variant?: readonly string[]
  readonly limit?: string
  readonly limitBy?: string
  readonly seed?: string
  readonly eventsEvery?: string
  readonly env?: string
  readonly list?: boolean
}

/** `plumbline provider`: runs the embedded provider in the foreground, with its own messages and exit code. */
export async function provider(options: ProviderOptions): Promise<void> {
  const words = Object.entries(options).flatMap(([name, value]) =>
    [value].flat().map((word) => (word === true ? optionOf(name) : `${optionOf(name)}=${word}`)),
  )
  const child = spawn(process.execPath, [join(projectRoot, 'provider', 'main.ts'), ...words], {
    stdio: 'inherit',
  })
  // Ctrl-C reaches both processes: the provider ends by itself, then this one.
  process.on('SIGINT', () => undefined)
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  process.exitCode = await new Promise<number>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? exitCodes.interrupted : 143)))
  })
}

/** `eventsEvery` as it is typed: `--events-every`. */
function optionOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}
