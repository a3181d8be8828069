interface Task {
  due: number
  work: (due: number) => Promise<void>
}

/** Longest delay of a timer, in milliseconds. */
const MAX_TIMER = 2 ** 31 - 1

/** A clock with scheduled tasks. It follows real time, and can be moved ahead. */
export class RetryClock {
  private readonly realTime: () => number
  /** Milliseconds by which the clock is ahead of real time. */
  private ahead = 0
  private scheduled: Task[] = []
  private readonly running = new Set<Promise<void>>()
  private timer: NodeJS.Timeout | undefined
  private lastMove: Promise<unknown> = Promise.resolve()
  private closed = false

  /** @param realTime milliseconds since the epoch */
  constructor(realTime: () => number) {
    this.realTime = realTime
  }

  /** Milliseconds since the epoch, including all moves of the clock. */
  now(): number {
    return this.realTime() + this.ahead
  }

  /** Starts `work` when the clock reaches `due`; at once if `due` is in the past. */
  schedule(due: number, work: Task['work']): void {
    if (this.closed) return
    this.scheduled.push({ due, work })
    this.startDue()
  }

  /**
   * Moves the clock ahead, and starts the tasks that become due, in order of time. A task starts when the previous task
   * has ended. Tasks with the same `due` start together.
   * @returns the seconds by which the clock is ahead, once all started tasks have ended
   */
  advance(seconds: number): Promise<number> {
    const moved = this.lastMove.then(() => this.move(seconds * 1000))
    this.lastMove = moved.catch(() => {})
    return moved
  }

  /** Discards the scheduled tasks. */
  close(): void {
    this.closed = true
    this.scheduled = []
    clearTimeout(this.timer)
  }

  private async move(milliseconds: number): Promise<number> {
    const goal = this.ahead + milliseconds
    const limit = this.now() + milliseconds
    do {
      await Promise.all(this.running)
    } while (this.startNext(limit))
    this.ahead = goal
    this.startDue()
    await Promise.all(this.running)
    return this.ahead / 1000
  }

  private startDue(): void {
    let more = true
    while (more) more = this.startNext(this.now())
    this.setTimer()
  }

  /** Starts all tasks with the earliest `due` up to `limit`. @returns whether there were any */
  private startNext(limit: number): boolean {
    const due = this.earliestDue()
    if (due > limit) return false
    const next = this.scheduled.filter((task) => task.due === due)
    this.scheduled = this.scheduled.filter((task) => task.due !== due)
    this.ahead += Math.max(0, due - this.now())
    for (const task of next) this.start(task)
    return true
  }

  private start({ due, work }: Task): void {
    const run = work(due)
      .catch((error: Error) => void process.stderr.write(`scheduled task failed: ${error.stack}\n`))
      .finally(() => this.running.delete(run))
    this.running.add(run)
  }

  private setTimer(): void {
    clearTimeout(this.timer)
    if (this.scheduled.length === 0) return
    const delay = Math.max(this.earliestDue() - this.now(), 0)
    this.timer = setTimeout(() => this.startDue(), Math.min(delay, MAX_TIMER))
    this.timer.unref()
  }

  private earliestDue(): number {
    return Math.min(...this.scheduled.map(({ due }) => due))
  }
}
