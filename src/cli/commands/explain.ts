import type { Command } from 'commander'

export function explainCommand(plumbline: Command): void {
  plumbline
    .command('explain')
    .description(
      'Explain a requirement: statement, checks, faults, variants, last verdict, and the command that repeats it',
    )
    .argument('<id>', 'id or glob of requirements')
    .addHelpText('after', '\nExample:\n  npx plumbline explain EVENT-WINDOW-LIMIT\n')
    .action(async (id) => (await import('../explain.ts')).explain(id))
}
