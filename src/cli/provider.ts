import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { exitCodes } from '../exit-codes.ts'
import { projectRoot } from '../project.ts'
import { targetNames } from '../target/profiles.ts'

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
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  // The provider sends a message after it has printed its variables.
  child.once('message', () => console.log(startedText(options)))
  // The provider ignores Ctrl-C, because a parent decides when it ends.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill('SIGTERM'))
  const [code, signal] = await once(child, 'exit')
  process.exitCode = code ?? (signal === 'SIGINT' ? exitCodes.interrupted : exitCodes.terminated)
}

/** The behaviour of the provider, the file that it wrote, and the next command, as comments below the variables. */
function startedText({ fault = [], variant = [], env }: ProviderOptions): string {
  const listed = (names: readonly string[]) => (names.length === 0 ? 'none' : names.join(', '))
  const lines = [`Faults: ${listed(fault)}. Variants: ${listed(variant)}.`]
  if (env !== undefined) {
    lines.push(`The variables are in ${env}.`)
    const target = targetNames.find((name) => env === `.env.${name}`)
    if (target) lines.push(`Next, in another terminal: npx plumbline check --target ${target}`)
  }
  return lines.map((line) => `# ${line}`).join('\n')
}

/** `eventsEvery` as it is typed: `--events-every`. */
function optionOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}
