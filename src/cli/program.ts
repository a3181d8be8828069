import { Command } from 'commander'
import { version } from '../project.ts'
import { checkCommand } from './commands/check.ts'
import { compareCommand } from './commands/compare.ts'
import { completeCommand } from './commands/complete.ts'
import { completionCommand } from './commands/completion.ts'
import { doctorCommand } from './commands/doctor.ts'
import { eventsCommand } from './commands/events.ts'
import { explainCommand } from './commands/explain.ts'
import { gateCommand } from './commands/gate.ts'
import { listCommand } from './commands/list.ts'
import { loginCommand } from './commands/login.ts'
import { planCommand } from './commands/plan.ts'
import { probeCommand } from './commands/probe.ts'
import { providerCommand } from './commands/provider.ts'
import { recordLoginCommand } from './commands/record-login.ts'
import { reportCommand } from './commands/report.ts'
import { tokensCommand } from './commands/tokens.ts'

/** In the order of --help. Each loads its action only when it runs, so that --help and completion are fast. */
const commands = [
  checkCommand,
  doctorCommand,
  planCommand,
  probeCommand,
  listCommand,
  explainCommand,
  eventsCommand,
  loginCommand,
  recordLoginCommand,
  tokensCommand,
  compareCommand,
  gateCommand,
  reportCommand,
  providerCommand,
  completionCommand,
  completeCommand,
]

/** The command as typed in a checkout, and in texts that advise a command. */
const command = 'npx plumbline'

/** Prints a usage error of commander, and the command that shows the help. */
function withHelp(help: string): (text: string, write: (text: string) => void) => void {
  return (text, write) => {
    const sentence = text
      .replace(/^error: /, '')
      .replace(/\n\(Did you mean (.*)\?\)/, '; did you mean $1?')
      .trimEnd()
    write(`${sentence} (see ${help})\n`)
  }
}

/** The command line, with all commands and their options. */
export function program(): Command {
  const plumbline = new Command(command)
    .description('Check an identity provider and its Event Hub against the partner interface specification.')
    .version(version)
    .exitOverride()
    .configureOutput({ outputError: withHelp(`${command} --help`) })
    .showSuggestionAfterError()

  for (const add of commands) add(plumbline)

  for (const one of plumbline.commands) {
    one
      .exitOverride()
      .configureOutput({ outputError: withHelp(`${command} ${one.name()} --help`) })
      .showSuggestionAfterError()
  }
  return plumbline
}
