import { styleText } from 'node:util'
import type { CheckResult } from '../check/result.ts'
import type { Verdict } from '../check/verdict.ts'
import { type BudgetUsed, longestThrottlingMs } from '../http/budget.ts'
import type { RunFacts, SelectedRequirement } from '../results/results-file.ts'
import { verdictStyles, verdicts } from '../results/text.ts'
import { counted, duration } from '../text/format.ts'
import { clearLine } from '../text/terminal.ts'
import type { CheckObserver } from './direct-run.ts'
import { LongWaits, longWaitMs, waitingFor } from './wait-notice.ts'

/** Progress shows a check that takes longer than this, in milliseconds. */
const slowMs = 2000

/** A new pace is announced if it is at least this many times faster or slower than the last announced pace. */
const announcedRatio = 1.25

/** The estimated duration of a run is announced if it is at least this long, in milliseconds. */
const minAnnouncedRunMs = 10_000

interface Limits extends Pick<RunFacts, 'requestCap' | 'loginCap'> {
  readonly expected?: {
    /** Estimated number of requests of the run. */
    readonly requests: number
    readonly requestsPerSecond: number
    /** The longest waits of checks, as text. */
    readonly waits?: string
  }
}

interface Area {
  readonly total: number
  readonly done: Verdict[]
  /** Requirements with a failed check. */
  readonly violated: Set<string>
}

/** Shows the progress of a run: on a terminal in one line that is redrawn, otherwise in one line per finished area. */
export class Progress implements CheckObserver {
  readonly #stream: NodeJS.WriteStream
  readonly #areas = new Map<string, Area>()
  /** The area of each requirement. */
  readonly #areaOf: ReadonlyMap<string, string>
  readonly #width: number
  #used: BudgetUsed = { requests: 0, logins: 0, throttled: 0 }
  #currentArea = ''
  #current: { readonly requirement: string; readonly since: number } | undefined
  #timer: NodeJS.Timeout | undefined
  readonly #limits: Limits
  /** The last announced pace in requests per second; undefined if none was announced. */
  #announced: number | undefined
  readonly #longWaits = new LongWaits()

  constructor(stream: NodeJS.WriteStream, requirements: readonly SelectedRequirement[], limits: Limits) {
    this.#stream = stream
    this.#limits = limits
    this.#areaOf = new Map(requirements.map(({ id, area }) => [id, area]))
    for (const { area, checks } of requirements) {
      const total = (this.#areas.get(area)?.total ?? 0) + checks.length
      if (total > 0) this.#areas.set(area, { total, done: [], violated: new Set() })
    }
    this.#width = Math.max(...[...this.#areas.keys()].map((area) => area.length))
  }

  start(): void {
    const { requests = 0, requestsPerSecond = 1, waits = '' } = this.#limits.expected ?? {}
    const minRunMs = (requests / requestsPerSecond) * 1000
    if (minRunMs >= minAnnouncedRunMs)
      this.#stream.write(
        `estimate: about ${counted(requests, 'request')}, which take ${duration(minRunMs)} at ${requestsPerSecond} requests/s${waits && `, plus ${waits}`}\n`,
      )
    else if (waits !== '') this.#stream.write(`estimate: ${waits}, in addition to the time for requests\n`)
    if (this.#stream.isTTY) this.#timer = setInterval(() => this.#draw(), 500).unref()
    else
      this.#stream.write(
        'Checks by area, in the order of completion; a requirement may have several checks:\n',
      )
  }

  checkStarts(requirement: string): void {
    this.#currentArea = this.#areaOf.get(requirement) ?? ''
    this.#current = { requirement, since: Date.now() }
  }

  checkEnds({ requirement, verdict }: CheckResult, used: BudgetUsed | undefined): void {
    if (used) this.#used = used
    if (used?.pace !== undefined) this.#announce(used.pace)
    const area = this.#areaOf.get(requirement) ?? ''
    this.#currentArea = area
    this.#current = undefined
    const state = this.#areas.get(area)
    state?.done.push(verdict)
    if (verdict === 'fail') state?.violated.add(requirement)
    if (this.#stream.isTTY) this.#draw()
    else if (state?.done.length === state?.total) this.#writeArea(area)
  }

  stop(): void {
    clearInterval(this.#timer)
    if (this.#stream.isTTY) this.#stream.write(clearLine)
    else for (const [area, { done, total }] of this.#areas) if (done.length < total) this.#writeArea(area)
  }

  /** Announces the first pace after throttling, and each later pace that differs enough (`announcedRatio`). */
  #announce(pace: number): void {
    const before = this.#announced
    if (before !== undefined && Math.max(pace / before, before / pace) < announcedRatio) return
    this.#announced = pace
    const requestsLeft = (this.#limits.expected?.requests ?? 0) - this.#used.requests
    const time = requestsLeft > 0 ? `; at least ${duration((requestsLeft / pace) * 1000)} left` : ''
    const minutes = longestThrottlingMs / 60_000
    const text =
      before === undefined
        ? `the target throttles: Plumbline now sends at most ${pace} requests/s, and stops sending after it has waited ${minutes} min in total`
        : `Plumbline now sends at most ${pace} requests/s`
    if (this.#stream.isTTY) this.#stream.write(clearLine)
    this.#stream.write(`${text}${time}\n`)
  }

  /** Shows that the run sends nothing until a time, in milliseconds since the epoch. */
  paused(until: number): void {
    const text = this.#longWaits.begin(until)
    if (!this.#stream.isTTY && text !== undefined)
      this.#stream.write(`${this.#currentArea.padEnd(this.#width)} ${text}\n`)
  }

  /** Announces a long wait of a check, because progress shows nothing else until the wait ends. */
  waits(waitMs: number, why: string): void {
    if (waitMs < longWaitMs) return
    if (this.#stream.isTTY) this.#stream.write(clearLine)
    const requirement = this.#current?.requirement ?? 'a check'
    this.#stream.write(
      `${this.#currentArea.padEnd(this.#width)} ${requirement} waits ${duration(waitMs)} ${why}\n`,
    )
  }

  #draw(): void {
    const areas = [...this.#areas.values()]
    const done = areas.flatMap((area) => area.done)
    const total = areas.reduce((sum, area) => sum + area.total, 0)
    const violated = areas.reduce((sum, area) => sum + area.violated.size, 0)
    const { requests, logins, throttled, pace } = this.#used
    const pauseMs = this.#longWaits.until - Date.now()
    const waited = this.#current ? Date.now() - this.#current.since : 0
    const parts = [
      `${String(done.length).padStart(String(total).length)}/${counted(total, 'check')}`,
      this.#currentArea,
      ...(violated > 0 ? [`${counted(violated, 'requirement')} violated`] : []),
      ...(pauseMs > 0 ? [waitingFor(pauseMs)] : []),
      `${requests}/${counted(this.#limits.requestCap, 'request')}`,
      `${logins}/${counted(this.#limits.loginCap, 'login')}`,
      ...(throttled > 0 ? [`throttled ${counted(throttled, 'time')}`] : []),
      ...(pace === undefined ? [] : [`${pace} requests/s`]),
      ...(this.#current && waited > slowMs
        ? [`${Math.round(waited / 1000)} s in ${this.#current.requirement}`]
        : []),
    ]
    const line = parts.join('  ').slice(0, (this.#stream.columns || 80) - 1)
    this.#stream.write(
      `${clearLine}${styleText(violated > 0 ? 'red' : 'dim', line, { stream: this.#stream })}`,
    )
  }

  #writeArea(area: string): void {
    const { done, total } = this.#areas.get(area) ?? { done: [], total: 0 }
    const counts = verdicts
      .map((verdict) => ({ verdict, count: done.filter((other) => other === verdict).length }))
      .filter(({ count }) => count > 0)
      .map(({ verdict, count }) =>
        styleText(verdictStyles[verdict], `${count} ${verdict}`, { stream: this.#stream }),
      )
    const missing = total > done.length ? [`${total - done.length} not run`] : []
    this.#stream.write(
      `${area.padEnd(this.#width)} ${counted(total, 'check')}: ${[...counts, ...missing].join(', ')}\n`,
    )
  }
}
