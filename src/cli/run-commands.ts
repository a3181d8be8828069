import type { Command } from 'commander'
import { failOnOption } from './shared-options.ts'

// Each command is loaded only when it runs, so that --help and completion are fast.

export function compareCommand(plumbline: Command): void {
  plumbline
    .command('compare')
    .description('Compare two runs: verdicts, observations, requirements')
    .argument('[run-a]', 'path or id of a run, latest, latest~1 or previous')
    .argument('[run-b]', 'the same (default: latest)')
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
    })
}

export function gateCommand(plumbline: Command): void {
  plumbline
    .command('gate')
    .description(
      'Decide whether a run meets the release policy, with waivers; optionally write a release record',
    )
    .argument('[run]', 'path or id of a run, latest, latest~1 or previous (default: latest)')
    .option('--policy <file>', 'release policy (default: reports/release-policy.json)')
    .option('--waivers <file>', 'accepted violations (default: reports/waivers.json)')
    .option('--json', 'print JSON')
    .option('--markdown', 'print Markdown')
    .option('--record <dir>', 'write the decision and all its inputs to a new folder')
    .addHelpText(
      'after',
      '\nExample:\n  npx plumbline gate --policy reports/release-policy.json --record releases/2.4\n',
    )
    .action(async (run, options) => (await import('./gate.ts')).gate(run, options))
}

export function reportCommand(plumbline: Command): void {
  plumbline
    .command('report')
    .description('Rebuild the HTML report, summary and JUnit file of a run')
    .argument('[run]', 'path or id of a run (default: latest)')
    .option('--open', 'open the report in the browser')
    .addHelpText('after', '\nExample:\n  npx plumbline report --open\n')
    .action(async (run, options) => (await import('./report.ts')).report(run, options))
}
