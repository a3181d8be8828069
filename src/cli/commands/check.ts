import { type Command, Option } from 'commander'
import { areaOption, failOnOption, onlyOption, targetOption } from '../shared-options.ts'

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
      'run only the requirements whose last verdict on the target is fail or inconclusive, and the checks whose requests they judge',
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
    .action(async (options) => (await import('../check.ts')).check(options))
}
