import type { Command } from 'commander'

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
    .action(async (run, options) => (await import('../gate.ts')).gate(run, options))
}
