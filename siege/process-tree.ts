import { readdirSync, readFileSync } from 'node:fs'
import { memoryMiB, processTree } from '../src/browser/memory-guard.ts'

/** Memory of a process and all its descendants in MiB, without mapped files. */
export function treeMemoryMiB(root = process.pid): number {
  return processTree(root).reduce((sum, id) => sum + memoryMiB(id), 0)
}

/** Measures the peak memory of a process tree during some work. @returns `mib` in MiB */
export async function peakMemoryMiB<T>(
  work: () => Promise<T>,
  root = process.pid,
): Promise<{ readonly result: T; readonly mib: number }> {
  let mib = treeMemoryMiB(root)
  const timer = setInterval(() => {
    mib = Math.max(mib, treeMemoryMiB(root))
  }, 50)
  try {
    return { result: await work(), mib: Math.round(mib) }
  } finally {
    clearInterval(timer)
  }
}

/** The command line of a process; empty if it has ended. */
export function commandLine(id: number): string {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

/** The processes that have not ended. */
export function alive(ids: Iterable<number>): number[] {
  return [...ids].filter((id) => {
    try {
      return !/^State:\s+Z/m.test(readFileSync(`/proc/${id}/status`, 'utf8'))
    } catch {
      return false
    }
  })
}

/** The processes whose environment has a variable with this value. */
export function processesWith(variable: string, value: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((id) => {
      try {
        return readFileSync(`/proc/${id}/environ`, 'utf8').split('\0').includes(`${variable}=${value}`)
      } catch {
        return false
      }
    })
    .map(Number)
}
