import { Command } from 'commander'
import { version } from '../project.ts'
import { commands } from './commands.ts'

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

export function program(): Command {
  const plumbline = new Command(command)
    .description('Check an identity provider and its Event Hub against the partner interface specification.')
    .version(version)
    .exitOverride()
    .configureOutput({ outputError: withHelp(`${command} --help`) })

  for (const add of commands) add(plumbline)

  for (const one of plumbline.commands)
    one.configureOutput({ outputError: withHelp(`${command} ${one.name()} --help`) })
  return plumbline
}
