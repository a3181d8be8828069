import { kindOf } from '../src/check/expect.ts'
import type { RunContext } from '../src/check/run-context.ts'
import type { Exchange } from '../src/evidence/exchange.ts'
import { HttpResponse } from '../src/http/response.ts'
import { shownRequest, shownResponse } from '../src/http/shown.ts'
import type { ResultsFile } from '../src/results/results-file.ts'
import { type Answer, headerPairs, type LoadRequest, type Shot } from './engine/shot.ts'
import type { Step } from './plan.ts'
import { probeCheck } from './probe-check.ts'
import { retryAfterForm } from './probes/anatomy.ts'
import type { ProbeProgress, Standing } from './progress.ts'
import type { ProbeResult } from './result.ts'
import type { Watcher } from './run-probes.ts'

/** 429s of one form that are kept as evidence of each probe. */
const mostAlike = 5
/** 429s that are kept as evidence of each probe, whatever their forms. */
const mostEvidence = 50

interface Parts {
  readonly run: RunContext
  readonly file: ResultsFile
  readonly progress: ProbeProgress
}

/** Keeps what probes find: files of the run, results, and the 429s that the specification has rules for. */
export class ProbeRecords implements Watcher {
  readonly #parts: Parts
  #evidence: Exchange[] = []
  /** How many 429s of each form were kept. */
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

  throttled(request: LoadRequest, { status, headers, text }: Answer, { sentAt, endedAt }: Shot): void {
    if (this.#evidence.length >= mostEvidence) return
    const { recorder, http } = this.#parts.run
    const response = new HttpResponse(status, headers, text)
    // The first few tell nothing of those that look otherwise, however late they come.
    const form = formOf429(response)
    const alike = this.#forms.get(form) ?? 0
    if (alike >= mostAlike) return
    this.#forms.set(form, alike + 1)
    const durationMs = endedAt - sentAt
    response.exchange = recorder.record({
      // Times of shots begin with the probes, so that only their length is known here; the answer has just come.
      sentAt: Math.round(Date.now() - durationMs),
      durationMs: Math.round(durationMs),
      by: 'http',
      ...shownRequest({
        method: request.method,
        url: request.url,
        headers: headerPairs(request),
        ...(request.body !== undefined && { form: [...new URLSearchParams(request.body)] }),
      }),
      response: shownResponse(response, headers),
    })
    this.#evidence.push(response.exchange)
    http.throttledAnswers.push(response)
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
    const used = { requests: this.#requests, logins: run.budget.logins, throttled: this.#throttled }
    file.add(run.vault.scrubAll(check), used)
  }
}

/** What a 429 looks like, as far as requirements look at it. */
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
