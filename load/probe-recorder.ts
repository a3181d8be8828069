import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { kindOf } from '../src/check/expect.ts'
import type { CheckResult, ResultFile } from '../src/check/result.ts'
import type { RunContext } from '../src/check/run-context.ts'
import type { Exchange } from '../src/evidence/exchange.ts'
import { HttpResponse } from '../src/http/response.ts'
import { shownRequest, shownResponse } from '../src/http/shown.ts'
import { narrowChart } from '../src/results/results.ts'
import type { ResultsFile } from '../src/results/results-file.ts'
import { runFiles } from '../src/results/run-directory.ts'
import { counted } from '../src/text/format.ts'
import { headerPairs, type LoadRequest, type LoadResponse, type Shot } from './engine/shot.ts'
import { limiterName } from './limiter/index.ts'
import { probeDocument, shotsCsv } from './output/document.ts'
import { countsOf, outcomeCounts } from './output/outcome.ts'
import { retryAfterForm } from './probes/anatomy.ts'
import type { ProbeProgress, Standing } from './progress.ts'
import { limitValues, nameOf, type ProbeResult } from './result.ts'
import type { ProbeObserver } from './run-probes.ts'
import type { Step } from './workload.ts'

/** Number of 429 responses of one form to keep as evidence of a probe. */
const maxAlike = 5
/** Number of 429 responses of any form to keep as evidence of a probe. */
const maxEvidence = 50

interface Parts {
  readonly run: RunContext
  readonly file: ResultsFile
  readonly progress: ProbeProgress
}

/** Records probes: files of the run, results, and the 429 responses, which the specification has rules for. */
export class ProbeRecorder implements ProbeObserver {
  readonly #parts: Parts
  #evidence: Exchange[] = []
  /** Number of 429 responses kept, by form. */
  #forms = new Map<string, number>()
  #startedAt = 0
  #requests = 0
  #throttled = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  begins(step: Step): void {
    this.#evidence = []
    this.#forms = new Map()
    this.#startedAt = performance.now()
    this.#parts.progress.begins(step)
  }

  phase(text: string): void {
    this.#parts.progress.phase(text)
  }

  shot(shot: Shot, standing: Standing): void {
    if (shot.status === 429) this.#throttled += 1
    this.#parts.progress.shot(shot, standing)
  }

  throttled(request: LoadRequest, { status, headers, text }: LoadResponse, { sentAt, endedAt }: Shot): void {
    if (this.#evidence.length >= maxEvidence) return
    const { recorder, budget } = this.#parts.run
    const response = new HttpResponse(status, headers, text)
    // A 429 of a new form is kept, however late it arrives.
    const form = formOf429(response)
    const alike = this.#forms.get(form) ?? 0
    if (alike >= maxAlike) return
    this.#forms.set(form, alike + 1)
    const durationMs = endedAt - sentAt
    response.exchange = recorder.record({
      // Times of shots count from the start of the probes; the response has just arrived.
      sentAt: Math.round(Date.now() - durationMs),
      durationMs: Math.round(durationMs),
      by: 'http',
      ...shownRequest({
        method: request.method,
        url: request.url,
        headers: headerPairs(request),
        ...(request.body !== undefined && { form: [...new URLSearchParams(request.body)] }),
      }),
      response: shownResponse(response),
    })
    this.#evidence.push(response.exchange)
    budget.throttledResponses.push(response)
  }

  async ends(step: Step, found: ProbeResult): Promise<void> {
    this.#requests += found.requests
    const { file, progress, run } = this.#parts
    const result = { ...run.vault.scrubAll({ ...found, shots: [] }), shots: found.shots }
    progress.ends(result)
    const check = await probeCheck(result, {
      directory: file.directory,
      durationMs: performance.now() - this.#startedAt,
      exchanges: this.#evidence,
      reproduce: `npx plumbline probe --target ${run.target.name} --probe ${step.probe} --endpoint ${step.endpoint}`,
    })
    // LOAD_MAX_REQUESTS limits the requests of the probes alone; logins are those of the preparation.
    const { logins, throttled } = run.budget
    const used = { requests: this.#requests, logins, throttled: throttled + this.#throttled }
    file.add(run.vault.scrubAll(check), used)
  }
}

/** The features of a 429 that requirements judge. */
function formOf429(response: HttpResponse): string {
  const { error, error_description: description } = response.object ?? {}
  return JSON.stringify([
    retryAfterForm(response.header('retry-after')),
    response.mediaType,
    kindOf(response.json),
    error === 'temporarily_unavailable' || kindOf(error),
    kindOf(description),
  ])
}

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
    attachments: await writeFiles(facts.directory, result),
    reproduce: facts.reproduce,
  }
}

/** Writes the chart of a probe, its numbers and its requests. */
async function writeFiles(directory: string, result: ProbeResult): Promise<ResultFile[]> {
  // Loaded here, because the chart library loads slowly and --dry-run does not need it.
  const { probeChart } = await import('./output/chart.ts')
  const base = `${runFiles.probes}/${result.probe}-${result.endpoint}`
  const { limiter } = result
  const level =
    limiter?.result === 'identified'
      ? { ratePerSecond: limiter.rate, label: limiterName(limiter) }
      : undefined
  mkdirSync(join(directory, runFiles.probes), { recursive: true })
  const write = (name: string, mediaType: string, extension: string, content: string): ResultFile => {
    const path = `${base}.${extension}`
    writeFileSync(join(directory, path), content)
    return { name, mediaType, path }
  }
  return [
    write('chart', 'image/svg+xml', 'svg', await probeChart(result, level)),
    write(narrowChart, 'image/svg+xml', 'narrow.svg', await probeChart(result, level, 'narrow')),
    write('numbers', 'application/json', 'json', `${JSON.stringify(probeDocument(result), null, 2)}\n`),
    write('requests', 'text/csv', 'csv', shotsCsv(result.shots)),
  ]
}
