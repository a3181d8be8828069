import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Cause, Verdict } from '../../src/check/verdict.ts'
import { decisionMarkdown } from '../../src/release/text.ts'
import { decided, waiver } from './given.ts'

describe('properties of every release decision', () => {
  const fixtures = fc.uniqueArray(
    fc.record({
      id: fc.constantFrom('A', 'B', 'C'),
      verdict: fc.constantFrom<Verdict>('pass', 'fail', 'inconclusive', 'not-applicable', 'observed'),
      cause: fc.constantFrom<Cause>('throttled', 'harness'),
      level: fc.constantFrom('must' as const, 'silent' as const),
    }),
    { selector: ({ id }) => id, minLength: 1 },
  )
  const policy = fc.record({
    inconclusive: fc.constantFrom('block' as const, 'allow' as const),
    waiverFindings: fc.constantFrom('block' as const, 'report' as const),
    maximumAgeHours: fc.constantFrom(0.5, 24),
  })
  const waivers = fc.uniqueArray(
    fc.record({
      requirement: fc.constantFrom('A', 'B', 'C', 'KNOWN', 'UNKNOWN'),
      target: fc.constantFrom('uat' as const, 'production' as const),
      expires: fc.constantFrom('2026-11-20', '2026-11-21'),
    }),
    { selector: ({ requirement, target }) => requirement + target },
  )

  test('it is never yes with an unwaived violation, or with a finding that blocks', () => {
    fc.assert(
      fc.property(fixtures, policy, waivers, (list, rules, waived) => {
        const decision = decided(
          list,
          rules,
          waived.map(({ requirement, ...rest }) => waiver(requirement, rest)),
        )
        const valid = waived.filter(({ target, expires }) => target === 'uat' && expires === '2026-11-21')
        const violated = list.some(
          ({ id, verdict, level }) =>
            verdict === 'fail' && level === 'must' && !valid.some(({ requirement }) => requirement === id),
        )
        expect(decision.exitCode === 1).toBe(violated)
        const undecided = decision.findings.some(({ effect }) => effect === 'undecided')
        expect(decision.release).toBe(!violated && !undecided)
        expect(decision.because).not.toContain('undefined')
        expect(decisionMarkdown(decision, 'policy.json')).toMatch(
          /^# Release: (yes|no|not decided), because /,
        )
      }),
    )
  })

  test('a waiver never turns a yes into a violation', () => {
    fc.assert(
      fc.property(fixtures, policy, fc.constantFrom('A', 'B', 'C'), (list, rules, id) => {
        const without = decided(list, rules)
        const withWaiver = decided(list, rules, [waiver(id)])
        if (without.exitCode !== 1) expect(withWaiver.exitCode).not.toBe(1)
      }),
    )
  })
})
