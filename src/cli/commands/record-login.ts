import type { Command } from 'commander'
import { several, targetOption } from '../shared-options.ts'

export function recordLoginCommand(plumbline: Command): void {
  plumbline
    .command('record-login')
    .description('Record how you sign in, write a login recipe, and try it in a second login')
    .addOption(targetOption())
    .option('--out <file>', 'recipe file (default: LOGIN_RECIPE, or login-recipe.json)')
    .option('--force', 'replace the steps that the recipe already has')
    .option('--cancel', 'record how to cancel the login instead of how to sign in')
    .option('--remote [port]', 'show the login page to the browser of another machine, through an SSH tunnel')
    .option('--host <host...>', 'also load this host, if the login pages need it', several)
    .addHelpText(
      'after',
      '\nTyped values never leave the page. The second login runs without a window.' +
        '\n\nExamples:\n  npx plumbline record-login --target uat --out recipes/uat.json' +
        '\n  npx plumbline record-login --target uat --out recipes/uat.json --cancel' +
        '\n  npx plumbline record-login --target uat --out recipes/uat.json --remote\n',
    )
    .action(async (options) => (await import('../record-login.ts')).recordLoginByHand(options))
}
