import type { Command } from 'commander'

export function reportCommand(plumbline: Command): void {
  plumbline
    .command('report')
    .description('Rebuild the HTML report, summary and JUnit file of a run')
    .argument('[run]', 'path or id of a run (default: latest)')
    .option('--open', 'open the report in the browser')
    .addHelpText('after', '\nExample:\n  npx plumbline report --open\n')
    .action(async (run, options) => (await import('../report.ts')).report(run, options))
}
