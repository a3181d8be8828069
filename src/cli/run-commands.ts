import type { Command } from 'commander'
import { failOnOption } from './shared-options.ts'

// Commands are loaded when they run, so that --help and completion answer at once.

export function compareCommand(plumbline: Command): void {
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
}

export function gateCommand(plumbline: Command): void {
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
}

export function reportCommand(plumbline: Command): void {
  plumbline
    .command('report')
    .description('build the HTML report, summary and JUnit file of a run again')
    .argument('[run]', 'id or directory of a run; the latest by default')
    .option('--open', 'open it in the browser')
    .addHelpText('after', '\nExample:\n  plumbline report --open\n')
    .action(async (run, options) => (await import('./report.ts')).report(run, options))
}
