import { expect, test } from 'vitest'
import { neededEffects, whereOffText } from '../../src/cli/needed-effects.ts'

const checks = [
  { requirement: 'A', effects: ['login', 'token-destruction'] },
  { requirement: 'A', effects: ['login', 'token-destruction', 'slow'] },
  { requirement: 'B', effects: ['login'] },
  { requirement: 'B', effects: ['slow'] },
  { requirement: 'C' },
] as const

test('needs the fewest effects with which one check of each requirement runs', () => {
  expect(neededEffects(['A', 'B', 'C', 'NO-CHECK'], checks, 'uat')).toEqual({
    enable: ['token-destruction'],
    never: [],
  })
  expect(neededEffects(['A', 'B'], checks, 'embedded')).toEqual({ enable: [], never: [] })
})

test('lists requirements that a target never checks', () => {
  expect(neededEffects(['A', 'B'], checks, 'production')).toEqual({ enable: [], never: ['A'] })
})

test('states on which targets a check is off', () => {
  expect(whereOffText(checks[0])).toBe(
    'off by default on uat (ENABLE=token-destruction turns it on), never allowed on production',
  )
  expect(whereOffText(checks[3])).toBe(
    'off by default on uat (ENABLE=slow turns it on), off by default on production (ENABLE=slow turns it on)',
  )
  expect(whereOffText(checks[4])).toBe('')
})
