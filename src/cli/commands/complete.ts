import type { Command } from 'commander'

export function completeCommand(plumbline: Command): void {
  plumbline
    .command('complete [words...]', { hidden: true })
    .description('Print completions for the completion script')
    .action(async (words) => (await import('../completion.ts')).complete(plumbline, words))
}
