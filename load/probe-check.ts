import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CheckResult, ResultFile } from '../src/check/result.ts'
import type { Exchange } from '../src/evidence/exchange.ts'
import { runFiles } from '../src/results/run-directory.ts'
import { counted } from '../src/text/format.ts'
import { shotsCsv } from './output/csv.ts'
import { probeDocument } from './output/document.ts'
import { countsOf, outcomesInWords } from './output/outcome.ts'
import { limitValues, type ProbeResult } from './result.ts'

/** A probe of an endpoint, as results call it. */
export function nameOf({ probe, endpoint }: Pick<ProbeResult, 'probe' | 'endpoint'>): string {
  return `${probe} of ${endpoint}`
}

export interface ProbeFacts {
  /** Directory of the run. */
  readonly directory: string
  readonly durationMs: number
  readonly exchanges: readonly Exchange[]
  /** Command that repeats it. */
  readonly reproduce: string
}

/** A probe as a check of the run that judges nothing, with its files written. */
export async function probeCheck(result: ProbeResult, facts: ProbeFacts): Promise<CheckResult> {
  // What was found counts also where the probe ended early; one that found nothing says why.
  const observed = result.observations.length > 0
  return {
    requirement: limitValues,
    name: nameOf(result),
    file: `load/probes/${result.probe}.ts`,
    verdict: observed ? 'observed' : 'inconclusive',
    cause: observed ? null : 'environment',
    reason: observed ? null : (result.ended ?? result.finding),
    advice: null,
    dependsOn: [],
    finding: null,
    notes: [
      { text: `${nameOf(result)}: ${result.finding} (${sentInWords(result)})` },
      ...(observed && result.ended !== null
        ? [{ text: `${nameOf(result)} ended early: ${result.ended}` }]
        : []),
    ],
    observations: result.observations.map((one) => ({ ...one, requirement: limitValues })),
    exchanges: facts.exchanges,
    durationMs: Math.round(facts.durationMs),
    requests: result.requests,
    logins: 0,
    enabled: [],
    basis: basisOf(result),
    attachments: await writeFiles(facts.directory, result),
    reproduce: facts.reproduce,
  }
}

function sentInWords({ shots, requests }: ProbeResult): string {
  const { timedOut, reconnects } = countsOf(shots, requests)
  return [
    `${shots.length} sent`,
    ...outcomesInWords(shots),
    ...(timedOut > 0 ? [`${timedOut} timed out`] : []),
    ...(reconnects > 0 ? [counted(reconnects, 'reconnect')] : []),
  ].join(', ')
}

/** What was sent, and what of it went otherwise than it should. */
function basisOf({ shots, requests }: ProbeResult): Record<string, number> {
  const { sent, throttled, unanswered, timedOut, reconnects } = countsOf(shots, requests)
  return { requests: sent, throttled, unanswered, 'time-outs': timedOut, reconnects }
}

/** The files of a probe: a chart for people, and its numbers for programs. */
async function writeFiles(directory: string, result: ProbeResult): Promise<ResultFile[]> {
  // Loaded late: what draws charts takes a while to load, and a dry run or a mistake needs none.
  const { probeChart } = await import('./output/chart.ts')
  const base = `${runFiles.probes}/${result.probe}-${result.endpoint}`
  const files = [
    {
      name: 'chart',
      mediaType: 'image/svg+xml',
      path: `${base}.svg`,
      content: await probeChart(result, levelOf(result)),
    },
    {
      name: 'numbers',
      mediaType: 'application/json',
      path: `${base}.json`,
      content: `${JSON.stringify(probeDocument(result), null, 2)}\n`,
    },
    { name: 'requests', mediaType: 'text/csv', path: `${base}.csv`, content: shotsCsv(result.shots) },
  ]
  mkdirSync(join(directory, runFiles.probes), { recursive: true })
  return files.map(({ content, ...file }) => {
    writeFileSync(join(directory, file.path), content)
    return file
  })
}

/** The level of the limiter that was found, for the chart. */
function levelOf({ limiter }: ProbeResult) {
  if (limiter?.result !== 'identified') return undefined
  return { ratePerSecond: limiter.rate, label: limiter.kind }
}
