import { readFileSync } from 'node:fs'
import { setInterval } from 'node:timers'
import { processTree } from '../src/browser/memory-guard.ts'

/** Samples the peak memory of this process and its descendants, in MiB. */
export class MemoryWatch {
  #peak = 0
  readonly #timer = setInterval(() => this.#sample(), 100)

  /** Ends the watch. @returns the peak in MiB */
  stop(): number {
    clearInterval(this.#timer)
    this.#sample()
    return Math.round(this.#peak / 1024)
  }

  #sample(): void {
    this.#peak = Math.max(this.#peak, treeKiB(process.pid))
  }
}

/** Proportional set size of a process and its descendants, which counts shared memory once. */
function treeKiB(root: number): number {
  return processTree(root).reduce(
    (sum, pid) => sum + Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0),
    0,
  )
}

/** Empty if the process has ended since it was listed. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
