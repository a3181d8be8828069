/**
 * Tells somebody something: what their function throws becomes a warning of the process, and neither changes an answer
 * nor keeps what comes later from being processed.
 */
export function unharmed(tell: () => void): void {
  try {
    tell()
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error))
  }
}
