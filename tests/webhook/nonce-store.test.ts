import { expect, test } from 'vitest'
import { NonceStore, NonceStoreFull, nonceRetentionMs } from '../../src/webhook/nonce-store.ts'

function store(capacity?: number) {
  const clock = { now: 1_000_000 }
  return { clock, nonces: new NonceStore({ now: () => clock.now, ...(capacity && { capacity }) }) }
}

test('a nonce is stored for ten minutes, inclusive', () => {
  const { clock, nonces } = store()
  expect(nonces.take('a')).toBe(true)
  clock.now += nonceRetentionMs
  expect(nonces.take('a')).toBe(false)
  expect(nonces.has('a')).toBe(true)
  clock.now += 1
  expect(nonces.has('a')).toBe(false)
  expect(nonces.take('a')).toBe(true)
})

test('has() uses no nonce', () => {
  const { nonces } = store()
  expect(nonces.has('a')).toBe(false)
  expect(nonces.take('a')).toBe(true)
})

test('a full store keeps all nonces for their time, and rejects new ones until then', () => {
  const { clock, nonces } = store(3)
  for (const nonce of ['a', 'b', 'c']) expect(nonces.take(nonce)).toBe(true)
  expect(() => nonces.take('d')).toThrow(NonceStoreFull)
  expect(nonces.take('a')).toBe(false)
  expect(nonces.size).toBe(3)
  clock.now += nonceRetentionMs + 1
  expect(nonces.take('d')).toBe(true)
  expect(nonces.size).toBe(1)
})

test('long nonces need no more memory than short ones, and are compared completely', () => {
  const { nonces } = store()
  const long = 'n'.repeat(100_000)
  expect(nonces.take(`${long}1`)).toBe(true)
  expect(nonces.take(`${long}2`)).toBe(true)
  expect(nonces.take(`${long}1`)).toBe(false)
})

test('years of nonces leave ten minutes of them', () => {
  const { clock, nonces } = store(1000)
  for (let index = 0; index < 20_000; index += 1) {
    expect(nonces.take(`nonce ${index}`)).toBe(true)
    clock.now += 1000
  }
  expect(nonces.size).toBeLessThanOrEqual(601)
})
