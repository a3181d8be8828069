/** What goes on in a document, as far as its scripts show it. */
export interface PageActivity {
  /** Since the document last changed, in milliseconds. */
  readonly unchangedMs: number
  /** Since the document last changed or a timer fired, in milliseconds. */
  readonly restMs: number
  /** A timer has been set: the page has scripts, whatever is left of them. */
  readonly setsTimers: boolean
  /** The document has changed since the user last did something. */
  readonly hasReacted: boolean
  /** Whether a timer or an animation will end within some milliseconds. */
  isUnderWay(withinMs: number): boolean
  /** Notes that the user does something. */
  acted(): void
}

/** Name of the symbol under which a document has its activity. */
const name = 'plumbline-activity'

/** A timer that fires so often, or is set so often with the same function and delay, is a heartbeat. */
const heartbeats = 5

/**
 * Runs in each document before its own scripts. Timers are watched through proxies of the browser's own functions, which
 * scripts cannot tell from these.
 */
function watchActivity(key: symbol, mostRepeats: number): void {
  if (Object.hasOwn(document, key)) return
  let changedAt = performance.now()
  let firedAt = changedAt
  let actedAt = 0
  let setsTimers = false
  /** When timers are due. */
  const due = new Set<{ readonly id: unknown; readonly at: number }>()
  const repeats = new Map<string, number>()
  new MutationObserver(() => {
    changedAt = performance.now()
  }).observe(document, { subtree: true, childList: true, attributes: true })
  document.addEventListener('readystatechange', () => {
    changedAt = performance.now()
  })

  const observe = <T extends 'setTimeout' | 'setInterval' | 'clearTimeout' | 'clearInterval'>(
    timer: T,
    note: (args: readonly unknown[], result: unknown) => void,
  ) => {
    window[timer] = new Proxy(window[timer], {
      apply(native, self, args) {
        const result = Reflect.apply(native as (...args: unknown[]) => unknown, self, args)
        note(args, result)
        return result
      },
    })
  }
  observe('setTimeout', ([callback, delay], id) => {
    setsTimers = true
    const delayMs = Number(delay) || 0
    const what = `${delayMs} ${String(callback).slice(0, 500)}`
    const times = (repeats.get(what) ?? 0) + 1
    repeats.set(what, times)
    if (times <= mostRepeats) due.add({ id, at: performance.now() + delayMs })
  })
  observe('setInterval', ([, delay], id) => {
    setsTimers = true
    for (let time = 1; time <= mostRepeats; time += 1)
      due.add({ id, at: performance.now() + time * (Number(delay) || 0) })
  })
  for (const clear of ['clearTimeout', 'clearInterval'] as const)
    observe(clear, ([id]) => {
      for (const timer of due) if (timer.id === id) due.delete(timer)
    })

  /** Forgets the timers that have fired. */
  const collect = (): void => {
    for (const timer of due) {
      if (timer.at > performance.now()) continue
      firedAt = Math.max(firedAt, timer.at)
      due.delete(timer)
    }
  }
  const endsWithin = ({ playState, effect, currentTime, playbackRate }: Animation, withinMs: number) => {
    const end = Number(effect?.getComputedTiming().endTime ?? 0)
    const leftMs = (end - Number(currentTime ?? 0)) / (Math.abs(playbackRate) || 1)
    return playState === 'running' && leftMs > 0 && leftMs <= withinMs
  }
  const activity: PageActivity = {
    get unchangedMs() {
      return performance.now() - changedAt
    },
    get restMs() {
      collect()
      return performance.now() - Math.max(changedAt, firedAt)
    },
    get setsTimers() {
      return setsTimers
    },
    get hasReacted() {
      return changedAt > actedAt
    },
    isUnderWay(withinMs) {
      collect()
      const until = performance.now() + withinMs
      return (
        [...due].some(({ at }) => at <= until) ||
        document.getAnimations().some((animation) => endsWithin(animation, withinMs))
      )
    },
    acted() {
      actedAt = performance.now()
      repeats.clear()
    },
  }
  Object.defineProperty(document, key, { value: activity })
}

/** A script for each document of a page, which has to run before those of the page. */
export const activityScript = `(${watchActivity})(Symbol.for('${name}'), ${heartbeats})`

/** An expression, in a page, of the activity of its document. */
export const activityExpression = `(${activityScript}, document[Symbol.for('${name}')])`
