/** The reader of the output has closed the pipe, as `| head` does, so the command ends without failure. */
export class OutputClosed extends Error {}

/** Whether an error of an output stream means that its reader has closed the pipe. */
export function isUnread(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EPIPE'
}
