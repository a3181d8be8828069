import { expect, test } from 'vitest'
import type { Verdict } from '../../src/check/verdict.ts'
import type { Waiver } from '../../src/release/waivers.ts'
import { decided, good, waiver } from './given.ts'

/** The findings on one waiver of a requirement with this verdict. */
const findingsOn = (verdict: Verdict, given: Partial<Waiver>, policy: Parameters<typeof decided>[1] = {}) =>
  decided([good, { id: 'B', verdict }], policy, [waiver('B', given)])
    .findings.filter(({ subject }) => subject === 'waiver')
    .map(({ effect, requirement, text }) => ({ effect, requirement, text }))
const expired = { expires: '2026-11-20' }
const current = { expires: '2026-11-21' }

test.for<[Verdict, Partial<Waiver>, string]>([
  ['pass', current, 'is no longer needed: the requirement holds, so remove the waiver'],
  ['observed', current, 'is no longer needed: the requirement is only observed, so remove the waiver'],
  ['pass', expired, 'expired on 2026-11-20; the requirement holds, so remove the waiver'],
  ['observed', expired, 'expired on 2026-11-20; the requirement is only observed, so remove the waiver'],
  ['fail', expired, 'expired on 2026-11-20: fix the violation, or ask its owner (team events) to renew it'],
  ['inconclusive', expired, 'expired on 2026-11-20: its owner (team events) must renew or remove it'],
])('a waiver of a requirement with the verdict %s, valid until %j, %s', ([verdict, given, text]) => {
  const finding = { requirement: 'B', text: `the waiver of B ${text}` }
  expect(findingsOn(verdict, given)).toEqual([{ effect: 'undecided', ...finding }])
  expect(findingsOn(verdict, given, { waiverFindings: 'report' })).toEqual([{ effect: 'noted', ...finding }])
})

test('a waiver of a requirement that was not applicable is only noted', () => {
  const text = 'the waiver of B was not needed: the requirement was not applicable in this run'
  expect(findingsOn('not-applicable', {})).toEqual([{ effect: 'noted', requirement: 'B', text }])
})

test.for<Verdict>(['fail', 'inconclusive'])(
  'a waiver of a requirement with the verdict %s is needed',
  (verdict) => {
    expect(findingsOn(verdict, {})).toEqual([])
  },
)

test('waivers of another target are ignored', () => {
  expect(decided([good], {}, [waiver('A', { target: 'production', ...expired })]).findings).toEqual([])
})

test('a waiver of an unknown requirement names the nearest one, if there is one', () => {
  const becauseOf = (requirement: string) => decided([good], {}, [waiver(requirement)]).because
  const nothing = 'matches nothing: there is no such requirement'
  expect(becauseOf('KNOWM')).toMatch(`the waiver of KNOWM ${nothing}; the nearest is KNOWN;`)
  expect(becauseOf('EVENT-WINDOW')).toMatch(
    `the waiver of EVENT-WINDOW ${nothing}; \`npx plumbline list\` shows all requirements;`,
  )
})
