import { expect, test } from 'vitest'
import { depthFirst, transitiveFollowers } from '../../src/results/dependencies.ts'

test('every descendant of a node appears once, before the siblings of the node', () => {
  const behind: Record<string, string[]> = { A: ['B', 'C'], B: ['D'], C: ['D', 'A'], D: ['C'] }
  expect(depthFirst(['A', 'E', 'A'], (node) => behind[node] ?? [])).toEqual(['A', 'B', 'D', 'C', 'E'])
})

test('nothing is reached from no node', () => {
  expect(depthFirst([], () => ['A'])).toEqual([])
})

test('candidates follow from known ids and from each other, in any order, and once', () => {
  const candidates = [
    { id: 'SECOND', on: 'FIRST' },
    { id: 'FIRST', on: 'KNOWN' },
    { id: 'THIRD', on: 'FIRST' },
    { id: 'KNOWN', on: 'FIRST' },
    { id: 'OTHER', on: 'ELSEWHERE' },
    { id: 'ITSELF', on: 'ITSELF' },
  ]
  const found = transitiveFollowers(['KNOWN'], candidates, ({ on }, from) => from.has(on))
  expect(found.map(({ id }) => id)).toEqual(['FIRST', 'THIRD', 'SECOND'])
})
