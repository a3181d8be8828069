import type { Command } from 'commander'
import { targetOption } from '../shared-options.ts'

export function tokensCommand(plumbline: Command): void {
  plumbline
    .command('tokens')
    .description(
      'Sign in, exchange the code and show header and claims of the tokens; personal values are masked',
    )
    .addOption(targetOption())
    .option('--reveal', 'show tokens and claim values')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  npx plumbline tokens --target uat\n')
    .action(async (options) => (await import('../tokens.ts')).tokens(options))
}
