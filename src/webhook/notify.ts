/**
 * Calls an observer. If it throws, the error becomes a warning of the process, and does not affect responses or later
 * events.
 */
export function notify(tell: () => void): void {
  try {
    tell()
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error))
  }
}
