import { type Command, Option } from 'commander'
import { areaOption, failOnOption, onlyOption, several, targetOption } from './shared-options.ts'

// Each command is loaded only when it runs, so that --help and completion are fast.

export function checkCommand(plumbline: Command): void {
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
      new Option('--annotations <form>', 'github: print findings as annotations of the GitHub job').choices([
        'github',
      ]),
    )
    .addHelpText('after', "\nExample:\n  npx plumbline check --target uat --only 'EVENT-WINDOW-*'\n")
    .action(async (options) => (await import('./check.ts')).check(options))
}

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
    .action(async (options) => (await import('./doctor.ts')).doctor(options))
}

export function planCommand(plumbline: Command): void {
  plumbline
    .command('plan')
    .description('Show what check would run or skip and why, with requests, logins and effects; send nothing')
    .addOption(targetOption())
    .addOption(onlyOption())
    .addOption(areaOption())
    .addHelpText('after', '\nExample:\n  npx plumbline plan --target uat\n')
    .action(async (options) => (await import('./plan.ts')).plan(options))
}

export function listCommand(plumbline: Command): void {
  plumbline
    .command('list')
    .description('List requirements with their level, checks, faults and variants')
    .argument('[id-glob...]', 'select requirements by id or glob')
    .addOption(areaOption())
    .option('--level <level...>', 'select levels: must, client, planned, reference, silent', several)
    .option('--unchecked', 'list only requirements without a check, with the reason')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      "\nExamples:\n  npx plumbline list 'EVENT-WINDOW-*'\n  npx plumbline list --area token id-token --level must\n",
    )
    .action(async (globs, options) => (await import('./list.ts')).list(globs, options))
}

export function explainCommand(plumbline: Command): void {
  plumbline
    .command('explain')
    .description(
      'Explain a requirement: statement, checks, faults, variants, last verdict, and the command that repeats it',
    )
    .argument('<id>', 'id or glob of requirements')
    .addHelpText('after', '\nExample:\n  npx plumbline explain EVENT-WINDOW-LIMIT\n')
    .action(async (id) => (await import('./explain.ts')).explain(id))
}

export function probeCommand(plumbline: Command): void {
  plumbline
    .command('probe')
    .description('Measure how the target limits requests, with throttled load probes; write a run')
    .addOption(targetOption())
    .option(
      '--probe <probe...>',
      'probes to run: anatomy, ramp, limiter, recovery, dimension, hold, capacity',
      several,
    )
    .option(
      '--endpoint <endpoint...>',
      'endpoints to probe: discovery, key-set, authorize, token, userinfo, event-search',
      several,
    )
    .option('--rate <requests-per-second>', 'arrival rate of the hold probe (default: half of LOAD_MAX_RATE)')
    .option('--own-server <host>', 'host that only you use; allows the capacity probe on it')
    .option('--dry-run', 'show the most a run would send; send nothing')
    .option('--what-if [run]', 'simulate client throughput behind the identified limiter; send nothing')
    .option('--export <tool>', 'artillery: write a scenario for several machines to --out; send nothing')
    .option('--workers <n>', 'with --export: number of workers')
    .option('--seconds <n>', 'with --export: duration of each worker')
    .option('--import <file...>', "write a run from the workers' records; send nothing", several)
    .option('--out <dir>', 'directory to write runs to (default: REPORT_DIR, or reports)')
    .addHelpText(
      'after',
      '\nExample:\n  npx plumbline probe --target uat --probe limiter --endpoint event-search\n',
    )
    .action(async (options) => (await import('./probe.ts')).probe(options))
}
