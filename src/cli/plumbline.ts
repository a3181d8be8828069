import { Command, CommanderError, Option } from 'commander'
import { version } from '../project.ts'
import { SetupError } from '../target/problem.ts'

/** Exit codes of every command. */
const exit = { setup: 3, defect: 4 } as const

/** Appends to a list option that may be given again or hold several words. */
const several = (value: string, previous: readonly string[] = []): string[] => [
  ...previous,
  ...value.split(','),
]

function program(): Command {
  const plumbline = new Command('plumbline')
    .description('Checks an identity provider and its Event Hub against the partner interface specification.')
    .version(version)
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, '')) })
    .showSuggestionAfterError()

  plumbline
    .command('check')
    .description('run the conformance suites and write a run')
    .addOption(targetOption())
    .option('--only <id-glob...>', 'only these requirements, by id or glob', several)
    .option('--area <area...>', 'only these areas', several)
    .option('--headed', 'show the browser')
    .option('--slow-mo <ms>', 'with --headed: wait before each step in the browser')
    .option('--rerun-failed', 'only what the latest check of the target found violated or undecided')
    .option('--watch', 'run again when suites, sources, schemas or an .env file change')
    .option('--out <dir>', 'where runs are written (REPORT_DIR)')
    .option('--no-report', 'do not build the HTML report')
    .addOption(failOnOption())
    .addOption(
      new Option(
        '--annotations <form>',
        'github: print what needs somebody as annotations of a GitHub job',
      ).choices(['github']),
    )
    .addHelpText('after', "\nExample:\n  plumbline check --target uat --only 'EVENT-WINDOW-*'\n")
    .action(async (options) => (await import('./check.ts')).check(options))

  plumbline
    .command('doctor')
    .description('configuration, reachability, browser, clock, credentials, one good call of each area')
    .addOption(targetOption())
    .option('--no-login', 'do not sign the test user in')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  plumbline doctor --target uat\n')
    .action(async (options) => (await import('./doctor.ts')).doctor(options))

  plumbline
    .command('plan')
    .description('what a check would run, what not and why, with requests, logins and effects; sends nothing')
    .addOption(targetOption())
    .option('--only <id-glob...>', 'only these requirements, by id or glob', several)
    .option('--area <area...>', 'only these areas', several)
    .addHelpText('after', '\nExample:\n  plumbline plan --target uat\n')
    .action(async (options) => (await import('./plan.ts')).plan(options))

  plumbline
    .command('probe')
    .description('throttled load probes: how the target limits requests; writes a run')
    .addOption(targetOption())
    .option('--probe <probe...>', 'anatomy, ramp, limiter, recovery, dimension, hold, capacity', several)
    .option(
      '--endpoint <endpoint...>',
      'discovery, key-set, authorize, token, userinfo, event-search',
      several,
    )
    .option('--rate <requests-per-second>', 'what the probe hold keeps up; half of LOAD_MAX_RATE by default')
    .option('--own-server <host>', 'a server of yours alone, whose capacity may be measured')
    .option('--dry-run', 'say what would be done at most, and send nothing')
    .option('--what-if [run]', 'what partners can count on behind the limiter that was found; sends nothing')
    .option('--export <tool>', 'artillery: write a scenario for several machines into --out; sends nothing')
    .option('--workers <n>', 'with --export: how many will run it')
    .option('--seconds <n>', 'with --export: how long each runs')
    .option('--import <file...>', 'make a run of what the workers recorded; sends nothing', several)
    .option('--out <dir>', 'where runs are written (REPORT_DIR)')
    .addHelpText(
      'after',
      '\nExample:\n  plumbline probe --target uat --probe limiter --endpoint event-search\n',
    )
    .action(async (options) => (await import('./probe.ts')).probe(options))

  plumbline
    .command('list')
    .description('requirements with level, checks, faults and variants')
    .argument('[id-glob...]', 'only these requirements, by id or glob')
    .option('--area <area...>', 'only these areas', several)
    .option('--level <level...>', 'only these levels: must, client, planned, silent', several)
    .option('--unchecked', 'only those without a check, with the reason')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      "\nExamples:\n  plumbline list 'EVENT-WINDOW-*'\n  plumbline list --area token id-token --level must\n",
    )
    .action(async (globs, options) => (await import('./list.ts')).list(globs, options))

  plumbline
    .command('explain')
    .description('one requirement: section, what is ambiguous, checks, faults, last verdict, how to run it')
    .argument('<id>', 'id of a requirement, or a glob of ids')
    .addHelpText('after', '\nExample:\n  plumbline explain EVENT-WINDOW-LIMIT\n')
    .action(async (id) => (await import('./explain.ts')).explain(id))

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

  plumbline
    .command('tokens')
    .description('signs in, exchanges the code and shows what the tokens say; values of claims are masked')
    .addOption(targetOption())
    .option('--reveal', 'show tokens and values of claims')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  plumbline tokens --target uat\n')
    .action(async (options) => (await import('./tokens.ts')).tokens(options))

  plumbline
    .command('compare')
    .description('what differs between two runs: verdicts, observations, requirements')
    .argument('[run-a]', 'path or id of a run, latest, latest~1 or previous')
    .argument('[run-b]', 'the same; the latest run by default')
    .option('--json', 'as JSON')
    .option('--markdown', 'as Markdown')
    .addOption(failOnOption())
    .addHelpText(
      'after',
      '\nWithout runs: the latest against the last one with its target and kind.' +
        '\n\nExamples:\n  plumbline compare previous latest\n  plumbline compare runs/uat runs/production --markdown\n',
    )
    .action(async (runA, runB, options) => {
      const runs = [runA, runB].filter((run) => run !== undefined)
      await (await import('./compare.ts')).compare(runs, options)
    })

  plumbline
    .command('gate')
    .description('whether a run may be released, by a policy and waivers; with --record kept for years')
    .argument('[run]', 'path or id of a run, latest, latest~1 or previous; the latest by default')
    .option('--policy <file>', 'what a release asks for; reports/release-policy.json by default')
    .option('--waivers <file>', 'accepted violations; reports/waivers.json by default')
    .option('--json', 'as JSON')
    .option('--markdown', 'as Markdown')
    .option('--record <dir>', 'write everything the decision rests on into a new folder')
    .addHelpText(
      'after',
      '\nExample:\n  plumbline gate --policy reports/release-policy.json --record releases/2.4\n',
    )
    .action(async (run, options) => (await import('./gate.ts')).gate(run, options))

  plumbline
    .command('report')
    .description('build the HTML report, summary and JUnit file of a run again')
    .argument('[run]', 'id or directory of a run; the latest by default')
    .option('--open', 'open it in the browser')
    .addHelpText('after', '\nExample:\n  plumbline report --open\n')
    .action(async (run, options) => (await import('./report.ts')).report(run, options))

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

  plumbline
    .command('completion')
    .description('print a script that completes commands, options, requirements, areas and targets')
    .argument('<shell>', 'bash, zsh or fish')
    .addHelpText('after', '\nExample:\n  source <(plumbline completion bash)\n')
    .action(async (shell) => (await import('./completion.ts')).completion(shell))

  plumbline
    .command('complete [words...]', { hidden: true })
    .description('answers the script of completion')
    .action(async (words) => (await import('./completion.ts')).complete(plumbline, words))

  for (const command of plumbline.commands) {
    const help = `(see plumbline ${command.name()} --help)`
    command
      .exitOverride()
      .configureOutput({
        outputError: (text, write) => write(`${text.replace(/^error: /, '').trimEnd()} ${help}\n`),
      })
      .showSuggestionAfterError()
  }
  return plumbline
}

function targetOption(): Option {
  return new Option('--target <target>', 'embedded, uat or production (TARGET)')
}

function failOnOption(): Option {
  return new Option(
    '--fail-on <what>',
    'drift: exit 1 where the target behaves otherwise than before',
  ).choices(['drift'])
}

/** Only the machine can be the reason: a full disk, or a file of somebody else's. */
const isRefused = (error: unknown): error is NodeJS.ErrnoException =>
  ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')

/** Whoever reads the output may stop reading, as `| head` does: that is no defect. */
const isUnread = (error: unknown) => (error as NodeJS.ErrnoException).code === 'EPIPE'

// A run goes on all the same, since its verdicts are on disk and in the exit code.
for (const [name, stream] of [
  ['Standard output', process.stdout],
  ['Standard error', process.stderr],
] as const) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (isUnread(error)) return
    if (stream === process.stdout) console.error(`${name} cannot be written to (${error.code}).`)
    process.exit(exit.setup)
  })
}

// Node would end with 1, which says that a requirement is violated.
process.on('uncaughtException', (error) => {
  fail(error)
  process.exit()
})

try {
  await program().parseAsync()
} catch (error) {
  fail(error)
}

/** Says what kept the command from its end, and sets the exit code. */
function fail(error: unknown): void {
  if (error instanceof CommanderError) {
    // Help and version were asked for; everything else is a mistake in the options.
    process.exitCode = error.exitCode === 0 ? 0 : exit.setup
  } else if (error instanceof SetupError) {
    console.error(error.message)
    process.exitCode = exit.setup
  } else if (isRefused(error)) {
    console.error(`${error.path ?? 'A file'} cannot be used (${error.code}).`)
    process.exitCode = exit.setup
  } else if (!isUnread(error)) {
    console.error('A defect of Plumbline, please report it:')
    console.error(error instanceof Error ? error.stack : error)
    process.exitCode = exit.defect
  }
}
