import type { Command } from 'commander'
import { targetOption } from '../shared-options.ts'

export function loginCommand(plumbline: Command): void {
  plumbline
    .command('login')
    .description('Sign in once through the login page and show each step, without values')
    .addOption(targetOption())
    .option('--headed', 'show the browser')
    .option('--slow-mo <ms>', 'wait before each browser step')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  npx plumbline login --target uat --headed --slow-mo 500\n')
    .action(async (options) => (await import('../login.ts')).login(options))
}
