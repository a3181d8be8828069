import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { parseJson } from '../text/json.ts'

// A run may come from somewhere else, such as an artefact of a pipeline: its files are input like any other.

/** Largest file of a run that is read, in bytes: a whole run has a few megabytes. */
const mostBytes = 256 * 1024 * 1024

/** What JSON of a run may hold: a run of 500 requests has 30,000 values. */
const jsonLimits = { depth: 64, members: 10_000_000 }

/** Why a file cannot be read, in the form of an error of the file system. */
class UnusableFile extends Error {
  readonly code: string

  constructor(code: string) {
    super(`the file cannot be used (${code})`)
    this.name = 'UnusableFile'
    this.code = code
  }
}

/**
 * Reads a regular file. A pipe or a device in its place would never end.
 * @throws {Error} with `code`, as node:fs throws it
 */
export function readStoredFile(path: string): Buffer {
  // Without O_NONBLOCK, opening a pipe waits for a writer.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const status = fstatSync(file)
    if (!status.isFile()) throw new UnusableFile(status.isDirectory() ? 'EISDIR' : 'not a regular file')
    if (status.size > mostBytes) throw new UnusableFile('EFBIG')
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

/** @throws {Error} where it cannot be read, is not JSON, or is larger or deeper than any run */
export function readStoredJson(path: string): unknown {
  return parseStoredJson(readStoredFile(path).toString('utf8'))
}

export function parseStoredJson(text: string): unknown {
  return parseJson(text, jsonLimits)
}

/**
 * Reads a file that a run names by its path within the run's directory.
 * @throws {Error} where the path leads out of the directory, or the file cannot be read
 */
export function readWithin(directory: string, path: string): Buffer {
  const [root, file] = [realpathSync(directory), realpathSync(join(directory, path))]
  const inside = relative(root, file)
  if (inside === '' || inside.split(sep)[0] === '..') throw new UnusableFile('outside the run')
  return readStoredFile(file)
}
