import { styleText } from 'node:util'
import type { CheckResult } from '../check/result.ts'
import type { Verdict } from '../check/verdict.ts'
import type { BudgetUsed, SelectedRequirement } from './results-file.ts'
import { counted, verdictStyles, verdicts } from './text.ts'

/** After so long a check is named on the line, because somebody may wonder. */
const slowMs = 2000

interface Area {
  readonly total: number
  readonly done: Verdict[]
}

/**
 * What is shown while a run goes on: with a terminal one line that renews itself,
 * without one a line for every finished area.
 */
export class Progress {
  readonly #stream: NodeJS.WriteStream
  readonly #areas = new Map<string, Area>()
  readonly #width: number
  #used: BudgetUsed = { requests: 0, logins: 0, throttled: 0 }
  #area = ''
  #current: { readonly requirement: string; readonly since: number } | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(stream: NodeJS.WriteStream, selection: readonly SelectedRequirement[]) {
    this.#stream = stream
    for (const { area, checks } of selection) {
      const total = (this.#areas.get(area)?.total ?? 0) + checks.length
      if (total > 0) this.#areas.set(area, { total, done: [] })
    }
    this.#width = Math.max(...[...this.#areas.keys()].map((area) => area.length))
  }

  start(): void {
    if (this.#stream.isTTY) this.#timer = setInterval(() => this.#draw(), 500).unref()
  }

  begins(requirement: SelectedRequirement): void {
    this.#area = requirement.area
    this.#current = { requirement: requirement.id, since: Date.now() }
  }

  ended({ area }: SelectedRequirement, result: CheckResult, used: BudgetUsed | undefined): void {
    if (used) this.#used = used
    this.#area = area
    this.#current = undefined
    const state = this.#areas.get(area)
    state?.done.push(result.verdict)
    if (this.#stream.isTTY) this.#draw()
    else if (state?.done.length === state?.total) this.#line(area)
  }

  stop(): void {
    clearInterval(this.#timer)
    if (this.#stream.isTTY) this.#stream.write('\r\x1b[2K')
    else for (const [area, { done, total }] of this.#areas) if (done.length < total) this.#line(area)
  }

  #draw(): void {
    const areas = [...this.#areas.values()]
    const done = areas.flatMap((area) => area.done)
    const total = areas.reduce((sum, area) => sum + area.total, 0)
    const failed = done.filter((verdict) => verdict === 'fail').length
    const { requests, logins, throttled } = this.#used
    const waited = this.#current ? Date.now() - this.#current.since : 0
    const parts = [
      `${String(done.length).padStart(String(total).length)}/${total}`,
      this.#area,
      ...(failed > 0 ? [`${failed} violated`] : []),
      counted(requests, 'request'),
      counted(logins, 'login'),
      ...(throttled > 0 ? [`throttled ${counted(throttled, 'time')}`] : []),
      ...(this.#current && waited > slowMs
        ? [`${Math.round(waited / 1000)} s in ${this.#current.requirement}`]
        : []),
    ]
    const line = parts.join('  ').slice(0, (this.#stream.columns ?? 80) - 1)
    this.#stream.write(`\r\x1b[2K${styleText(failed > 0 ? 'red' : 'dim', line, { stream: this.#stream })}`)
  }

  #line(area: string): void {
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
