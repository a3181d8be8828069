import { appendFile, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { SetupError } from '../../target/problem.ts'

/**
 * The file operations of a poller. Each change is on disk when its promise resolves. "Interrupted" means that the
 * process is killed or the power fails before then.
 */
export interface Disk {
  /** Reads the text of a file from a byte offset; undefined if the file does not exist. */
  read(path: string, from?: number): Promise<string | undefined>
  /** The size of a file in bytes; undefined if it does not exist. */
  size(path: string): Promise<number | undefined>
  /**
   * Appends to a file, and creates it if necessary. If interrupted, only the beginning of the text may be written.
   * @returns the size of the file afterwards, in bytes
   */
  append(path: string, text: string): Promise<number>
  /** Replaces a file atomically. If interrupted, the file has either its old or its new content. */
  replace(path: string, text: string): Promise<void>
  /** Truncates a file to a number of bytes. If interrupted, the file is truncated or unchanged. */
  truncate(path: string, bytes: number): Promise<void>
  /** Removes the files whose paths begin with a prefix. If interrupted, some may remain. */
  removeAll(prefix: string): Promise<void>
}

/** The file system. It throws the errors of node:fs. */
export const fileSystem: Disk = {
  async read(path, from = 0) {
    const file = await unlessMissing(open(path))
    if (!file) return undefined
    // The stream closes the file at its end.
    return (await buffer(file.createReadStream({ start: from }))).toString('utf8')
  },

  async size(path) {
    return (await unlessMissing(stat(path)))?.size
  },

  async append(path, text) {
    const isNew = (await fileSystem.size(path)) === undefined
    await appendFile(path, text, { mode: 0o600, flush: true })
    // The name of a new file is an entry of its folder, which is flushed separately.
    if (isNew) await syncFolder(path)
    return (await stat(path)).size
  },

  async replace(path, text) {
    const temporary = join(dirname(path), `.${basename(path)}.new`)
    await writeFile(temporary, text, { mode: 0o600, flush: true })
    await rename(temporary, path)
    await syncFolder(path)
  },

  async truncate(path, bytes) {
    await using file = await open(path, 'r+')
    await file.truncate(bytes)
    await file.datasync()
  },

  async removeAll(prefix) {
    const names = await readdir(dirname(prefix))
    for (const name of names.filter((candidate) => candidate.startsWith(basename(prefix)))) {
      await rm(join(dirname(prefix), name), { force: true })
    }
  },
}

async function syncFolder(path: string): Promise<void> {
  await using folder = await open(dirname(path), 'r')
  await folder.sync()
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Files in memory, for a poller without a checkpoint. */
export function memoryDisk(): Disk {
  const files = new Map<string, Buffer>()
  return {
    read: async (path, from = 0) => files.get(path)?.subarray(from).toString('utf8'),
    size: async (path) => files.get(path)?.length,
    append: async (path, text) => {
      const file = Buffer.concat([files.get(path) ?? Buffer.alloc(0), Buffer.from(text)])
      files.set(path, file)
      return file.length
    },
    replace: async (path, text) => {
      files.set(path, Buffer.from(text))
    },
    truncate: async (path, bytes) => {
      files.set(path, (files.get(path) ?? Buffer.alloc(0)).subarray(0, bytes))
    },
    removeAll: async (prefix) => {
      for (const path of files.keys()) if (path.startsWith(prefix)) files.delete(path)
    },
  }
}

/** The complete lines of a file from a byte offset on. */
interface Lines {
  readonly lines: readonly string[]
  /** The byte offset at which the last complete line ends. */
  readonly end: number
}

/** As `Lines`, with the incomplete last line. */
interface LinesAndTail extends Lines {
  /** The incomplete last line; empty if there is none. */
  readonly tail: string
}

/**
 * Reads a file to which lines are only appended. Removes an incomplete last line, which a killed process has left, so
 * that the next append starts a new line.
 * @param from a byte offset. If no line starts there, the file was replaced, and is read from the beginning.
 */
export async function readLines(disk: Disk, path: string, from = 0): Promise<Lines> {
  const { lines, end, tail } = await findLines(disk, path, from)
  if (tail !== '') await disk.truncate(path, end)
  return { lines, end }
}

/** Like `readLines`, but returns the incomplete last line and leaves the file unchanged. */
export async function findLines(disk: Disk, path: string, from = 0): Promise<LinesAndTail> {
  const before = from > 0 ? await disk.read(path, from - 1) : undefined
  const isLineStart = before?.startsWith('\n')
  const start = isLineStart ? from : 0
  const text = (isLineStart ? before?.slice(1) : await disk.read(path)) ?? ''
  const completeLines = text.slice(0, text.lastIndexOf('\n') + 1)
  return {
    lines: completeLines.split('\n').slice(0, -1),
    end: start + Buffer.byteLength(completeLines),
    tail: text.slice(completeLines.length),
  }
}

/**
 * Locks a checkpoint, because two processes would deliver every event twice. Removes the lock of a process that has
 * ended.
 * @returns a function that releases the lock
 * @throws {SetupError} if another process holds the lock
 */
export async function lock(path: string): Promise<() => Promise<void>> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await writeFile(path, `${process.pid}\n`, { flag: 'wx', mode: 0o600 })
      return () => rm(path, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      const text = await lockContent(path)
      const holder = Number(text)
      if (attempt > 0 || isAlive(holder)) {
        const what = `is held by ${holder ? `process ${holder}` : 'another process'}, and two processes would deliver events twice: stop that process, or remove the file if the process does not run events --follow`
        throw new SetupError({ name: path, what })
      }
      await removeStaleLock(path, text)
    }
  }
}

/** Reads a lock file. Waits while it is empty: a process first creates the file, then writes its id into the file. */
async function lockContent(path: string): Promise<string> {
  for (let attempt = 0; ; attempt += 1) {
    const text = await readFile(path, 'utf8').catch(() => '')
    if (text.endsWith('\n') || attempt === 10) return text
    await sleep(20)
  }
}

/** Removes the lock of a process that has ended, but not a lock that another process has created meanwhile. */
async function removeStaleLock(path: string, text: string): Promise<void> {
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
    // EPERM: the process exists, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
