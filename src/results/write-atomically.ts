import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { SetupError } from '../target/problem.ts'

/**
 * Replaces a file atomically: a reader sees either the old or the new content.
 * @param advice for an error, as an imperative
 * @throws {SetupError} if it cannot be written, for example on a full disk; the old content stays
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
    // The error of the write is the one to report.
  }
}
