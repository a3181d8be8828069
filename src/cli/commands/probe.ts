import type { Command } from 'commander'
import { several, targetOption } from '../shared-options.ts'

export function probeCommand(plumbline: Command): void {
  plumbline
    .command('probe')
    .description('Measure how the target limits requests, with throttled load probes; write a run')
    .addOption(targetOption())
    .option(
      '--probe <probe...>',
      'probes to run: anatomy, ramp, limiter, recovery, dimension, hold, capacity (default: ramp, limiter, recovery)',
      several,
    )
    .option(
      '--endpoint <endpoint...>',
      'endpoints to probe: discovery, key-set, authorize, token, userinfo, event-search (default: event-search)',
      several,
    )
    .option('--rate <requests-per-second>', 'arrival rate of the hold probe (default: half of LOAD_MAX_RATE)')
    .option('--own-server <host>', 'host that only you use; allows the capacity probe on it')
    .option('--dry-run', 'show the most a run would send; send nothing')
    .option('--what-if [run]', 'simulate client throughput behind the identified limiter; send nothing')
    .option('--export <tool>', 'artillery: write a scenario for several machines to --out; send nothing')
    .option('--workers <n>', 'with --export: number of workers')
    .option('--seconds <n>', 'with --export: duration of each worker')
    .option('--import <file...>', "write a run from the workers' records; send nothing", several)
    .option('--out <dir>', 'directory to write runs to (default: REPORT_DIR, or reports)')
    .addHelpText(
      'after',
      '\nExample:\n  npx plumbline probe --target uat --probe limiter --endpoint event-search\n',
    )
    .action(async (options) => (await import('../probe.ts')).probe(options))
}
