/** Source text of the symbol for the `PageActivity` of a document. */
const key = "Symbol.for('plumbline-activity')"

/** A timer with the same function and delay counts this many times. A timer that repeats more often is a heartbeat. */
const maxRepeats = 5

/**
 * Observes the changes and timers of a document, beginning before its scripts run. Proxies of the browser's functions
 * observe the timers, because scripts cannot recognise a proxy. The class runs inside the page, so it uses nothing
 * outside itself.
 */
export class PageActivity {
  readonly #maxRepeats: number
  #changedAt = performance.now()
  #firedAt = this.#changedAt
  #actedAt = 0
  setsTimers = false
  /** Timers that have not fired. */
  readonly #due = new Set<{ readonly id: unknown; readonly at: number }>()
  /** How often the page set each timeout since the user last acted, by delay and function. */
  readonly #repeats = new Map<string, number>()

  constructor(maxRepeats: number) {
    this.#maxRepeats = maxRepeats
    const changed = () => {
      this.#changedAt = performance.now()
    }
    new MutationObserver(changed).observe(document, { subtree: true, childList: true, attributes: true })
    document.addEventListener('readystatechange', changed)
    this.#observe('setTimeout', ([callback, delay], id) => this.#addTimeout(callback, Number(delay) || 0, id))
    this.#observe('setInterval', ([, delay], id) => this.#addInterval(Number(delay) || 0, id))
    this.#observe('clearTimeout', ([id]) => this.#removeTimer(id))
    this.#observe('clearInterval', ([id]) => this.#removeTimer(id))
  }

  get unchangedMs(): number {
    return performance.now() - this.#changedAt
  }

  /** Milliseconds since the document last changed or a timer fired. */
  get restMs(): number {
    this.#forgetFired()
    return performance.now() - Math.max(this.#changedAt, this.#firedAt)
  }

  /** Whether the document has changed since the user last acted. */
  get hasReacted(): boolean {
    return this.#changedAt > this.#actedAt
  }

  /** Whether a timer will fire or an animation will end within some milliseconds. */
  isUnderWay(withinMs: number): boolean {
    this.#forgetFired()
    const until = performance.now() + withinMs
    return (
      [...this.#due].some(({ at }) => at <= until) ||
      document.getAnimations().some((animation) => this.#endsWithin(animation, withinMs))
    )
  }

  /** Records that the user acts. */
  acted(): void {
    this.#actedAt = performance.now()
    this.#repeats.clear()
  }

  #observe(
    timer: 'setTimeout' | 'setInterval' | 'clearTimeout' | 'clearInterval',
    note: (args: readonly unknown[], result: unknown) => void,
  ): void {
    const proxy = new Proxy(window[timer], {
      apply(native, self, args) {
        const result = Reflect.apply(native as (...args: unknown[]) => unknown, self, args)
        note(args, result)
        return result
      },
    })
    Object.assign(window, { [timer]: proxy })
  }

  #addTimeout(callback: unknown, delayMs: number, id: unknown): void {
    this.setsTimers = true
    const timer = `${delayMs} ${String(callback).slice(0, 500)}`
    const times = (this.#repeats.get(timer) ?? 0) + 1
    this.#repeats.set(timer, times)
    if (times <= this.#maxRepeats) this.#due.add({ id, at: performance.now() + delayMs })
  }

  #addInterval(delayMs: number, id: unknown): void {
    this.setsTimers = true
    for (let time = 1; time <= this.#maxRepeats; time += 1)
      this.#due.add({ id, at: performance.now() + time * delayMs })
  }

  #removeTimer(id: unknown): void {
    for (const timer of this.#due) if (timer.id === id) this.#due.delete(timer)
  }

  #forgetFired(): void {
    for (const timer of this.#due) {
      if (timer.at > performance.now()) continue
      this.#firedAt = Math.max(this.#firedAt, timer.at)
      this.#due.delete(timer)
    }
  }

  #endsWithin({ playState, effect, currentTime, playbackRate }: Animation, withinMs: number): boolean {
    const end = Number(effect?.getComputedTiming().endTime ?? 0)
    const remainingMs = (end - Number(currentTime ?? 0)) / (Math.abs(playbackRate) || 1)
    return playState === 'running' && remainingMs > 0 && remainingMs <= withinMs
  }
}

/** A script for each document. It must run before the scripts of the page. */
export const activityScript = `Object.hasOwn(document, ${key}) || Object.defineProperty(document, ${key}, { value: new (${PageActivity})(${maxRepeats}) })`

/** An expression for a page. Its value is the `PageActivity` of the document. */
export const activityExpression = `(${activityScript}, document[${key}])`
