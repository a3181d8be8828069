import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CheckResult, ResultFile } from '../src/check/result.ts'
import type { Exchange } from '../src/evidence/exchange.ts'
import { narrowChart } from '../src/results/results.ts'
import { runFiles } from '../src/results/run-directory.ts'
import { counted } from '../src/text/format.ts'
import { probeDocument, shotsCsv } from './output/document.ts'
import { countsOf, outcomeCounts } from './output/outcome.ts'
import { limitValuesId, nameOf, type ProbeResult } from './result.ts'

interface ProbeFacts {
  /** Directory of the run. */
  readonly directory: string
  readonly durationMs: number
  /** The evidence: 429 responses to the probe with their requests, redacted. */
  readonly exchanges: readonly Exchange[]
  /** The command that repeats the probe. */
  readonly reproduce: string
}

/** Writes the files of a probe, and converts its result to a check result: observed or inconclusive. */
export async function probeCheck(result: ProbeResult, facts: ProbeFacts): Promise<CheckResult> {
  const { finding, ended, shots, requests } = result
  // A probe is inconclusive only without observations: a probe that ended early may have some.
  const observed = result.observations.length > 0
  const { sent, throttled, unanswered, timedOut, reconnects } = countsOf(shots, requests)
  const name = nameOf(result)
  const outcomes = [...outcomeCounts(shots), ...(timedOut > 0 ? [`${timedOut} timed out`] : [])].join(', ')
  const reconnectText =
    reconnects > 0
      ? ` and ${counted(reconnects, 'reconnect')}, which ${reconnects === 1 ? 'counts' : 'count'} against LOAD_MAX_REQUESTS too`
      : ''
  const counts = `${counted(sent, 'request')}${outcomes === '' ? '' : ` (${outcomes})`}${reconnectText}`
  return {
    requirement: limitValuesId,
    name,
    file: `load/probes/${result.probe}.ts`,
    probe: { name: result.probe, endpoint: result.endpoint },
    verdict: observed ? 'observed' : 'inconclusive',
    cause: observed ? null : 'environment',
    reason: observed ? null : (ended ?? finding),
    advice: null,
    dependsOn: [],
    finding: null,
    notes: [
      { subject: name, text: `${finding}${/[.!?]$/.test(finding) ? '' : '.'} Sent: ${counts}.` },
      ...(observed && ended !== null ? [{ text: `${name} ended early: ${ended}` }] : []),
    ],
    observations: result.observations.map((one) => ({ ...one, requirement: limitValuesId })),
    exchanges: facts.exchanges,
    durationMs: Math.round(facts.durationMs),
    requests,
    // The logins that prepare probes count for the run, not for a probe.
    logins: 0,
    effectsBeyondDefault: [],
    basis: { requests: sent, throttled, unanswered, 'time-outs': timedOut, reconnects },
    attachments: await writeProbeFiles(facts.directory, result),
    reproduce: facts.reproduce,
  }
}

async function writeProbeFiles(directory: string, result: ProbeResult): Promise<ResultFile[]> {
  // Loaded here, because the chart library loads slowly and --dry-run does not need it.
  const { probeChart } = await import('./output/chart.ts')
  const base = `${runFiles.probes}/${result.probe}-${result.endpoint}`
  mkdirSync(join(directory, runFiles.probes), { recursive: true })
  const write = (name: string, mediaType: string, extension: string, content: string): ResultFile => {
    const path = `${base}.${extension}`
    writeFileSync(join(directory, path), content)
    return { name, mediaType, path }
  }
  return [
    write('chart', 'image/svg+xml', 'svg', await probeChart(result)),
    write(narrowChart, 'image/svg+xml', 'narrow.svg', await probeChart(result, 'narrow')),
    write('numbers', 'application/json', 'json', `${JSON.stringify(probeDocument(result), null, 2)}\n`),
    write('requests', 'text/csv', 'csv', shotsCsv(result.shots)),
  ]
}
