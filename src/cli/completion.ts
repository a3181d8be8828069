import type { Command, Option } from 'commander'
import { SetupError } from '../target/problem.ts'
import { profiles, targetNames } from '../target/profiles.ts'
import { scripts } from './completion-scripts.ts'

/** The last line of an answer: whether the shell may offer names of files. */
const files = { offered: ':0', not: ':4' }

interface Candidate {
  readonly value: string
  readonly description: string
}

/** Values of options and arguments, by the name that stands between their brackets. */
const values: Readonly<Record<string, () => Promise<readonly Candidate[]> | readonly Candidate[]>> = {
  target: () =>
    targetNames.map((value) => ({ value, description: `at most ${profiles[value].requestBudget} requests` })),
  'id-glob': requirementIds,
  id: requirementIds,
  area: async () =>
    [...new Set((await requirements()).map(({ area }) => area))].map((value) => ({ value, description: '' })),
  fault: () => alterations('faults'),
  variant: () => alterations('variants'),
  shell: () => Object.keys(scripts).map((value) => ({ value, description: '' })),
}

/** `plumbline completion SHELL`: a script that asks `plumbline complete` at each press of the key. */
export function completion(shell: string): void {
  const script = scripts[shell]
  if (script === undefined) {
    const what = `${JSON.stringify(shell)} is not one of ${Object.keys(scripts).join(', ')}`
    throw new SetupError([{ name: 'The shell', what }])
  }
  const words = [process.execPath, process.argv[1] ?? 'plumbline']
  const command = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
  process.stdout.write(script.replaceAll('COMMAND', () => command))
}

/**
 * `plumbline complete -- WORDS`: what may stand in the place of the last word, a line each, with a tab before its
 * description; the last line says whether names of files may stand there.
 */
export async function complete(program: Command, words: readonly string[]): Promise<void> {
  const last = words.at(-1) ?? ''
  const candidates = await candidatesFor(program, words.slice(0, -1), last)
  const fitting = candidates?.filter(({ value }) => value.toLowerCase().startsWith(last.toLowerCase())) ?? []
  for (const { value, description } of fitting) console.log(`${value}\t${description}`)
  console.log(candidates ? files.not : files.offered)
}

/** @returns undefined where anything may stand there, such as the name of a file */
async function candidatesFor(
  program: Command,
  before: readonly string[],
  last: string,
): Promise<readonly Candidate[] | undefined> {
  const command = program.commands.find((one) => one.name() === before[0])
  if (!command) {
    return before.length > 0 || last.startsWith('-')
      ? optionsOf(program)
      : visible(program).map((one) => ({ value: one.name(), description: one.description() }))
  }
  if (last.startsWith('-')) return optionsOf(command)
  const option = optionBefore(command, before)
  if (option?.argChoices) return option.argChoices.map((value) => ({ value, description: '' }))
  if (option) return valuesOf(nameIn(option.flags))
  const [argument] = command.registeredArguments
  return argument ? valuesOf(argument.name()) : optionsOf(command)
}

/** The option whose value is to come: the one just before, or one that takes several. */
function optionBefore(command: Command, before: readonly string[]): Option | undefined {
  const position = before.findLastIndex((word) => word.startsWith('-'))
  const option = command.options.find(({ long, short }) => [long, short].includes(before[position]))
  if (!option || !(option.required || option.optional)) return undefined
  return option.variadic || position === before.length - 1 ? option : undefined
}

async function valuesOf(name: string): Promise<readonly Candidate[] | undefined> {
  return values[name]?.()
}

function nameIn(flags: string): string {
  return /[<[]([^>\]]+?)(?:\.\.\.)?[>\]]/.exec(flags)?.[1] ?? ''
}

function optionsOf(command: Command): Candidate[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .map(({ long, flags, description }) => ({ value: long ?? flags, description }))
}

function visible(program: Command): readonly Command[] {
  return program.createHelp().visibleCommands(program)
}

async function requirements() {
  const { loadSuites } = await import('../check/suites.ts')
  return (await loadSuites()).requirements
}

/** Names of the embedded provider's faults or variants. */
async function alterations(kind: 'faults' | 'variants'): Promise<Candidate[]> {
  const { readAlterations } = await import('../embedded/alterations.ts')
  return (await readAlterations())[kind].map(({ name, summary }) => ({ value: name, description: summary }))
}

async function requirementIds(): Promise<Candidate[]> {
  return (await requirements()).map(({ id, statement }) => ({ value: id, description: statement }))
}
