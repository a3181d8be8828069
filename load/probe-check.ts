import type { CheckResult } from '../src/check/result.ts'
import type { Exchange } from '../src/evidence/exchange.ts'
import { counted } from '../src/text/format.ts'
import { countsOf, outcomeCounts } from './output/outcome.ts'
import { writeProbeFiles } from './probe-files.ts'
import { limitValues, nameOf, type ProbeResult } from './result.ts'

interface ProbeFacts {
  /** Directory of the run. */
  readonly directory: string
  readonly durationMs: number
  readonly exchanges: readonly Exchange[]
  /** The command that repeats the probe. */
  readonly reproduce: string
}

/** Converts a probe to a check result that judges nothing, and writes the files of the probe. */
export async function probeCheck(result: ProbeResult, facts: ProbeFacts): Promise<CheckResult> {
  const { finding, ended, shots, requests } = result
  // Observations count even if the probe ended early; without any, the probe is inconclusive.
  const observed = result.observations.length > 0
  const { sent, throttled, unanswered, timedOut, reconnects } = countsOf(shots, requests)
  const name = nameOf(result)
  const outcomes = [...outcomeCounts(shots), ...(timedOut > 0 ? [`${timedOut} timed out`] : [])].join(', ')
  const again =
    reconnects > 0 ? `; with ${counted(reconnects, 'reconnect')}, which count as requests: ${requests}` : ''
  const counts = `${counted(sent, 'request')}${outcomes === '' ? '' : ` (${outcomes})`}${again}`
  return {
    requirement: limitValues,
    name,
    file: `load/probes/${result.probe}.ts`,
    verdict: observed ? 'observed' : 'inconclusive',
    cause: observed ? null : 'environment',
    reason: observed ? null : (ended ?? finding),
    advice: null,
    dependsOn: [],
    finding: null,
    notes: [
      { text: `${name}: ${finding}${/[.!?]$/.test(finding) ? '' : '.'} Sent: ${counts}.` },
      ...(observed && ended !== null ? [{ text: `${name} ended early: ${ended}` }] : []),
    ],
    observations: result.observations.map((one) => ({ ...one, requirement: limitValues })),
    exchanges: facts.exchanges,
    durationMs: Math.round(facts.durationMs),
    requests,
    logins: 0,
    enabled: [],
    basis: { requests: sent, throttled, unanswered, 'time-outs': timedOut, reconnects },
    attachments: await writeProbeFiles(facts.directory, result),
    reproduce: facts.reproduce,
  }
}
