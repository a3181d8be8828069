import fc from 'fast-check'
import { expect, test } from 'vitest'
import { randomFrom, shuffled } from '../src/random.ts'

test('each order of three is as likely as any other', () => {
  const random = randomFrom(1, 'orders')
  const counts = new Map<string, number>()
  for (let draw = 0; draw < 3000; draw += 1) {
    const order = shuffled(['a', 'b', 'c'], random).join('')
    counts.set(order, (counts.get(order) ?? 0) + 1)
  }
  expect(counts.size).toBe(6)
  for (const count of counts.values()) expect(Math.abs(count - 500)).toBeLessThan(100)
})

test('the given values are unchanged', () => {
  const values = [1, 2, 3]
  shuffled(values, () => 0)
  expect(values).toEqual([1, 2, 3])
})

test('the same seed returns the same numbers, another name or seed returns others', () => {
  const draw = (seed: number, name: string) => {
    const random = randomFrom(seed, name)
    return Array.from({ length: 8 }, random)
  }
  expect(draw(7, 'a')).toEqual(draw(7, 'a'))
  expect(draw(7, 'a')).not.toEqual(draw(7, 'b'))
  expect(draw(7, 'a')).not.toEqual(draw(8, 'a'))
  for (const number of draw(7, 'a')) expect(number >= 0 && number < 1).toBe(true)
})

test('a seed returns the same numbers in every version of Plumbline', () => {
  const random = randomFrom(7, 'a')
  // The first four bytes of the SHA-256 digests of `7 a 1` and `7 a 2`, the least significant one first.
  expect([random(), random()]).toEqual([0x0fd28909 / 2 ** 32, 0x751712e9 / 2 ** 32])
})

test('another order contains the same elements', () => {
  fc.assert(
    fc.property(fc.nat(), fc.array(fc.integer()), (seed, values) => {
      const sorted = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)
      expect(sorted(shuffled(values, randomFrom(seed, 'order')))).toEqual(sorted(values))
    }),
  )
})
