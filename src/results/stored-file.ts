import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, relative, sep } from 'node:path'
import { SetupError } from '../target/problem.ts'
import { parseJson } from '../text/json.ts'

// A run may come from elsewhere, such as an artefact of a pipeline, so its files are untrusted input.

/** Maximum size of a file of a run, in bytes; the files of a run have a few megabytes in total. */
const maxBytes = 256 * 1024 * 1024

/** Limits of the JSON of a run; a run of 500 requests has 30,000 values. */
const jsonLimits = { depth: 64, members: 10_000_000 }

/** The error for an unusable file, in the form of a file-system error. */
function unusable(code: string): Error {
  return Object.assign(new Error(`the file cannot be used (${code})`), { code })
}

/**
 * Reads a regular file. A pipe or a device might never end, so it is rejected.
 * @throws {Error} with `code`, as node:fs throws it
 */
export function readStoredFile(path: string): Buffer {
  // Without O_NONBLOCK, opening a pipe waits for a writer.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const status = fstatSync(file)
    if (!status.isFile()) throw unusable(status.isDirectory() ? 'EISDIR' : 'not a regular file')
    if (status.size > maxBytes) throw unusable('EFBIG')
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

/** @throws {Error} if the file cannot be read, is not JSON, or exceeds the limits */
export function readStoredJson(path: string): unknown {
  return parseStoredJson(readStoredFile(path).toString('utf8'))
}

export function parseStoredJson(text: string): unknown {
  return parseJson(text, jsonLimits)
}

/**
 * Reads a file by a path that is relative to the run's directory.
 * @throws {Error} if the path is outside the directory, or the file cannot be read
 */
export function readWithin(directory: string, path: string): Buffer {
  const [root, file] = [realpathSync(directory), realpathSync(join(directory, path))]
  const inside = relative(root, file)
  if (inside === '' || inside.split(sep)[0] === '..') throw unusable('outside the run')
  return readStoredFile(file)
}

/**
 * Replaces a file atomically: a reader sees either the old or the new content.
 * @param advice for an error, as an imperative
 * @throws {SetupError} if the file cannot be written, for example on a full disk; the old content stays
 */
export function writeAtomically(
  path: string,
  content: string,
  advice = 'free some space, or set REPORT_DIR to another folder',
): void {
  const pending = `${path}.${process.pid}.tmp`
  try {
    writeFileSync(pending, content)
    renameSync(pending, path)
  } catch (error) {
    removeIfPossible(pending)
    const { code } = error as NodeJS.ErrnoException
    throw new SetupError({ name: path, what: `cannot be written (${code})`, advice })
  }
}

function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // The caller reports the error of the write.
  }
}
