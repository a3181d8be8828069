import type { Command } from 'commander'
import { targetOption } from '../shared-options.ts'

export function doctorCommand(plumbline: Command): void {
  plumbline
    .command('doctor')
    .description(
      'Diagnose the set-up: configuration, network, browser, clock, credentials, one valid call per area',
    )
    .addOption(targetOption())
    .option('--no-login', 'do not sign in')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  npx plumbline doctor --target uat\n')
    .action(async (options) => (await import('../doctor.ts')).doctor(options))
}
