import type { Command } from 'commander'

export function completionCommand(plumbline: Command): void {
  plumbline
    .command('completion')
    .description('Print a shell completion script for commands, options, requirements, areas and targets')
    .argument('<shell>', 'bash, zsh or fish')
    .addHelpText(
      'after',
      '\nThe script completes the command `plumbline`, which is on the path after' +
        '\n`export PATH=$PWD/node_modules/.bin:$PATH` in the checkout.' +
        '\n\nExample:\n  source <(npx plumbline completion bash)\n',
    )
    .action(async (shell) => (await import('../completion.ts')).completion(shell))
}
