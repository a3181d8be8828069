import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { offByDefault } from '../check/applicability.ts'
import { loadSuites } from '../check/suites.ts'
import { readAlterations } from '../embedded/alterations.ts'
import { exitCodes } from '../exit-codes.ts'
import { projectRoot } from '../project.ts'
import { enabling, type TargetName, targetNames } from '../target/profiles.ts'
import { listText } from '../text/format.ts'
import { neededEffects } from './needed-effects.ts'

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

/** `plumbline provider`: runs the embedded provider in the foreground, and exits with its exit code. */
export async function provider(options: ProviderOptions): Promise<void> {
  const args = Object.entries(options).flatMap(([name, value]) =>
    [value].flat().map((word) => (word === true ? optionOf(name) : `${optionOf(name)}=${word}`)),
  )
  const child = spawn(process.execPath, [join(projectRoot, 'provider', 'main.ts'), ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  // The provider sends a message after it has printed its variables.
  child.once('message', async () => console.log(await startedText(options)))
  // The provider ignores Ctrl-C: its parent process decides when it ends.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill('SIGTERM'))
  const [code, signal] = await once(child, 'exit')
  process.exitCode = code ?? (signal === 'SIGINT' ? exitCodes.interrupted : exitCodes.terminated)
}

/** The behaviour of the provider, the file that it wrote, and the next command, as comments below the variables. */
async function startedText({ fault = [], variant = [], env }: ProviderOptions): Promise<string> {
  const listed = (names: readonly string[]) => (names.length === 0 ? 'none' : names.join(', '))
  const lines = [`Faults: ${listed(fault)}. Variants: ${listed(variant)}.`]
  if (env !== undefined) {
    lines.push(`The variables are in ${env}.`)
    const target = targetNames.find((name) => env === `.env.${name}`)
    if (target) lines.push(...(await nextLines(fault, target)))
  }
  return lines.map((line) => `# ${line}`).join('\n')
}

/** The command that detects faults, with the effects that the checks need on this target. */
async function nextLines(faults: readonly string[], target: TargetName): Promise<string[]> {
  const command = `npx plumbline check --target ${target}`
  if (faults.length === 0) return [`Next, in another terminal: ${command}`]
  const [alterations, { checks }] = await Promise.all([readAlterations(), loadSuites()])
  const chosen = alterations.faults.filter(({ name }) => faults.includes(name))
  const violated = chosen.flatMap(({ requirements }) => requirements)
  const { enable, never } = neededEffects(violated, checks, target)
  if (enable.includes('planned') && target !== 'embedded') return webhookLines(target)
  const byEffects = Map.groupBy(chosen, ({ requirements }) =>
    listText(neededEffects(requirements, checks, target).enable),
  )
  byEffects.delete(listText([]))
  return [
    ...[...byEffects].map(([effects, needing]) => {
      const names = listText(needing.map(({ name }) => name))
      return `To detect ${names}, also allow ${effects} (${offByDefault(target)}).`
    }),
    ...(never.length === 0 ? [] : [`Never checked on ${target}: ${never.join(', ')}.`]),
    `Next, in another terminal: ${enabling(enable)}${command}`,
  ]
}

/** Advises the target embedded for faults of webhooks: there, the provider can reach the receiver of the checks. */
function webhookLines(target: TargetName): string[] {
  return [
    `To detect faults of webhooks on ${target}, checks also need a public WEBHOOK_RECEIVER_URL; on embedded they do not.`,
    'Next: start this provider with --env .env.embedded instead; then, in another terminal: ENABLE=planned npx plumbline check --target embedded',
  ]
}

/** `eventsEvery` as it is typed: `--events-every`. */
function optionOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}
