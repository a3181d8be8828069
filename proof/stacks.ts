/**
 * Stops this process from capturing stacks, which results do not contain. Playwright captures 50 frames in each of its
 * calls: about a tenth of Node's processor time in a case with pages.
 */
export function captureNoStacks(): void {
  // Node captures nothing if the limit is not a number. The setter ignores the limit that Playwright sets in each call.
  Object.defineProperty(Error, 'stackTraceLimit', { get: () => undefined, set: () => {} })
}
