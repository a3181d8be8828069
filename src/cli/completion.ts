import type { Command, Option } from 'commander'
import { SetupError } from '../target/problem.ts'
import { profiles, targetNames } from '../target/profiles.ts'

/**
 * The completion script of each shell. On every completion, the script runs `plumbline complete`, so that it offers
 * the ids of this checkout. `COMMAND` is replaced by the quoted command.
 */
const scripts: Readonly<Record<string, string>> = {
  bash: String.raw`_plumbline() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :0) compopt -o default 2>/dev/null ;;
      :*) ;;
      *) COMPREPLY+=("${'$'}{line%%$'\t'*}") ;;
    esac
  done < <(COMMAND complete -- "${'$'}{COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _plumbline plumbline
`,
  zsh: String.raw`#compdef plumbline
_plumbline() {
  local line value
  local -a candidates
  for line in "${'$'}{(@f)$(COMMAND complete -- "${'$'}{(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      :0) _files ;;
      :*) ;;
      *) value=${'$'}{line%%$'\t'*}; candidates+=("${'$'}{value//:/\\:}:${'$'}{line#*$'\t'}") ;;
    esac
  done
  (( $#candidates )) && _describe plumbline candidates
}
(( $+functions[compdef] )) && compdef _plumbline plumbline
`,
  fish: `function __plumbline
  set -l words (commandline -opc) (commandline -ct)
  for line in (COMMAND complete -- $words[2..-1] 2>/dev/null)
    switch $line
      case ':0'
        __fish_complete_path (commandline -ct)
      case ':*'
      case '*'
        echo $line
    end
  end
end
complete -c plumbline -f -a '(__plumbline)'
`,
}

/** The last line of `plumbline complete`: whether the shell may also offer file names. Cobra uses the same codes. */
const fileNames = { allowed: ':0', forbidden: ':4' }

interface Candidate {
  readonly value: string
  readonly description: string
}

/** The values of an option or argument, by its placeholder, such as `target` in `--target <target>`. */
const valuesOf: Readonly<Record<string, () => Promise<readonly Candidate[]> | readonly Candidate[]>> = {
  target: () =>
    targetNames.map((value) => ({ value, description: `at most ${profiles[value].requestBudget} requests` })),
  'id-glob': requirementIds,
  id: requirementIds,
  area: async () => undescribed(new Set((await requirements()).map(({ area }) => area))),
  fault: () => alterations('faults'),
  variant: () => alterations('variants'),
  shell: () => undescribed(Object.keys(scripts)),
}

/** `plumbline completion SHELL`: prints a script that calls `plumbline complete` on every completion. */
export function completion(shell: string): void {
  const script = scripts[shell]
  if (script === undefined) {
    const what = `${JSON.stringify(shell)} is not one of ${Object.keys(scripts).join(', ')}`
    throw new SetupError({ name: 'The shell', what })
  }
  const words = [process.execPath, process.argv[1] ?? 'plumbline']
  const command = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
  process.stdout.write(script.replaceAll('COMMAND', () => command))
}

/**
 * `plumbline complete -- WORDS`: prints the candidates for the last word, one per line, with a tab before the
 * description. The last line is `:0` if file names are candidates too, otherwise `:4`.
 */
export async function complete(program: Command, words: readonly string[]): Promise<void> {
  const last = words.at(-1) ?? ''
  const candidates = await candidatesFor(program, words.slice(0, -1), last)
  const fitting = candidates?.filter(({ value }) => value.toLowerCase().startsWith(last.toLowerCase())) ?? []
  for (const { value, description } of fitting) console.log(`${value}\t${description}`)
  console.log(candidates ? fileNames.forbidden : fileNames.allowed)
}

/** The candidates for the last word; undefined if the word may be any value, such as a file name. */
async function candidatesFor(
  program: Command,
  before: readonly string[],
  last: string,
): Promise<readonly Candidate[] | undefined> {
  const command = program.commands.find((one) => one.name() === before[0])
  if (!command) {
    return before.length > 0 || last.startsWith('-')
      ? optionsOf(program)
      : program
          .createHelp()
          .visibleCommands(program)
          .map((one) => ({ value: one.name(), description: one.description() }))
  }
  if (last.startsWith('-')) return optionsOf(command)
  const option = optionBefore(command, before)
  if (option?.argChoices) return undescribed(option.argChoices)
  if (option) return valuesOf[placeholderIn(option.flags)]?.()
  const [argument] = command.registeredArguments
  return argument ? valuesOf[argument.name()]?.() : optionsOf(command)
}

/** The option whose value comes next: the preceding word, or an earlier option with several values. */
function optionBefore(command: Command, before: readonly string[]): Option | undefined {
  const position = before.findLastIndex((word) => word.startsWith('-'))
  const option = command.options.find(({ long, short }) => [long, short].includes(before[position]))
  if (!option || !(option.required || option.optional)) return undefined
  return option.variadic || position === before.length - 1 ? option : undefined
}

function undescribed(values: Iterable<string>): Candidate[] {
  return Array.from(values, (value) => ({ value, description: '' }))
}

/** `target` in the flags `--target <target>`. */
function placeholderIn(flags: string): string {
  return /[<[]([^>\]]+?)(?:\.\.\.)?[>\]]/.exec(flags)?.[1] ?? ''
}

function optionsOf(command: Command): Candidate[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .map(({ long, flags, description }) => ({ value: long ?? flags, description }))
}

async function requirements() {
  const { loadSuites } = await import('../check/suites.ts')
  return (await loadSuites()).requirements
}

async function alterations(kind: 'faults' | 'variants'): Promise<Candidate[]> {
  const { readAlterations } = await import('../embedded/alterations.ts')
  return (await readAlterations())[kind].map(({ name, summary }) => ({ value: name, description: summary }))
}

async function requirementIds(): Promise<Candidate[]> {
  return (await requirements()).map(({ id, statement }) => ({ value: id, description: statement }))
}
