import type { Command } from 'commander'
import { areaOption, several } from '../shared-options.ts'

export function listCommand(plumbline: Command): void {
  plumbline
    .command('list')
    .usage('[id-glob...] [options]')
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
    .action(async (globs, options) => (await import('../list.ts')).list(globs, options))
}
