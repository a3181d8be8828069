import type { Disk } from './disk.ts'

/** The whole lines of a file from a byte on, and how far they reach. */
export interface Lines {
  readonly lines: readonly string[]
  /** Bytes of the file. */
  readonly end: number
}

/** Lines of a file as it is, and what stands behind the last of them without an end. */
interface FoundLines extends Lines {
  /** Bytes until the end of the last whole line. */
  readonly end: number
  readonly tail: string
}

/**
 * Reads a file of lines that are only ever appended. A last line without its end was being written when a process
 * was killed: it is cut off, so that what is appended next begins a line.
 * @param from a byte; where no line begins there, the file is another one than it was, and is read as a whole
 */
export async function readLines(disk: Disk, path: string, from = 0): Promise<Lines> {
  const { lines, end, tail } = await findLines(disk, path, from)
  if (tail !== '') await disk.truncate(path, end)
  return { lines, end }
}

/** The same, with the file left as it is. */
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
