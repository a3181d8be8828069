import { type Command, Option } from 'commander'
import { failOnOption, several, targetOption } from './shared-options.ts'

// Commands are loaded when they run, so that --help and completion answer at once.

export function checkCommand(plumbline: Command): void {
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
}

export function doctorCommand(plumbline: Command): void {
  plumbline
    .command('doctor')
    .description('configuration, reachability, browser, clock, credentials, one good call of each area')
    .addOption(targetOption())
    .option('--no-login', 'do not sign the test user in')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  plumbline doctor --target uat\n')
    .action(async (options) => (await import('./doctor.ts')).doctor(options))
}

export function planCommand(plumbline: Command): void {
  plumbline
    .command('plan')
    .description('what a check would run, what not and why, with requests, logins and effects; sends nothing')
    .addOption(targetOption())
    .option('--only <id-glob...>', 'only these requirements, by id or glob', several)
    .option('--area <area...>', 'only these areas', several)
    .addHelpText('after', '\nExample:\n  plumbline plan --target uat\n')
    .action(async (options) => (await import('./plan.ts')).plan(options))
}

export function listCommand(plumbline: Command): void {
  plumbline
    .command('list')
    .description('requirements with level, checks, faults and variants')
    .argument('[id-glob...]', 'only these requirements, by id or glob')
    .option('--area <area...>', 'only these areas', several)
    .option('--level <level...>', 'only these levels: must, client, planned, reference, silent', several)
    .option('--unchecked', 'only those without a check, with the reason')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      "\nExamples:\n  plumbline list 'EVENT-WINDOW-*'\n  plumbline list --area token id-token --level must\n",
    )
    .action(async (globs, options) => (await import('./list.ts')).list(globs, options))
}

export function explainCommand(plumbline: Command): void {
  plumbline
    .command('explain')
    .description('one requirement: section, what is ambiguous, checks, faults, last verdict, how to run it')
    .argument('<id>', 'id of a requirement, or a glob of ids')
    .addHelpText('after', '\nExample:\n  plumbline explain EVENT-WINDOW-LIMIT\n')
    .action(async (id) => (await import('./explain.ts')).explain(id))
}

export function probeCommand(plumbline: Command): void {
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
}
