import type { Command } from 'commander'
import { several } from '../shared-options.ts'

export function providerCommand(plumbline: Command): void {
  plumbline
    .command('provider')
    .description('Serve the embedded provider in the foreground and print the variables that point to it')
    .option('--port <n>', 'port (default: a free port)')
    .option('--fault <fault...>', 'reproduce a fault', several)
    .option('--variant <variant...>', 'behave like a variant: a lawful alternative or a disturbance', several)
    .option('--limit <requests/seconds>', 'rate limit per client, user and address')
    .option('--limit-by <keys>', 'limit keys, such as client+user,address')
    .option('--seed <text>', 'seed for secrets and events')
    .option('--events-every <seconds>', 'interval of generated claim changes, for pollers and webhooks')
    .option('--list', 'print all faults and variants as JSON')
    .option('--env <file>', 'file to write the variables to')
    .addHelpText(
      'after',
      '\nTo choose a fault, start from the requirement that it violates: `npx plumbline list`' +
        '\nshows all requirements, `npx plumbline explain ID` the faults and variants of one.' +
        '\n\nExamples:\n  npx plumbline provider --port 4000 --env .env.uat' +
        '\n  npx plumbline explain EVENT-WINDOW-LIMIT' +
        '\n  npx plumbline provider --fault window-of-25-hours-accepted --env .env.uat\n',
    )
    .action(async (options) => (await import('../provider.ts')).provider(options))
}
