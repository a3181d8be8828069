import type { Expect } from '../../src/check/expect.ts'

/**
 * Expects deliveries to follow a rule, in one finding that counts the violations.
 * @param actual what a delivery that violates the rule has; "in 2 of 5 deliveries" follows
 */
export function expectEvery<T>(
  expect: Expect,
  deliveries: readonly T[],
  follows: (delivery: T) => boolean,
  expected: string,
  actual: string,
): void {
  const others = deliveries.filter((delivery) => !follows(delivery)).length
  expect.that(others === 0, expected, `${actual} in ${others} of ${deliveries.length} deliveries`)
}
