interface Waiting {
  due: number
  work: (due: number) => Promise<void>
}

/** Longest time a timer can be set to. */
const LONGEST_TIMER = 2 ** 31 - 1

/** A clock that runs with real time and can be moved ahead, and the work that waits for it. */
export interface RetryClock {
  /** Milliseconds since the epoch, ahead of real time by what it was moved. */
  now(): number
  /** Starts `work` when the clock shows `due`, at once when it already does. */
  schedule(due: number, work: Waiting['work']): void
  /**
   * Moves the clock ahead, and starts what becomes due on the way, in order of time and each when the one before has
   * ended; what is due at the same moment starts together.
   * @returns seconds it was moved in all, when everything that was started has ended
   */
  advance(seconds: number): Promise<number>
  /** Drops what waits. */
  close(): void
}

/** @param real milliseconds since the epoch in real time */
export function createRetryClock(real: () => number): RetryClock {
  let ahead = 0
  let waiting: Waiting[] = []
  const running = new Set<Promise<void>>()
  let timer: NodeJS.Timeout | undefined
  let lastMove: Promise<unknown> = Promise.resolve()
  let closed = false

  const now = () => real() + ahead

  function start({ due, work }: Waiting): void {
    const run = work(due)
      .catch((error: Error) => void process.stderr.write(`scheduled work failed: ${error.stack}\n`))
      .finally(() => running.delete(run))
    running.add(run)
  }

  /** Starts everything that is due at the earliest moment at which anything is, if that is not after `limit`. */
  function startNext(limit: number): boolean {
    const due = Math.min(...waiting.map((entry) => entry.due))
    if (due > limit) return false
    const next = waiting.filter((entry) => entry.due === due)
    waiting = waiting.filter((entry) => entry.due !== due)
    ahead += Math.max(0, due - now())
    next.forEach(start)
    return true
  }

  function setTimer(): void {
    clearTimeout(timer)
    if (waiting.length === 0) return
    const due = Math.min(...waiting.map((entry) => entry.due))
    timer = setTimeout(startDue, Math.min(Math.max(due - now(), 0), LONGEST_TIMER))
    timer.unref()
  }

  function startDue(): void {
    let more = true
    while (more) more = startNext(now())
    setTimer()
  }

  async function move(milliseconds: number): Promise<number> {
    const goal = ahead + milliseconds
    const limit = now() + milliseconds
    do {
      await Promise.all(running)
    } while (startNext(limit))
    ahead = goal
    startDue()
    await Promise.all(running)
    return ahead / 1000
  }

  return {
    now,
    schedule(due, work) {
      if (closed) return
      waiting.push({ due, work })
      startDue()
    },
    advance(seconds) {
      const moved = lastMove.then(() => move(seconds * 1000))
      lastMove = moved.catch(() => {})
      return moved
    },
    close() {
      closed = true
      waiting = []
      clearTimeout(timer)
    },
  }
}
