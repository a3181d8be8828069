import { createHash } from 'node:crypto'

/** Returns a random number from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number

/** Reproducible random numbers from a seed and a name: SHA-256 of a counter. */
export function randomFrom(seed: number, name: string): Random {
  let count = 0
  return () => {
    count += 1
    return createHash('sha256').update(`${seed} ${name} ${count}`).digest().readUInt32LE() / 2 ** 32
  }
}

/** A random permutation (Fisher-Yates). */
export function shuffled<T>(values: readonly T[], random: Random): T[] {
  const order = [...values]
  for (let last = order.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1))
    ;[order[last], order[other]] = [order[other] as T, order[last] as T]
  }
  return order
}
