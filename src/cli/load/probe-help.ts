import type { ProbeName } from '../../../load/result.ts'

/** What each probe measures, in the order in which a run executes them. */
export const probeTexts: Readonly<Record<ProbeName, string>> = {
  limiter: 'which kind of limiter, with which capacity and rate (default)',
  anatomy: 'what a 429 response contains',
  ramp: 'at which arrival rate throttling starts (default)',
  recovery: 'whether requests are admitted again after Retry-After (default)',
  dimension: 'whether the limit is per client, user or source address',
  hold: 'whether the target accepts a constant rate (--rate), and its latency',
  capacity: 'the throughput of a server that only you use, without pacing',
}

export const probesHelp = `
Probes, in the order in which they run:
${Object.entries(probeTexts)
  .map(([name, text]) => `  ${name.padEnd(10)} ${text}`)
  .join('\n')}
`
