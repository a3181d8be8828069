import { open, readdir, rename, rm, stat, truncate } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/**
 * What a poller does with files. Every change is on the disk when its promise resolves; what a kill or a power cut
 * leaves of one that has not resolved is said with each.
 */
export interface Disk {
  /** The text of a file from a byte on; undefined where there is no such file. */
  read(path: string, from?: number): Promise<string | undefined>
  /** Bytes of a file; undefined where there is none. */
  size(path: string): Promise<number | undefined>
  /**
   * Appends to a file, which is made where there is none. Cut off, any number of the first bytes may be there.
   * @returns bytes of the file afterwards
   */
  append(path: string, text: string): Promise<number>
  /** Puts a text in the place of a file. Cut off, either the old file is there as a whole or the new one. */
  replace(path: string, text: string): Promise<void>
  /** Cuts a file after so many bytes. Cut off, that has happened or not. */
  truncate(path: string, bytes: number): Promise<void>
  /** Removes the files of the same folder whose paths begin so. Cut off, some may be left. */
  removeAll(prefix: string): Promise<void>
}

/** The file system. Errors are those of node:fs. */
export const fileSystem: Disk = {
  async read(path, from = 0) {
    const file = await unlessMissing(open(path))
    if (!file) return undefined
    const chunks: Buffer[] = []
    // Closes the file at its end.
    for await (const chunk of file.createReadStream({ start: from })) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks).toString('utf8')
  },

  async size(path) {
    return (await unlessMissing(stat(path)))?.size
  },

  async append(path, text) {
    const isNew = (await fileSystem.size(path)) === undefined
    const file = await open(path, 'a', 0o600)
    try {
      await file.writeFile(text)
      await file.datasync()
      // A file's name is an entry of its folder, which reaches the disk by itself.
      if (isNew) await syncFolder(path)
      return (await file.stat()).size
    } finally {
      await file.close()
    }
  },

  async replace(path, text) {
    const temporary = join(dirname(path), `.${basename(path)}.new`)
    const file = await open(temporary, 'w', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
    await syncFolder(path)
  },

  async truncate(path, bytes) {
    await truncate(path, bytes)
    const file = await open(path, 'r+')
    try {
      await file.datasync()
    } finally {
      await file.close()
    }
  },

  async removeAll(prefix) {
    const names = await readdir(dirname(prefix))
    for (const name of names.filter((candidate) => candidate.startsWith(basename(prefix)))) {
      await rm(join(dirname(prefix), name), { force: true })
    }
  },
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Files that live as long as the process: for a poller that is to leave nothing behind. */
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
