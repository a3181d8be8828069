import type { Disk } from './disk.ts'

/** The complete lines of a file from a byte offset, and where they end. */
export interface Lines {
  readonly lines: readonly string[]
  /** The end of the lines, in bytes. */
  readonly end: number
}

/** Lines of an unchanged file, and the incomplete last line. */
interface FoundLines extends Lines {
  /** The end of the last complete line, in bytes. */
  readonly end: number
  readonly tail: string
}

/**
 * Reads a file to which lines are only appended. An incomplete last line was being written when a process was killed:
 * it is truncated, so that the next append starts a line.
 * @param from a byte offset; if no line starts there, the file was replaced, and is read from its beginning
 */
export async function readLines(disk: Disk, path: string, from = 0): Promise<Lines> {
  const { lines, end, tail } = await findLines(disk, path, from)
  if (tail !== '') await disk.truncate(path, end)
  return { lines, end }
}

/** Reads the same lines, and leaves the file unchanged. */
export async function findLines(disk: Disk, path: string, from = 0): Promise<FoundLines> {
  const before = from > 0 ? await disk.read(path, from - 1) : undefined
  const begins = before?.startsWith('\n')
  const start = begins ? from : 0
  const text = (begins ? before?.slice(1) : await disk.read(path)) ?? ''
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  return {
    lines: whole.split('\n').slice(0, -1),
    end: start + Buffer.byteLength(whole),
    tail: text.slice(whole.length),
  }
}
