/** The document has its activity under this symbol. */
const key = "Symbol.for('plumbline-activity')"

/** A timer that fires or is set more often than this, with the same function and delay, is a heartbeat. */
const maxRepeats = 5

/**
 * The activity of the scripts of a document, watched from before they run. Timers are watched through proxies of the
 * browser's functions, which scripts cannot distinguish from them. Runs inside the page, so it uses nothing from outside
 * itself.
 */
export class PageActivity {
  readonly #maxRepeats: number
  #changedAt = performance.now()
  #firedAt = this.#changedAt
  #actedAt = 0
  /** Whether a script has set a timer. */
  setsTimers = false
  /** Timers that have not fired. */
  readonly #due = new Set<{ readonly id: unknown; readonly at: number }>()
  readonly #repeats = new Map<string, number>()

  constructor(most: number) {
    this.#maxRepeats = most
    const changed = () => {
      this.#changedAt = performance.now()
    }
    new MutationObserver(changed).observe(document, { subtree: true, childList: true, attributes: true })
    document.addEventListener('readystatechange', changed)
    this.#observe('setTimeout', ([callback, delay], id) => this.#timeoutSet(callback, Number(delay) || 0, id))
    this.#observe('setInterval', ([, delay], id) => this.#intervalSet(Number(delay) || 0, id))
    this.#observe('clearTimeout', ([id]) => this.#cleared(id))
    this.#observe('clearInterval', ([id]) => this.#cleared(id))
  }

  /** Milliseconds since the document last changed. */
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

  /** Whether a timer or an animation will end within some milliseconds. */
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

  #timeoutSet(callback: unknown, delayMs: number, id: unknown): void {
    this.setsTimers = true
    const what = `${delayMs} ${String(callback).slice(0, 500)}`
    const times = (this.#repeats.get(what) ?? 0) + 1
    this.#repeats.set(what, times)
    if (times <= this.#maxRepeats) this.#due.add({ id, at: performance.now() + delayMs })
  }

  #intervalSet(delayMs: number, id: unknown): void {
    this.setsTimers = true
    for (let time = 1; time <= this.#maxRepeats; time += 1)
      this.#due.add({ id, at: performance.now() + time * delayMs })
  }

  #cleared(id: unknown): void {
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

/** A script for each document, to run before those of the page. */
export const activityScript = `Object.hasOwn(document, ${key}) || Object.defineProperty(document, ${key}, { value: new (${PageActivity})(${maxRepeats}) })`

/** An expression in a page whose value is the activity of its document. */
export const activityExpression = `(${activityScript}, document[${key}])`
