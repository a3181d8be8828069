import { open, readFile, rename, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { SetupError } from '../../target/problem.ts'

/**
 * Locks a checkpoint for one process: two processes would deliver every event twice.
 * A lock of a process that has ended is ignored.
 * @returns releases the lock
 * @throws {SetupError} if another process holds the lock
 */
export async function lock(path: string): Promise<() => Promise<void>> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const file = await open(path, 'wx', 0o600)
      await file.writeFile(`${process.pid}\n`)
      await file.close()
      return () => rm(path, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      const text = await contentOf(path)
      const holder = Number(text)
      if (attempt > 0 || isAlive(holder)) {
        const what = `is held by ${holder ? `process ${holder}` : 'another process'}, and two processes would deliver events twice: stop that process, or remove the file if it does not run events --follow`
        throw new SetupError({ name: path, what })
      }
      await removeStale(path, text)
    }
  }
}

/** Reads a lock once it has content: the process that takes it creates the file first and writes to it then. */
async function contentOf(path: string): Promise<string> {
  for (let attempt = 0; ; attempt += 1) {
    const text = await readFile(path, 'utf8').catch(() => '')
    if (text.endsWith('\n') || attempt === 10) return text
    await sleep(20)
  }
}

/** Removes the lock of a process that has ended, but not a lock that another process has created meanwhile. */
async function removeStale(path: string, text: string): Promise<void> {
  const aside = `${path}.${process.pid}`
  try {
    await rename(path, aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return
  }
  if ((await readFile(aside, 'utf8')) === text) await rm(aside)
  else await rename(aside, path)
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // The process exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
