import { kindOf } from '../src/check/expect.ts'
import type { RunContext } from '../src/check/run-context.ts'
import type { Exchange } from '../src/evidence/exchange.ts'
import { HttpResponse } from '../src/http/response.ts'
import { shownRequest, shownResponse } from '../src/http/shown.ts'
import type { ResultsFile } from '../src/results/results-file.ts'
import type { LoadRequest, LoadResponse, Shot } from './engine/shot.ts'
import { countByOutcome } from './output/outcome.ts'
import { probeCheck } from './probe-check.ts'
import { retryAfterForm } from './probes/anatomy.ts'
import type { ProbeProgress } from './progress.ts'
import type { ProbeResult } from './result.ts'
import { type Step, stepCommand } from './workload.ts'

/** Largest number of 429 responses of one form (`formOf429`) that are evidence of a probe. */
const maxPerForm = 5
/** Largest number of 429 responses of all forms that are evidence of a probe. */
const maxEvidence = 50

/** Records the results and files of probes, and the 429 responses that checks judge after the probes. */
export class ProbeRecorder {
  readonly progress: ProbeProgress
  readonly #run: RunContext
  readonly #file: ResultsFile
  #evidence: Exchange[] = []
  /** Number of 429 responses in `#evidence`, by form. */
  #forms = new Map<string, number>()
  #startedAt = 0
  /** Requests and reconnects of all probes so far. */
  #requests = 0
  /** 429 responses to all probes so far. */
  #throttled = 0

  constructor(run: RunContext, file: ResultsFile, progress: ProbeProgress) {
    this.#run = run
    this.#file = file
    this.progress = progress
  }

  begins(step: Step): void {
    this.#evidence = []
    this.#forms = new Map()
    this.#startedAt = performance.now()
    this.progress.begins(step)
  }

  /** Called for each 429 with a complete body. */
  throttled(request: LoadRequest, { status, headers, text }: LoadResponse, { sentAt, endedAt }: Shot): void {
    if (this.#evidence.length >= maxEvidence) return
    const { recorder, budget } = this.#run
    const response = new HttpResponse(status, headers, text)
    const form = formOf429(response)
    const recorded = this.#forms.get(form) ?? 0
    // The limit per form leaves room for another form that arrives late.
    if (recorded >= maxPerForm) return
    this.#forms.set(form, recorded + 1)
    const durationMs = endedAt - sentAt
    response.exchange = recorder.record({
      // `sentAt` of a shot is not a date, but the response has just arrived.
      sentAt: Math.round(Date.now() - durationMs),
      durationMs: Math.round(durationMs),
      by: 'http',
      ...shownRequest({
        ...request,
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
    const run = this.#run
    // Shots contain only numbers and fixed words, so they need no redaction.
    const result = { ...run.vault.scrubAll({ ...found, shots: [] }), shots: found.shots }
    this.progress.ends(result)
    const check = await probeCheck(result, {
      directory: this.#file.directory,
      durationMs: performance.now() - this.#startedAt,
      exchanges: this.#evidence,
      reproduce: stepCommand(run.target, step),
    })
    // `requests` counts only those of probes, as LOAD_MAX_REQUESTS does. `throttled` also counts the 429 responses to
    // logins and other preparation. Logins and pace are those of the preparation.
    const { used } = run.budget
    const probed = { ...used, requests: this.#requests, throttled: used.throttled + this.#throttled }
    this.#file.add(run.vault.scrubAll(check), probed)
  }
}

/** The features of a 429 that requirements judge: a text that is equal for responses with the same features. */
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
