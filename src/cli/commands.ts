import { type Command, Option } from 'commander'
import { probesHelp } from './load/probe-help.ts'
import { areaOption, failOnOption, onlyOption, runForms, several, targetOption } from './shared-options.ts'

/** Loads a command while a child process reads the faults and variants that the command shows. */
async function withAlterations<Command>(load: () => Promise<Command>): Promise<Command> {
  const { readAlterations } = await import('../embedded/alterations.ts')
  readAlterations()
  return load()
}

/** Functions that add one command each, in the order of `--help`. A command loads its code only when it runs. */
export const commands: readonly ((plumbline: Command) => Command)[] = [
  (plumbline) =>
    plumbline
      .command('check')
      .description('Run the conformance suites and write a run')
      .addOption(targetOption())
      .addOption(onlyOption())
      .addOption(areaOption())
      .option('--headed', 'show the browser')
      .option('--slow-mo <ms>', 'with --headed: wait before each browser step')
      .option(
        '--rerun-failed',
        'run only the requirements whose last verdict on the target is fail or inconclusive',
      )
      .option('--watch', 'run again when a suite, source, schema or .env file changes')
      .option('--out <dir>', 'directory to write runs to (default: REPORT_DIR, or reports)')
      .option('--no-report', 'do not build the HTML report')
      .addOption(failOnOption())
      .addOption(
        new Option('--annotations <form>', 'github: print findings as annotations of the GitHub job').choices(
          ['github'],
        ),
      )
      .addHelpText('after', "\nExample:\n  npx plumbline check --target uat --only 'EVENT-WINDOW-*'\n")
      .action(async (options) => (await import('./check.ts')).check(options)),
  (plumbline) =>
    plumbline
      .command('doctor')
      .description(
        'Diagnose the set-up: configuration, network, browser, clock, credentials, one valid call per area',
      )
      .addOption(targetOption())
      .option('--no-login', 'do not sign in')
      .option('--json', 'print JSON')
      .addHelpText('after', '\nExample:\n  npx plumbline doctor --target uat\n')
      .action(async (options) => (await import('./doctor.ts')).doctor(options)),
  (plumbline) =>
    plumbline
      .command('plan')
      .description(
        'Show which checks would run or be skipped and why, with requests, logins and effects; send nothing',
      )
      .addOption(targetOption())
      .addOption(onlyOption())
      .addOption(areaOption())
      .addHelpText('after', '\nExample:\n  npx plumbline plan --target uat\n')
      .action(async (options) => (await import('./plan.ts')).plan(options)),
  (plumbline) =>
    plumbline
      .command('probe')
      .description('Measure how the target limits requests, with capped load probes; write a run')
      .addOption(targetOption())
      .option('--probe <probe...>', 'probes to run, see below (default: limiter, ramp, recovery)', several)
      .option(
        '--endpoint <endpoint...>',
        'endpoints to probe: discovery, key-set, authorize, token, userinfo, event-search (default: event-search)',
        several,
      )
      .option(
        '--rate <requests-per-second>',
        'arrival rate of the hold probe (default: half of LOAD_MAX_RATE)',
      )
      .option('--own-server <host>', 'host that only you use; allows the capacity probe on it')
      .option('--dry-run', 'show the maximum requests and seconds of a run; send nothing')
      .option(
        '--what-if [run]',
        'simulate client throughput behind the limiter that a run identified (default: the newest such run); send nothing',
      )
      .option('--export <tool>', 'artillery: write a scenario for several machines to --out; send nothing')
      .option('--workers <n>', 'with --export: number of workers (default: 1)')
      .option('--seconds <n>', 'with --export: duration of each worker (default: LOAD_MAX_SECONDS)')
      .option(
        '--import <file...>',
        'write a run from the records of the workers of an exported scenario; send nothing',
        several,
      )
      .option('--out <dir>', 'directory to write runs to (default: REPORT_DIR, or reports)')
      .addHelpText(
        'after',
        `${probesHelp}\nExample:\n  npx plumbline probe --target uat --probe limiter --endpoint event-search\n`,
      )
      .action(async (options) => (await import('./probe.ts')).probe(options)),
  (plumbline) =>
    plumbline
      .command('list')
      .usage('[id-glob...] [options]')
      .description('List requirements with their level and the numbers of checks, faults and variants')
      .argument('[id-glob...]', 'select requirements by id or glob')
      .addOption(areaOption())
      .option('--level <level...>', 'select levels: must, client, planned, reference, silent', several)
      .option('--unchecked', 'list only requirements without a check, with the reason')
      .option('--json', 'print JSON')
      .addHelpText(
        'after',
        "\nExamples:\n  npx plumbline list 'EVENT-WINDOW-*'\n  npx plumbline list --area token id-token --level must\n",
      )
      .action(async (globs, options) =>
        (await withAlterations(() => import('./list.ts'))).list(globs, options),
      ),
  (plumbline) =>
    plumbline
      .command('explain')
      .description(
        'Explain a requirement: statement, last verdict, the command that repeats it, checks, faults and variants',
      )
      .argument('<id>', 'id or glob of requirements')
      .addHelpText('after', '\nExample:\n  npx plumbline explain EVENT-WINDOW-LIMIT\n')
      .action(async (id) => (await withAlterations(() => import('./explain.ts'))).explain(id)),
  (plumbline) =>
    plumbline
      .command('events')
      .description('Search events, or with --follow poll for new events; claim values are masked')
      .addOption(targetOption())
      .option(
        '--from <time>',
        'start, local time of the Event Hub (default: one hour ago; with --follow: now)',
      )
      .option('--to <time>', 'end, local time of the Event Hub (default: now)')
      .option('--page <n>', 'page to show; the first is 0')
      .option('--page-size <n>', 'events per page (default: 10; with --all or --follow: 100)')
      .option('--all', 'read all pages')
      .option('--json', 'print JSON Lines even if the output is a terminal')
      .option('--reveal', 'show claim values and subscribers')
      .option('--follow', 'deliver every event from now or from the checkpoint, until interrupted')
      .option(
        '--checkpoint <file>',
        'with --follow: file to save progress to, and to resume from after a restart',
      )
      .option(
        '--out <file>',
        'with --follow: append events to a file instead of printing them; with --checkpoint, each exactly once',
      )
      .option('--interval <seconds>', 'with --follow: time between polls (default: 30)')
      .option(
        '--lag <seconds>',
        'with --follow: minimum age of events before they are read, to include late ones (default: 60)',
      )
      .option('--once', 'with --follow: exit after all events up to now are delivered')
      .addHelpText(
        'after',
        '\nExamples:\n  npx plumbline events --target uat --from 2026-03-02T10:00:00 --to 2026-03-02T11:00:00 --all' +
          '\n  npx plumbline events --target uat --follow --checkpoint events.checkpoint --out events.jsonl\n',
      )
      .action(async (options) => (await import('./events.ts')).events(options)),
  (plumbline) =>
    plumbline
      .command('login')
      .description('Sign in once through the login page and show each step, without values')
      .addOption(targetOption())
      .option('--headed', 'show the browser')
      .option('--slow-mo <ms>', 'wait before each browser step')
      .option('--json', 'print JSON')
      .addHelpText('after', '\nExample:\n  npx plumbline login --target uat --headed --slow-mo 500\n')
      .action(async (options) => (await import('./login.ts')).login(options)),
  (plumbline) =>
    plumbline
      .command('record-login')
      .description('Record how you sign in, write a login recipe, and try it in a second login')
      .addOption(targetOption())
      .option('--out <file>', 'recipe file (default: LOGIN_RECIPE, or login-recipe.json)')
      .option('--force', 'replace the steps that the recipe already has')
      .option('--cancel', 'record how to cancel the login instead of how to sign in')
      .option(
        '--remote [port]',
        'show the login page to the browser of another machine, through an SSH tunnel',
      )
      .option('--host <host...>', 'also allow requests to this host, if the login pages need it', several)
      .addHelpText(
        'after',
        '\nTyped values never leave the page. The second login runs without a window.' +
          '\n\nExamples:\n  npx plumbline record-login --target uat --out recipes/uat.json' +
          '\n  npx plumbline record-login --target uat --out recipes/uat.json --cancel' +
          '\n  npx plumbline record-login --target uat --out recipes/uat.json --remote\n',
      )
      .action(async (options) => (await import('./record-login.ts')).recordLoginByHand(options)),
  (plumbline) =>
    plumbline
      .command('tokens')
      .description(
        'Sign in, exchange the code and show header and claims of the tokens; personal values are masked',
      )
      .addOption(targetOption())
      .option('--reveal', 'show tokens and claim values')
      .option('--json', 'print JSON')
      .addHelpText('after', '\nExample:\n  npx plumbline tokens --target uat\n')
      .action(async (options) => (await import('./tokens.ts')).tokens(options)),
  (plumbline) =>
    plumbline
      .command('compare')
      .description('Compare two runs: verdicts, observations, requirements')
      .argument('[run-a]', runForms)
      .argument('[run-b]', 'path or id of the other run, in the same forms (default: latest)')
      .option('--json', 'print JSON')
      .option('--markdown', 'print Markdown')
      .addOption(failOnOption())
      .addHelpText(
        'after',
        '\nWithout arguments: compare the latest run with the last comparable one: complete, of the same target and kind,' +
          '\nand with at least the same requirements.' +
          '\n\nExamples:\n  npx plumbline compare previous latest\n  npx plumbline compare reports/runs/20261121T120624123Z-uat-5f0a latest --markdown\n',
      )
      .action(async (runA, runB, options) => {
        const runs = [runA, runB].filter((run) => run !== undefined)
        await (await import('./compare.ts')).compare(runs, options)
      }),
  (plumbline) =>
    plumbline
      .command('gate')
      .description(
        'Decide whether a run meets the release policy, with waivers; optionally write a release record',
      )
      .argument('[run]', `${runForms} (default: latest)`)
      .option('--policy <file>', 'release policy (default: reports/release-policy.json)')
      .option(
        '--waivers <file>',
        'accepted violations and inconclusive requirements (default: reports/waivers.json)',
      )
      .option('--json', 'print JSON')
      .option('--markdown', 'print Markdown')
      .option('--record <dir>', 'write the decision and all its inputs to a new folder')
      .addHelpText(
        'after',
        '\nExample:\n  npx plumbline gate --policy reports/release-policy.json --record releases/2.4\n',
      )
      .action(async (run, options) => (await import('./gate.ts')).gate(run, options)),
  (plumbline) =>
    plumbline
      .command('report')
      .description('Rebuild the HTML report, summary and JUnit file of a run')
      .argument('[run]', `${runForms} (default: latest)`)
      .option('--open', 'open the report in the browser')
      .addHelpText('after', '\nExample:\n  npx plumbline report --open\n')
      .action(async (run, options) => (await import('./report.ts')).report(run, options)),
  (plumbline) =>
    plumbline
      .command('provider')
      .description('Serve the embedded provider in the foreground and print the variables that point to it')
      .option('--port <n>', 'port (default: a free port)')
      .option('--fault <fault...>', 'reproduce a fault', several)
      .option(
        '--variant <variant...>',
        'behave like a variant: a lawful alternative or a disturbance',
        several,
      )
      .option(
        '--limit <requests/seconds>',
        'limit requests per client, per user and per address, in windows that begin with their first request',
      )
      .option(
        '--limit-by <keys>',
        'with --limit: other limits, such as client+user,address: one limit for each user of each client, and one for each address. The word nothing means one limit for all requests',
      )
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
      .action(async (options) => (await import('./provider.ts')).provider(options)),
  (plumbline) =>
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
      .action(async (shell) => (await import('./completion.ts')).completion(shell)),
  (plumbline) =>
    plumbline
      .command('complete [words...]', { hidden: true })
      .description('Print completions for the completion script')
      .action(async (words) => (await import('./completion.ts')).complete(plumbline, words)),
]
