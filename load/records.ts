import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CheckResult, ResultFile } from '../src/check/result.ts'
import type { World } from '../src/check/world.ts'
import type { Exchange } from '../src/evidence/exchange.ts'
import { HttpResponse } from '../src/http/response.ts'
import { shownRequest, shownResponse } from '../src/http/shown.ts'
import type { ResultsFile } from '../src/run/results-file.ts'
import { runFiles } from '../src/run/run-directory.ts'
import type { Answer, LoadRequest, Shot } from './engine/shot.ts'
import { probeChart } from './output/chart.ts'
import { shotsCsv } from './output/csv.ts'
import { probeDocument } from './output/document.ts'
import type { Step } from './plan.ts'
import type { ProbeProgress } from './progress.ts'
import type { ProbeResult } from './result.ts'
import type { Watcher } from './run-probes.ts'

/** The requirement that probes belong to: numbers are not shown, so they are observed. */
export const limitValues = 'PLATFORM-LIMIT-VALUES'
/** 429s that are kept as evidence of each probe. */
const mostEvidence = 5

/** A probe of an endpoint, as results call it. */
export function nameOf({ probe, endpoint }: Pick<Step, 'probe' | 'endpoint'>): string {
  return `${probe} of ${endpoint}`
}

interface Parts {
  readonly world: World
  readonly directory: string
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
    mkdirSync(join(parts.directory, runFiles.probes), { recursive: true })
  }

  begins(step: Step): void {
    this.#evidence = []
    this.#startedAt = performance.now()
    this.#parts.progress.begins(nameOf(step))
  }

  shot(shot: Shot, left: number): void {
    this.#parts.progress.shot(shot, left)
  }

  throttled(request: LoadRequest, { status, headers, text }: Answer, { sentAt, endedAt }: Shot): void {
    this.#throttled += 1
    if (this.#evidence.length >= mostEvidence) return
    const { recorder, http } = this.#parts.world
    const response = new HttpResponse(status, headers, text)
    response.exchange = recorder.record({
      sentAt: Math.round(performance.timeOrigin + sentAt),
      durationMs: Math.round(endedAt - sentAt),
      by: 'http',
      ...shownRequest({
        method: request.method,
        url: request.url,
        headers: pairsOf(request.headers),
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
    const check = await this.#checkOf(step, result)
    const used = { requests: this.#requests, logins: world.gate.logins, throttled: this.#throttled }
    file.add(world.vault.scrubAll(check), used)
  }

  async #checkOf(step: Step, result: ProbeResult): Promise<CheckResult> {
    // What was found counts also where the probe ended early; one that found nothing says why.
    const observed = result.observations.length > 0
    const { name } = this.#parts.world.target
    return {
      requirement: limitValues,
      name: nameOf(step),
      file: `load/probes/${step.probe}.ts`,
      verdict: observed ? 'observed' : 'inconclusive',
      cause: observed ? null : 'environment',
      reason: observed ? null : (result.ended ?? result.finding),
      expectation: null,
      sent: null,
      notes: [
        { text: result.finding },
        ...(observed && result.ended !== null ? [{ text: `it ended early: ${result.ended}` }] : []),
      ],
      observations: result.observations.map((one) => ({ ...one, requirement: limitValues })),
      exchanges: this.#evidence,
      durationMs: Math.round(performance.now() - this.#startedAt),
      requests: result.requests,
      logins: 0,
      enabled: [],
      basis: { requests: result.shots.length },
      attachments: await this.#write(step, result),
      reproduce: `npx plumbline probe --target ${name} --probe ${step.probe} --endpoint ${step.endpoint}`,
    }
  }

  /** The files of a probe: a chart for people, and its numbers for programs. */
  async #write({ probe, endpoint }: Step, result: ProbeResult): Promise<ResultFile[]> {
    const { directory } = this.#parts
    const base = `${runFiles.probes}/${probe}-${endpoint}`
    const level = levelOf(result)
    const files = [
      {
        name: 'chart',
        mediaType: 'image/svg+xml',
        path: `${base}.svg`,
        content: await probeChart(result, level),
      },
      {
        name: 'numbers',
        mediaType: 'application/json',
        path: `${base}.json`,
        content: `${JSON.stringify(probeDocument(result), null, 2)}\n`,
      },
      { name: 'requests', mediaType: 'text/csv', path: `${base}.csv`, content: shotsCsv(result.shots) },
    ]
    return files.map(({ content, ...file }) => {
      writeFileSync(join(directory, file.path), content)
      return file
    })
  }
}

/** The level of the limiter that was found, for the chart. */
function levelOf({ limiter }: ProbeResult) {
  if (limiter?.result !== 'identified') return undefined
  return { ratePerSecond: limiter.rate, label: limiter.kind }
}

function pairsOf(headers: readonly string[]): [string, string][] {
  return headers.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, headers[index + 1] ?? '']] : [],
  )
}
