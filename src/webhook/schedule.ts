/** Attempts after the first. */
export type LaterAttempt = 2 | 3 | 4 | 5

/**
 * When the later attempts are made (section Limits), as seconds between one and the next. The schedule calls itself
 * approximate, and does not say whether each delay counts from the first attempt or from the one before: the
 * earliest is half the delay after the first, the latest one and a half times all delays so far. These ranges
 * do not overlap, so that every attempt can be told by its time.
 */
export const attemptTimes: Readonly<
  Record<LaterAttempt, { readonly notBefore: number; readonly notAfter: number }>
> = scheduleOf([30, 120, 600, 3600])

export const lastAttempt = 5

/** Long enough after the last attempt for one more to have come, on any schedule that goes on like this. */
export const longAfter = 24 * 3600

function scheduleOf(delays: readonly [number, number, number, number]): typeof attemptTimes {
  const rangeOf = (index: number) => ({
    notBefore: (delays[index] ?? 0) / 2,
    notAfter: 1.5 * delays.slice(0, index + 1).reduce((sum, delay) => sum + delay, 0),
  })
  return { 2: rangeOf(0), 3: rangeOf(1), 4: rangeOf(2), 5: rangeOf(3) }
}
