import { open, readFile, rm } from 'node:fs/promises'
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
      const holder = Number(await readFile(path, 'utf8').catch(() => ''))
      if (attempt > 0 || isAlive(holder)) {
        const what = `is held by process ${holder || 'of an unknown number'}, and two would hand over events twice; end that one, or remove the file where it is no follower`
        throw new SetupError([{ name: path, what }])
      }
      await rm(path, { force: true })
    }
  }
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
