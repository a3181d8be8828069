import type { World } from '../src/check/world.ts'
import type { Exchange } from '../src/evidence/exchange.ts'
import { HttpResponse } from '../src/http/response.ts'
import { shownRequest, shownResponse } from '../src/http/shown.ts'
import type { ResultsFile } from '../src/run/results-file.ts'
import { type Answer, headerPairs, type LoadRequest, type Shot } from './engine/shot.ts'
import type { Step } from './plan.ts'
import { probeCheck } from './probe-check.ts'
import type { ProbeProgress, Standing } from './progress.ts'
import type { ProbeResult } from './result.ts'
import type { Watcher } from './run-probes.ts'

/** 429s that are kept as evidence of each probe. */
const mostEvidence = 5

interface Parts {
  readonly world: World
  readonly file: ResultsFile
  readonly progress: ProbeProgress
}

/** Keeps what probes find: files of the run, results, and the 429s that the specification has rules for. */
export class ProbeRecords implements Watcher {
  readonly #parts: Parts
  #evidence: Exchange[] = []
  #startedAt = 0
  #requests = 0
  #throttled = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  begins(step: Step): void {
    this.#evidence = []
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
    const { recorder, http } = this.#parts.world
    const response = new HttpResponse(status, headers, text)
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

  async ends(step: Step, result: ProbeResult): Promise<void> {
    this.#requests += result.requests
    const { file, progress, world } = this.#parts
    progress.ends(result)
    const check = await probeCheck(result, {
      directory: file.directory,
      durationMs: performance.now() - this.#startedAt,
      exchanges: this.#evidence,
      reproduce: `npx plumbline probe --target ${world.target.name} --probe ${step.probe} --endpoint ${step.endpoint}`,
    })
    const used = { requests: this.#requests, logins: world.gate.logins, throttled: this.#throttled }
    file.add(world.vault.scrubAll(check), used)
  }
}
