import type { Command } from 'commander'
import { several, targetOption } from './shared-options.ts'

// Commands are loaded when they run, so that --help and completion answer at once.

export function eventsCommand(plumbline: Command): void {
  plumbline
    .command('events')
    .description('an event search, or with --follow events as they come; values of claims are masked')
    .addOption(targetOption())
    .option('--from <time>', 'local time of the Event Hub; an hour ago, with --follow now')
    .option('--to <time>', 'local time of the Event Hub; now by default')
    .option('--page <n>', 'page to show, from 0')
    .option('--page-size <n>', 'events on a page; 10, with --all and --follow 100')
    .option('--all', 'read all pages')
    .option('--json', 'lines of JSON on a terminal, too')
    .option('--reveal', 'show values of claims')
    .option('--follow', 'hand over every event from now or the checkpoint on, until interrupted')
    .option('--checkpoint <file>', 'where to go on from after a restart')
    .option('--out <file>', 'append events to a file, each exactly once, in place of printing them')
    .option('--interval <seconds>', 'between two polls; 30 by default')
    .option('--lag <seconds>', 'how old events are read, so that late ones are there; 60 by default')
    .option('--once', 'with --follow: end when all events until now are handed over')
    .addHelpText(
      'after',
      '\nExamples:\n  plumbline events --target uat --from 2026-03-02T10:00:00 --to 2026-03-02T11:00:00 --all' +
        '\n  plumbline events --target uat --follow --checkpoint events.checkpoint --out events.jsonl\n',
    )
    .action(async (options) => (await import('./events.ts')).events(options))
}

export function loginCommand(plumbline: Command): void {
  plumbline
    .command('login')
    .description(
      'one login through the real page: what was typed and pressed where, by name, and where it ended',
    )
    .addOption(targetOption())
    .option('--headed', 'show the browser')
    .option('--slow-mo <ms>', 'wait before each step in the browser')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  plumbline login --target uat --headed --slow-mo 500\n')
    .action(async (options) => (await import('./login.ts')).login(options))
}

export function recordLoginCommand(plumbline: Command): void {
  plumbline
    .command('record-login')
    .description('opens the login page, records how you sign in, and writes a login recipe that was tried')
    .addOption(targetOption())
    .option('--out <file>', 'the recipe; what LOGIN_RECIPE names by default, or login-recipe.json')
    .option('--force', 'replace what the recipe says already')
    .option('--cancel', 'record how a login is given up, in place of how to sign in')
    .option('--host <host...>', 'load this host too, when the login pages need it', several)
    .addHelpText(
      'after',
      '\nNo value that is typed leaves the page. The recipe is tried in a second login, without a window.' +
        '\n\nExamples:\n  plumbline record-login --target uat --out recipes/uat.json' +
        '\n  plumbline record-login --target uat --out recipes/uat.json --cancel\n',
    )
    .action(async (options) => (await import('./record-login.ts')).recordLoginByHand(options))
}

export function tokensCommand(plumbline: Command): void {
  plumbline
    .command('tokens')
    .description('signs in, exchanges the code and shows what the tokens say; values of claims are masked')
    .addOption(targetOption())
    .option('--reveal', 'show tokens and values of claims')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  plumbline tokens --target uat\n')
    .action(async (options) => (await import('./tokens.ts')).tokens(options))
}

export function providerCommand(plumbline: Command): void {
  plumbline
    .command('provider')
    .description('serve the embedded provider in the foreground and print the variables to use it with')
    .option('--port <n>', 'port; any free one by default')
    .option('--fault <fault...>', 'commit a fault', several)
    .option('--variant <variant...>', 'follow a lawful variant', several)
    .option('--limit <requests/seconds>', 'limit requests per client, user and address')
    .option('--limit-by <keys>', 'what requests are counted by, such as client+user,address')
    .option('--seed <text>', 'secrets and events depend on it')
    .option('--events-every <seconds>', 'make up a claim change so often, for pollers and webhooks')
    .option('--env <file>', 'write the variables to a file')
    .addHelpText('after', '\nExample:\n  plumbline provider --port 4000 --env .env.uat\n')
    .action(async (options) => (await import('./provider.ts')).provider(options))
}

export function completionCommand(plumbline: Command): void {
  plumbline
    .command('completion')
    .description('print a script that completes commands, options, requirements, areas and targets')
    .argument('<shell>', 'bash, zsh or fish')
    .addHelpText('after', '\nExample:\n  source <(plumbline completion bash)\n')
    .action(async (shell) => (await import('./completion.ts')).completion(shell))
}

export function completeCommand(plumbline: Command): void {
  plumbline
    .command('complete [words...]', { hidden: true })
    .description('answers the script of completion')
    .action(async (words) => (await import('./completion.ts')).complete(plumbline, words))
}
