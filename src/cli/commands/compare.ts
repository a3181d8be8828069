import type { Command } from 'commander'
import { failOnOption } from '../shared-options.ts'

export function compareCommand(plumbline: Command): void {
  plumbline
    .command('compare')
    .description('Compare two runs: verdicts, observations, requirements')
    .argument('[run-a]', 'path or id of a run, latest, or latest~1 (also: previous)')
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
      await (await import('../compare.ts')).compare(runs, options)
    })
}
