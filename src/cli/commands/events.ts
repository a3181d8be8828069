import type { Command } from 'commander'
import { targetOption } from '../shared-options.ts'

export function eventsCommand(plumbline: Command): void {
  plumbline
    .command('events')
    .description('Search events, or with --follow poll for new events; claim values are masked')
    .addOption(targetOption())
    .option('--from <time>', 'start, local time of the Event Hub (default: one hour ago; with --follow: now)')
    .option('--to <time>', 'end, local time of the Event Hub (default: now)')
    .option('--page <n>', 'page to show; the first is 0')
    .option('--page-size <n>', 'events per page (default: 10; with --all or --follow: 100)')
    .option('--all', 'read all pages')
    .option('--json', 'print JSON Lines on a terminal too')
    .option('--reveal', 'show claim values and subscribers')
    .option('--follow', 'deliver every event from now or from the checkpoint, until interrupted')
    .option('--checkpoint <file>', 'file to save progress to, and to resume from after a restart')
    .option('--out <file>', 'append events to a file, each exactly once, instead of printing them')
    .option('--interval <seconds>', 'time between polls (default: 30)')
    .option(
      '--lag <seconds>',
      'minimum age of events before they are read, to include late ones (default: 60)',
    )
    .option('--once', 'with --follow: exit after all events up to now are delivered')
    .addHelpText(
      'after',
      '\nExamples:\n  npx plumbline events --target uat --from 2026-03-02T10:00:00 --to 2026-03-02T11:00:00 --all' +
        '\n  npx plumbline events --target uat --follow --checkpoint events.checkpoint --out events.jsonl\n',
    )
    .action(async (options) => (await import('../events.ts')).events(options))
}
