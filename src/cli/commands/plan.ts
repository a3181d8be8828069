import type { Command } from 'commander'
import { areaOption, onlyOption, targetOption } from '../shared-options.ts'

export function planCommand(plumbline: Command): void {
  plumbline
    .command('plan')
    .description('Show what check would run or skip and why, with requests, logins and effects; send nothing')
    .addOption(targetOption())
    .addOption(onlyOption())
    .addOption(areaOption())
    .addHelpText('after', '\nExample:\n  npx plumbline plan --target uat\n')
    .action(async (options) => (await import('../plan.ts')).plan(options))
}
