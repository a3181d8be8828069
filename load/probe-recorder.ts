import { kindOf } from '../src/check/expect.ts'
import type { RunContext } from '../src/check/run-context.ts'
import type { Exchange } from '../src/evidence/exchange.ts'
import { HttpResponse } from '../src/http/response.ts'
import { shownRequest, shownResponse } from '../src/http/shown.ts'
import type { ResultsFile } from '../src/results/results-file.ts'
import { headerPairs, type LoadRequest, type LoadResponse, type Shot } from './engine/shot.ts'
import { countByOutcome } from './output/outcome.ts'
import { probeCheck } from './probe-check.ts'
import { retryAfterForm } from './probes/anatomy.ts'
import type { ProbeProgress, Standing } from './progress.ts'
import type { ProbeResult } from './result.ts'
import type { ProbeObserver } from './run-steps.ts'
import { probeCommand, type Step } from './workload.ts'

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
    this.#throttled += countByOutcome(found.shots).throttled
    const { file, progress, run } = this.#parts
    const result = { ...run.vault.scrubAll({ ...found, shots: [] }), shots: found.shots }
    progress.ends(result)
    const check = await probeCheck(result, {
      directory: file.directory,
      durationMs: performance.now() - this.#startedAt,
      exchanges: this.#evidence,
      reproduce: probeCommand(run.target, { probes: [step.probe], endpoints: [step.endpoint] }),
    })
    // LOAD_MAX_REQUESTS limits the requests of the probes alone; logins and pace are those of the preparation.
    const { used } = run.budget
    const probed = { ...used, requests: this.#requests, throttled: used.throttled + this.#throttled }
    file.add(run.vault.scrubAll(check), probed)
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
