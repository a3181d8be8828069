import type { Command } from 'commander'
import { several, targetOption } from './shared-options.ts'

// Each command is loaded only when it runs, so that --help and completion are fast.

export function eventsCommand(plumbline: Command): void {
  plumbline
    .command('events')
    .description('Search events, or with --follow poll for new events; claim values are masked')
    .addOption(targetOption())
    .option('--from <time>', 'start, local time of the Event Hub (default: one hour ago; with --follow: now)')
    .option('--to <time>', 'end, local time of the Event Hub (default: now)')
    .option('--page <n>', 'page to show; the first is 0')
    .option('--page-size <n>', 'events per page (default: 10; with --all or --follow: 100)')
    .option('--all', 'read all pages')
    .option('--json', 'print JSON Lines on a terminal too')
    .option('--reveal', 'show claim values and subscribers')
    .option('--follow', 'deliver every event from now or from the checkpoint, until interrupted')
    .option('--checkpoint <file>', 'file with the progress, to resume from after a restart')
    .option('--out <file>', 'append events to a file, each exactly once, instead of printing them')
    .option('--interval <seconds>', 'time between polls (default: 30)')
    .option('--lag <seconds>', 'read events only when they are this old, to include late ones (default: 60)')
    .option('--once', 'with --follow: exit after all events up to now are delivered')
    .addHelpText(
      'after',
      '\nExamples:\n  npx plumbline events --target uat --from 2026-03-02T10:00:00 --to 2026-03-02T11:00:00 --all' +
        '\n  npx plumbline events --target uat --follow --checkpoint events.checkpoint --out events.jsonl\n',
    )
    .action(async (options) => (await import('./events.ts')).events(options))
}

export function loginCommand(plumbline: Command): void {
  plumbline
    .command('login')
    .description('Sign in once through the login page and show each step, without values')
    .addOption(targetOption())
    .option('--headed', 'show the browser')
    .option('--slow-mo <ms>', 'wait before each browser step')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  npx plumbline login --target uat --headed --slow-mo 500\n')
    .action(async (options) => (await import('./login.ts')).login(options))
}

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
    .action(async (options) => (await import('./record-login.ts')).recordLoginByHand(options))
}

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
    .action(async (options) => (await import('./tokens.ts')).tokens(options))
}

export function providerCommand(plumbline: Command): void {
  plumbline
    .command('provider')
    .description('Serve the embedded provider in the foreground and print the variables that point to it')
    .option('--port <n>', 'port (default: a free port)')
    .option('--fault <fault...>', 'reproduce a fault', several)
    .option('--variant <variant...>', 'behave like a variant: lawfully in another way, or disturbed', several)
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
    .action(async (options) => (await import('./provider.ts')).provider(options))
}

export function completionCommand(plumbline: Command): void {
  plumbline
    .command('completion')
    .description('Print a shell completion script for commands, options, requirements, areas and targets')
    .argument('<shell>', 'bash, zsh or fish')
    .addHelpText(
      'after',
      '\nThe script completes the command `plumbline`, which is on the path after' +
        '\n`export PATH=$PWD/node_modules/.bin:$PATH` in the checkout.' +
        '\n\nExample:\n  source <(npx plumbline completion bash)\n',
    )
    .action(async (shell) => (await import('./completion.ts')).completion(shell))
}

export function completeCommand(plumbline: Command): void {
  plumbline
    .command('complete [words...]', { hidden: true })
    .description('Print completions for the completion script')
    .action(async (words) => (await import('./completion.ts')).complete(plumbline, words))
}
