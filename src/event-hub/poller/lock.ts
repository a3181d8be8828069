import { open, readFile, rename, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { SetupError } from '../../target/problem.ts'

/**
 * Keeps a checkpoint to one process at a time: two would hand over everything twice.
 * The lock of a process that is gone counts for nothing.
 * @returns what gives it back
 * @throws {SetupError} where another process holds it
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
      const text = await written(path)
      const holder = Number(text)
      if (attempt > 0 || isAlive(holder)) {
        const what = `is held by process ${holder || 'of an unknown number'}, and two would hand over events twice; end that one, or remove the file where it is no follower`
        throw new SetupError([{ name: path, what }])
      }
      await removeStale(path, text)
    }
  }
}

/** What a lock says, once it says something: whoever takes it makes the file first and writes then. */
async function written(path: string): Promise<string> {
  for (let attempt = 0; ; attempt += 1) {
    const text = await readFile(path, 'utf8').catch(() => '')
    if (text.endsWith('\n') || attempt === 10) return text
    await sleep(20)
  }
}

/** Removes the lock of a process that is gone, and not the one that somebody else has put in its place meanwhile. */
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
    // Somebody else's process is one, too.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
